"""The non-binary bottom-up traversal: a constituent is built once all its children are (Fernández-González and
Gómez-Rodríguez, 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discoseq.linearization.actions import FINISH, Action, Move, reduce
from discoseq.linearization.traversal import Configuration, unfold
from discoseq.trees.tree import Child, Constituent


class BottomUp:
    """The k children, RE#k-X; FINISH after the root."""

    name = "bottom-up"
    children_before_label = 0
    reasons: Mapping[Move, str] = {Move.FINISH: "the tree is not complete"}

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        yield from unfold(root, _layout)
        yield FINISH

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        return {
            Move.SHIFT: state.buffer_size > 0,
            Move.REDUCE: state.stack_size > 0,
            Move.FINISH: (state.stack_size == 1) & (state.buffer_size == 0) & (state.built_count > 0),
        }

    def max_steps(self, constituents: int) -> int:
        return constituents + 1


def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
    return (*constituent.children, reduce(constituent.label, len(constituent.children)))
