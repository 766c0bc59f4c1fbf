"""Traversals: the order in which a tree's constituents are opened, filled and closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from discoseq.linearizations.actions import FINISH, Action, Move, non_terminal, reduce
from discoseq.trees.tree import Child, Constituent


class Configuration(Protocol):
    """What the rules depend on: arrays of (rows,) in the machine, plain numbers in the tree builder.

    A rule is made of comparisons joined by & and |, which mean the same for both.
    """

    @property
    def stack_size(self) -> Any: ...  # elements: words and finished constituents
    @property
    def buffer_size(self) -> Any: ...  # words
    @property
    def open_count(self) -> Any: ...  # constituents opened by NON-TERMINAL and not yet closed
    @property
    def child_count(self) -> Any: ...  # children of the innermost open constituent; the whole stack if none is open
    @property
    def built_count(self) -> Any: ...  # finished constituents, including those inside others


class Traversal(Protocol):
    """An oracle and the preconditions of its transitions; everything else is shared by all traversals."""

    @property
    def name(self) -> str: ...

    @property
    def children_before_label(self) -> int:
        """How many children (0 or 1) are on the stack when NON-TERMINAL opens their constituent."""

    @property
    def reasons(self) -> Mapping[Move, str]:
        """For error messages: what is wrong where the rule of a move does not hold."""

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        """The actions that build a tree, and the index of a word where that word is to be shifted."""

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        """Where each move is allowed, in addition to preconditions.py; a move without a rule is never allowed."""

    def max_steps(self, constituents: int) -> int:
        """The number of actions, SHIFT and SWAP aside, that build so many constituents."""


class TopDown:
    """NT-X, the children, RE (Dyer et al., 2016). The sequence ends with the root: there is no FINISH."""

    name = "top-down"
    children_before_label = 0
    reasons: Mapping[Move, str] = {
        Move.SHIFT: "no constituent is open to take the word",
        Move.NON_TERMINAL: "the tree is complete",
        Move.REDUCE: "the root can't be closed while words are left",
    }

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        return unfold(root, self._layout)

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        return {
            Move.SHIFT: state.open_count > 0,
            Move.NON_TERMINAL: (state.open_count > 0) | (state.stack_size == 0),
            Move.REDUCE: (state.open_count > 1) | (state.buffer_size == 0),
        }

    def max_steps(self, constituents: int) -> int:
        return 2 * constituents

    @staticmethod
    def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
        return (non_terminal(constituent.label), *constituent.children, reduce(constituent.label))


class InOrder:
    """The first child, NT-X, the other children, RE (Liu and Zhang, 2017).

    FINISH ends the sequence, because any constituent might be the first child of another one.
    """

    name = "in-order"
    children_before_label = 1
    reasons: Mapping[Move, str] = {
        Move.SHIFT: "no constituent is open to take the word",
        Move.NON_TERMINAL: "there is no first child on top of the stack",
        Move.REDUCE: "no constituent is open",
        Move.FINISH: "the tree is not complete",
    }

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        yield from unfold(root, self._layout)
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

    @staticmethod
    def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
        first, *others = constituent.children
        return (first, non_terminal(constituent.label), *others, reduce(constituent.label))


class BottomUp:
    """The k children, RE#k-X: non-binary bottom-up (Fernández-González and Gómez-Rodríguez, 2019), ended by FINISH."""

    name = "bottom-up"
    children_before_label = 0
    reasons: Mapping[Move, str] = {Move.FINISH: "the tree is not complete"}

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        yield from unfold(root, self._layout)
        yield FINISH

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        return {
            Move.SHIFT: state.buffer_size > 0,
            Move.REDUCE: state.stack_size > 0,
            Move.FINISH: (state.stack_size == 1) & (state.buffer_size == 0) & (state.built_count > 0),
        }

    def max_steps(self, constituents: int) -> int:
        return constituents + 1

    @staticmethod
    def _layout(constituent: Constituent) -> tuple[Child | Action, ...]:
        return (*constituent.children, reduce(constituent.label, len(constituent.children)))


def unfold(root: Constituent, layout: Callable[[Constituent], Sequence[Child | Action]]) -> Iterator[Action | int]:
    """Replace every constituent by its layout until only words and actions are left; works for trees of any depth."""
    agenda: list[Child | Action] = [root]
    while agenda:
        item = agenda.pop()
        if isinstance(item, Constituent):
            agenda.extend(reversed(layout(item)))
        else:
            yield item
