"""The transitions: what each move does to a state, in place, in those rows that make the move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discoseq.linearizations.actions import Move
from discoseq.linearizations.preconditions import open_chain_with
from discoseq.linearizations.state import BUFFER, INSIDE, STACK, Ints, ParserState

if TYPE_CHECKING:  # the machine calls this module
    from discoseq.linearizations.machine import Machine


def shift(machine: Machine, state: ParserState, rows: Ints, actions: Ints) -> None:
    """SHIFT#k: move the word that has k words before it in the buffer to the stack."""
    if machine.linearization.reordering.has_swap:
        word = state.stack[rows, state.stack.shape[1] - state.buffer_size[rows]]
    else:
        distance = machine.vocabulary.distances[actions]
        in_buffer = state.word_status[rows] == BUFFER
        if distance.any():
            in_buffer = np.cumsum(in_buffer, axis=1) > distance[:, None]
        word = in_buffer.argmax(axis=1)
    position = state.stack_size[rows]
    state.word_status[rows, word] = STACK
    state.stack[rows, position] = word
    state.last_words[rows, position] = word
    state.stack_labels[rows, position] = 0
    state.stack_chains[rows, position] = 0
    state.stack_size[rows] = position + 1
    state.buffer_size[rows] -= 1
    if machine.linearization.reordering.has_swap:
        state.swappable[rows] = np.where(state.has_just_swapped[rows], 0, state.swappable[rows]) + 1
        state.has_just_swapped[rows] = False


def swap(machine: Machine, state: ParserState, rows: Ints, actions: Ints) -> None:
    """SWAP#k: send the k words below the top of the stack back to the buffer."""
    distance = machine.vocabulary.distances[actions]
    top = state.stack_size[rows] - 1
    _set_status(state, rows, top - distance, top, BUFFER)
    returned = [state.stack[rows, top - k] for k in range(1, 1 + distance.max())]
    state.stack[rows, top - distance] = state.stack[rows, top]
    for k, words in enumerate(returned, 1):
        has_word = k <= distance
        front = state.stack.shape[1] - state.buffer_size[rows] - k
        state.stack[rows[has_word], front[has_word]] = words[has_word]
    state.last_words[rows, top - distance] = state.last_words[rows, top]
    state.stack_size[rows] -= distance
    state.buffer_size[rows] += distance
    state.swappable[rows] -= distance
    state.has_just_swapped[rows] = not machine.is_weak


def open_constituent(machine: Machine, state: ParserState, rows: Ints, actions: Ints) -> None:
    """NON-TERMINAL-X: open a constituent and record where its children begin; no word moves."""
    child_start = state.stack_size - machine.linearization.traversal.children_before_label
    open_chain, outer_required = open_chain_with(state, child_start, machine.unary_limit)
    depth = state.open_count[rows] + 1
    state.child_starts[rows, depth] = child_start[rows]
    state.open_labels[rows, depth] = machine.vocabulary.label_indices[actions]
    state.open_chains[rows, depth] = open_chain[rows]
    state.outer_required[rows, depth] = outer_required[rows]
    state.open_count[rows] = depth
    _fix_words(state, rows)


def reduce(machine: Machine, state: ParserState, rows: Ints, actions: Ints) -> None:
    """REDUCE: replace the children of the innermost open constituent, or the k top elements, by one element.

    Its first word represents it; the other words leave the stack mask.
    """
    end = state.stack_size[rows]
    if machine.linearization.has(Move.NON_TERMINAL):
        depth = state.open_count[rows]
        first, labels = state.child_starts[rows, depth], state.open_labels[rows, depth]
        state.open_count[rows] -= 1
    else:
        first, labels = end - machine.vocabulary.distances[actions], machine.vocabulary.label_indices[actions]
    _set_status(state, rows, first + 1, end, INSIDE)
    state.last_words[rows, first] = _last_word(state, rows, first, end)
    state.stack_labels[rows, first] = labels + 1
    state.stack_chains[rows, first] = np.where(end - first == 1, state.stack_chains[rows, first] + 1, 0)
    state.stack_size[rows] = first + 1
    state.built_count[rows] += 1
    _fix_words(state, rows)
    if not machine.linearization.has(Move.FINISH):
        state.is_finished[rows] = state.open_count[rows] == 0


def finish(machine: Machine, state: ParserState, rows: Ints, actions: Ints) -> None:
    """FINISH: end the derivation."""
    state.is_finished[rows] = True


# by the number of the move; the arguments are a machine, a state, the rows that make the move, and their actions
TRANSITIONS: dict[int, Callable[[Machine, ParserState, Ints, Ints], None]] = {
    Move.SHIFT: shift,
    Move.SWAP: swap,
    Move.NON_TERMINAL: open_constituent,
    Move.REDUCE: reduce,
    Move.FINISH: finish,
}


def _fix_words(state: ParserState, rows: Ints) -> None:
    """The words on the stack can no longer be swapped."""
    state.swappable[rows] = 0
    state.has_just_swapped[rows] = False


def _set_status(state: ParserState, rows: Ints, start: Ints, end: Ints, status: int) -> None:
    """Set the status of the first words of the elements from start to end (rows,) on the stack."""
    positions = np.arange(end.max())
    which, position = np.nonzero((positions >= start[:, None]) & (positions < end[:, None]))
    row = rows[which]
    state.word_status[row, state.stack[row, position]] = status


def _last_word(state: ParserState, rows: Ints, start: Ints, end: Ints) -> Ints:
    """The last word (rows,) of the elements from start to end (rows,) on the stack."""
    positions = np.arange(end.max())
    is_inside = (positions >= start[:, None]) & (positions < end[:, None])
    last: Ints = np.where(is_inside, state.last_words[rows, : len(positions)], 0).max(axis=1)
    return last
