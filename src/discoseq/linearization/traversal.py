"""What a traversal has to say; everything else (masks, trees, vocabularies, search) is written once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from discoseq.linearization.actions import Action, Move
from discoseq.trees.tree import Child, Constituent


class Configuration(Protocol):
    """What the rules may look at: arrays of (rows,) in the machine, plain numbers in the tree builder.

    So a rule is made of comparisons joined by & and |, which mean the same for both.
    """

    @property
    def stack_size(self) -> Any: ...  # elements: words and finished constituents
    @property
    def buffer_size(self) -> Any: ...  # words
    @property
    def open_count(self) -> Any: ...  # constituents opened by NON-TERMINAL and not yet closed
    @property
    def child_count(
        self,
    ) -> Any: ...  # elements that belong to the innermost open one; the whole stack if there is none
    @property
    def built_count(self) -> Any: ...  # finished constituents, those inside others too


class Traversal(Protocol):
    """In which order a tree's constituents are opened, filled and closed."""

    @property
    def name(self) -> str: ...

    @property
    def children_before_label(self) -> int:
        """How many children (0 or 1) are on the stack when NON-TERMINAL opens their constituent."""

    @property
    def reasons(self) -> Mapping[Move, str]:
        """Why a rule was broken, for error messages."""

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        """The actions that build a tree, with a word's index where that word is to be fetched."""

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        """Where each move is allowed, beyond what the machine asks of it anyway; a move left out is never allowed."""

    def max_steps(self, constituents: int) -> int:
        """The number of actions, SHIFT and SWAP aside, that build so many constituents."""


def unfold(root: Constituent, layout: Callable[[Constituent], Sequence[Child | Action]]) -> Iterator[Action | int]:
    """Write every constituent as its layout says, its children in place; without recursion, for deep trees."""
    agenda: list[Child | Action] = [root]
    while agenda:
        item = agenda.pop()
        if isinstance(item, Constituent):
            agenda.extend(reversed(layout(item)))
        else:
            yield item
