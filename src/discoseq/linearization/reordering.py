"""The four ways to reach a word that is not the first of the buffer; the table REORDERINGS has them by name."""

from collections.abc import Callable
from dataclasses import dataclass

from discoseq.linearization.actions import SHIFT, SWAP, Action, shift, swap


@dataclass(frozen=True, slots=True)
class Reordering:
    """How a word of the buffer is fetched to the stack (Fernández-González and Gómez-Rodríguez, 2022)."""

    name: str  # "" for none
    fetch: Callable[[int], tuple[Action, ...]]  # the actions that bring the word with that many words before it
    basic_actions: tuple[Action, ...]  # with these alone, no word that is passed over is ever lost
    can_reorder: bool = True

    @property
    def has_swap(self) -> bool:
        return SWAP.move in {action.move for action in self.basic_actions}

    @property
    def has_counted_shift(self) -> bool:
        return shift(0) in self.basic_actions

    def max_steps(self, words: int) -> int:
        """The most SHIFTs and SWAPs that a sentence can take; with SWAP, all words may come in reverse order.

        To reach the first word takes then n SHIFTs and n - 1 SWAPs, the next n - 1 and n - 2, ...: n² in all.
        """
        return words * words if self.has_swap else words


def _fetch_next(distance: int) -> tuple[Action, ...]:
    return (SHIFT,)


def _fetch_by_swap(distance: int) -> tuple[Action, ...]:
    return (SHIFT,) * (distance + 1) + (SWAP,) * distance


def _fetch_by_counted_swap(distance: int) -> tuple[Action, ...]:
    return (*(SHIFT,) * (distance + 1), swap(distance)) if distance else (SHIFT,)


def _fetch_by_counted_shift(distance: int) -> tuple[Action, ...]:
    return (shift(distance),)


REORDERINGS: dict[str, Reordering] = {
    reordering.name: reordering
    for reordering in [
        Reordering("", _fetch_next, (SHIFT,), can_reorder=False),
        Reordering("swap", _fetch_by_swap, (SHIFT, SWAP)),
        Reordering("swap#k", _fetch_by_counted_swap, (SHIFT, swap(1))),
        Reordering("shift#k", _fetch_by_counted_shift, (shift(0),)),
    ]
}
