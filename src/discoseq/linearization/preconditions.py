"""When the machine allows a move, whatever the traversal: only if the row can still be completed."""

import numpy as np

from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.actions import Move
from discoseq.linearization.linearization import Linearization
from discoseq.linearization.state import Bools, Ints, ParserState


def debt_with(state: ParserState, children: Ints, chain: Ints | int, limit: int) -> Ints:
    """The debt (rows,) if the innermost open constituent had so many children, at least one.

    A single child is `chain` unary constituents high.
    """
    run = state.innermost(state.run)
    in_chain = np.where(children == 1, run + chain, run - 1)
    debt: Ints = state.innermost(state.debt) + in_chain // (limit + 1)
    return debt


def debt_of_opening(state: ParserState, base: Ints, limit: int) -> tuple[Ints, Ints]:
    """The entries `run` and `debt` (rows,) of a constituent that is opened now and whose children begin at base."""
    run = state.innermost(state.run)
    is_first_child = base == state.innermost(state.base)
    outer = state.innermost(state.debt)
    closed_run = np.maximum(run - 1, 0) // (limit + 1)  # where nothing is open there is no run to close
    return np.where(is_first_child, run + 1, 1), np.where(is_first_child, outer, outer + closed_run)


def may_shift(state: ParserState, limit: int) -> Bools:
    """Where (rows,) the open constituents get along with one word less.

    Loose words can all be swapped back but the one on top, which leaves the most ways open: one child more, and all
    others in the buffer again. After a SWAP, the words below the top are there to stay.
    """
    returning = np.where(state.is_swapping, 0, state.loose)
    children = state.child_count - returning + 1
    return np.asarray(debt_with(state, children, 0, limit) < state.buffer_size + returning)


def may_open(linearization: Linearization, state: ParserState, limit: int) -> Bools:
    """Where (rows,) a constituent may be opened: the words left suffice to fill it and all others."""
    before = linearization.traversal.children_before_label
    run, debt = debt_of_opening(state, state.stack_size - before, limit)
    chain = _top_chain(state) if before else 0
    owed = debt + (run + chain) // (limit + 1) + (before == 0)
    return np.asarray(owed <= state.buffer_size)


def may_close(state: ParserState, limit: int) -> Bools:
    """Where (rows,) the innermost open constituent may be closed: it has a child, and its chain is not too long.

    Loose words are there to stay when it is, so what was owed on the promise of their return must be paid.
    """
    children = state.child_count
    last = state.chain.shape[1] - 1
    chain = state.chain[np.arange(len(state)), np.minimum(state.innermost(state.base), last)]
    is_short = (children > 1) | (chain < limit)
    is_filled = (state.open_count > 0) & (children > 0)
    return np.asarray(is_filled & is_short & (debt_with(state, children, chain, limit) <= state.buffer_size))


def choices(
    linearization: Linearization, vocabulary: ActionVocabulary, state: ParserState, limit: int, move: Move
) -> Bools:
    """Of the actions of one move, those (rows, actions of the move) whose count and label fit the row."""
    columns = vocabulary.columns(move)
    distance = vocabulary.distances[columns]
    if move is Move.SHIFT:
        return _up_to(distance + 1, state.buffer_size)
    if move is Move.SWAP:
        # Loose words were shifted since the last other move, and nothing was swapped in between. So they precede
        # each other and all words of the buffer: it stays in sentence order, and no pair is ever swapped twice.
        return _up_to(distance + 1, state.loose)
    if move is Move.REDUCE and not linearization.has(Move.NON_TERMINAL):
        is_short = (distance > 1) | (_top_chain(state) < limit)[:, None]
        return _up_to(distance, state.stack_size) & is_short
    if move is Move.REDUCE and linearization.is_enriched:
        return np.asarray(vocabulary.label_indices[columns] == state.innermost(state.label)[:, None])
    return np.ones((1, 1), dtype=np.bool_)


def in_order(vocabulary: ActionVocabulary, state: ParserState) -> Bools:
    """Of the SHIFTs, those (rows, SHIFTs) that fetch a word as an oracle would: one after the first of the stack's top.

    Children come in the order of their first words, so whatever is fetched next is in a later child than the top, or
    begins the sentence.
    """
    distance = vocabulary.distances[vocabulary.columns(Move.SHIFT)]
    behind = (state.buffer_mask() & (np.arange(state.place.shape[1]) < state.stack_word(1)[:, None])).sum(axis=1)
    return np.asarray(np.where((state.stack_size == 0)[:, None], distance == 0, distance >= behind[:, None]))


def _up_to(numbers: Ints, limits: Ints) -> Bools:
    return np.asarray(numbers <= limits[:, None])


def _top_chain(state: ParserState) -> Ints:
    chain: Ints = state.chain[np.arange(len(state)), np.maximum(state.stack_size - 1, 0)]
    return chain
