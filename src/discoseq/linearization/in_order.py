"""The in-order traversal: a constituent is opened after its first child (Liu and Zhang, 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discoseq.linearization.actions import FINISH, Action, Move, non_terminal, reduce
from discoseq.linearization.traversal import Configuration, unfold
from discoseq.trees.tree import Child, Constituent


class InOrder:
    """The first child, NT-X, the other children, RE; then FINISH, since any constituent might have one more above."""

    name = "in-order"
    children_before_label = 1
    reasons: Mapping[Move, str] = {
        Move.SHIFT: "no constituent is open to take the word",
        Move.NON_TERMINAL: "there is no first child on top of the stack",
        Move.REDUCE: "no constituent is open",
        Move.FINISH: "the tree is not complete",
    }

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        yield from unfold(root, _layout)
        yield FINISH

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        nothing_open = state.open_count == 0
        return {
            Move.SHIFT: (state.open_count > 0) | (state.stack_size == 0),
            # the only child of an open constituent is already a first child
            Move.NON_TERMINAL: (state.child_count > 1) | (nothing_open & (state.stack_size > 0)),
            Move.REDUCE: state.open_count > 0,
            Move.FINISH: nothing_open & (state.buffer_size == 0) & (state.built_count > 0),
        }

    def max_steps(self, constituents: int) -> int:
        return 2 * constituents + 1


def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
    first, *others = constituent.children
    return (first, non_terminal(constituent.label), *others, reduce(constituent.label))
