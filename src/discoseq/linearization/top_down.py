"""The top-down traversal: a constituent is opened before its children (Dyer et al., 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discoseq.linearization.actions import Action, Move, non_terminal, reduce
from discoseq.linearization.traversal import Configuration, unfold
from discoseq.trees.tree import Child, Constituent


class TopDown:
    """NT-X, the children, RE. The sequence ends with the root: there is no FINISH."""

    name = "top-down"
    children_before_label = 0
    reasons: Mapping[Move, str] = {
        Move.SHIFT: "no constituent is open to take the word",
        Move.NON_TERMINAL: "the tree is complete",
        Move.REDUCE: "the root can't be closed while words are left",
    }

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        return unfold(root, _layout)

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        return {
            Move.SHIFT: state.open_count > 0,
            Move.NON_TERMINAL: (state.open_count > 0) | (state.stack_size == 0),
            Move.REDUCE: (state.open_count > 1) | (state.buffer_size == 0),
        }

    def max_steps(self, constituents: int) -> int:
        return 2 * constituents


def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
    return (non_terminal(constituent.label), *constituent.children, reduce(constituent.label))
