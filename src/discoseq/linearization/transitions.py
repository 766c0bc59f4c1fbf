"""What each move does to the rows that make it; the arrays of the given state are changed in place."""

import numpy as np

from discoseq.linearization.actions import Move
from discoseq.linearization.linearization import Linearization
from discoseq.linearization.preconditions import debt_of_opening
from discoseq.linearization.state import BUFFER, INSIDE, STACK, Ints, ParserState


def shift(linearization: Linearization, state: ParserState, rows: Ints, distance: Ints) -> None:
    """Move the word with that many words before it from the buffer to the stack."""
    in_buffer = state.place[rows] == BUFFER
    if distance.any():
        in_buffer = np.cumsum(in_buffer, axis=1) > distance[:, None]
    word = in_buffer.argmax(axis=1)
    position = state.stack_size[rows]
    state.place[rows, word] = STACK
    state.stack[rows, position] = word
    state.last[rows, position] = word
    state.category[rows, position] = 0
    state.chain[rows, position] = 0
    state.stack_size[rows] = position + 1
    state.buffer_size[rows] -= 1
    if linearization.reordering.has_swap:
        state.loose[rows] = np.where(state.is_swapping[rows], 0, state.loose[rows]) + 1
        state.is_swapping[rows] = False


def swap(state: ParserState, rows: Ints, distance: Ints) -> None:
    """Send that many words from below the top of the stack back to the buffer."""
    top = state.stack_size[rows] - 1
    _put_words(state, rows, top - distance, top, BUFFER)
    state.stack[rows, top - distance] = state.stack[rows, top]
    state.last[rows, top - distance] = state.last[rows, top]
    state.stack_size[rows] -= distance
    state.buffer_size[rows] += distance
    state.loose[rows] -= distance
    state.is_swapping[rows] = True


def open_constituent(linearization: Linearization, state: ParserState, rows: Ints, labels: Ints, limit: int) -> None:
    """NON-TERMINAL: note where the children begin; no word moves."""
    base = state.stack_size - linearization.traversal.children_before_label
    run, debt = debt_of_opening(state, base, limit)
    depth = state.open_count[rows] + 1
    state.base[rows, depth] = base[rows]
    state.label[rows, depth] = labels
    state.run[rows, depth] = run[rows]
    state.debt[rows, depth] = debt[rows]
    state.open_count[rows] = depth
    _settle(state, rows)


def reduce(linearization: Linearization, state: ParserState, rows: Ints, labels: Ints, count: Ints) -> None:
    """Make one element of the children of the innermost open constituent, or of the count of top elements.

    The labels count only for the latter. It is represented by its first word; all others leave the stack's mask.
    """
    end = state.stack_size[rows]
    if linearization.has(Move.NON_TERMINAL):
        depth = state.open_count[rows]
        first, labels = state.base[rows, depth], state.label[rows, depth]
        state.open_count[rows] -= 1
    else:
        first = end - count
    _put_words(state, rows, first + 1, end, INSIDE)
    state.last[rows, first] = _last_word(state, rows, first, end)
    state.category[rows, first] = labels + 1
    state.chain[rows, first] = np.where(end - first == 1, state.chain[rows, first] + 1, 0)
    state.stack_size[rows] = first + 1
    state.built_count[rows] += 1
    _settle(state, rows)
    if not linearization.has(Move.FINISH):
        state.is_finished[rows] = state.open_count[rows] == 0


def finish(state: ParserState, rows: Ints) -> None:
    """FINISH: nothing may follow."""
    state.is_finished[rows] = True


def _settle(state: ParserState, rows: Ints) -> None:
    """From now on, the words on the stack are there to stay."""
    state.loose[rows] = 0
    state.is_swapping[rows] = False


def _put_words(state: ParserState, rows: Ints, start: Ints, end: Ints, place: int) -> None:
    """Say where the words are now that stand on the stack from start to end (rows,)."""
    positions = np.arange(end.max())
    which, position = np.nonzero((positions >= start[:, None]) & (positions < end[:, None]))
    row = rows[which]
    state.place[row, state.stack[row, position]] = place


def _last_word(state: ParserState, rows: Ints, start: Ints, end: Ints) -> Ints:
    """The last word (rows,) of all the elements that stand on the stack from start to end (rows,)."""
    positions = np.arange(end.max())
    is_meant = (positions >= start[:, None]) & (positions < end[:, None])
    last: Ints = np.where(is_meant, state.last[rows, : len(positions)], 0).max(axis=1)
    return last
