"""The preconditions of the transitions that hold whatever the traversal: every derivation can still be completed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discoseq.linearizations.actions import Move
from discoseq.linearizations.state import Bools, Ints, ParserState

if TYPE_CHECKING:  # the machine calls this module
    from discoseq.linearizations.machine import Machine


def may_shift(machine: Machine, state: ParserState) -> Bools:
    """SHIFT#k: the buffer has k + 1 words, and the words left suffice for the open constituents.

    SWAP can still return the swappable words to the buffer, unless the last action was a SWAP: a SHIFT after it makes
    the words below the new one stay on the stack.
    """
    is_in_buffer = _distances(machine, Move.SHIFT) < state.buffer_size[:, None]
    if not machine.linearization.has(Move.NON_TERMINAL):
        return np.asarray(is_in_buffer)
    returnable = np.where(state.has_just_swapped, 0, state.swappable)
    children = state.child_count - returnable + 1
    suffices = required_words(state, children, 0, machine.unary_limit) < state.buffer_size + returnable
    return np.asarray(suffices[:, None] & is_in_buffer)


def may_swap(machine: Machine, state: ParserState) -> Bools:
    """SWAP#k: the k + 1 top elements are swappable words.

    Swappable are the words shifted since the last NON-TERMINAL or REDUCE; a SHIFT after a SWAP starts the count anew.
    They are in sentence order and precede all words of the buffer. So SWAP keeps the buffer in sentence order, and no
    pair of words is swapped twice. Under weak constraints the count goes on, and neither is the case.
    """
    return np.asarray(_distances(machine, Move.SWAP) < state.swappable[:, None])


def may_open(machine: Machine, state: ParserState) -> Bools:
    """NON-TERMINAL-X: the words of the buffer suffice for the new constituent and all other open ones."""
    before_label = machine.linearization.traversal.children_before_label
    open_chain, outer_required = open_chain_with(state, state.stack_size - before_label, machine.unary_limit)
    chain = _top_chain(state) if before_label else 0
    has_no_child = before_label == 0
    required = outer_required + (open_chain + chain) // (machine.unary_limit + 1) + has_no_child
    return np.asarray(required <= state.buffer_size)[:, None]


def may_reduce(machine: Machine, state: ParserState) -> Bools:
    """REDUCE, REDUCE-X or REDUCE#k-X, whichever the linearization has."""
    columns = machine.vocabulary.columns(Move.REDUCE)
    if not machine.linearization.has(Move.NON_TERMINAL):
        return _may_build(state, machine.vocabulary.distances[columns], machine.unary_limit)
    may_close = _may_close(state, machine.unary_limit)[:, None]
    if not machine.linearization.is_enriched:
        return may_close
    has_label = machine.vocabulary.label_indices[columns] == state.innermost(state.open_labels)[:, None]
    return np.asarray(may_close & has_label)


def may_finish(machine: Machine, state: ParserState) -> Bools:
    """FINISH: the rule of the traversal is enough."""
    return np.ones((1, 1), dtype=np.bool_)


# the allowed actions (rows, actions of the move) of each move; an axis of length 1 is broadcast
PRECONDITIONS: dict[Move, Callable[[Machine, ParserState], Bools]] = {
    Move.SHIFT: may_shift,
    Move.SWAP: may_swap,
    Move.NON_TERMINAL: may_open,
    Move.REDUCE: may_reduce,
    Move.FINISH: may_finish,
}


def may_shift_weakly(machine: Machine, state: ParserState) -> Bools:
    """SHIFT#k: the buffer has k + 1 words."""
    return np.asarray(_distances(machine, Move.SHIFT) < state.buffer_size[:, None])


def may_open_weakly(machine: Machine, state: ParserState) -> Bools:
    """NON-TERMINAL-X: there are words in the buffer, or fewer than 3 unary constituents at the top of the stack."""
    return np.asarray((state.buffer_size > 0) | (_top_chain(state) < _WEAK_CHAIN))[:, None]


def may_reduce_weakly(machine: Machine, state: ParserState) -> Bools:
    """REDUCE or REDUCE-X: at most 3 unary constituents are at the top of the stack, or the buffer is empty."""
    may_close = ((_top_chain(state) <= _WEAK_CHAIN) | (state.buffer_size == 0))[:, None]
    if not machine.linearization.is_enriched:
        return np.asarray(may_close)
    labels = machine.vocabulary.label_indices[machine.vocabulary.columns(Move.REDUCE)]
    return np.asarray(may_close & (labels == state.innermost(state.open_labels)[:, None]))


_WEAK_CHAIN = 3
# for in-order, what the state machine of the authors' code allows; derivations may go on for ever
WEAK_PRECONDITIONS: dict[Move, Callable[[Machine, ParserState], Bools]] = {
    Move.SHIFT: may_shift_weakly,
    Move.SWAP: may_swap,
    Move.NON_TERMINAL: may_open_weakly,
    Move.REDUCE: may_reduce_weakly,
    Move.FINISH: may_finish,
}


def keeps_oracle_order(machine: Machine, state: ParserState) -> Bools:
    """Which of the SHIFT#k (rows, SHIFTs) take a word as an oracle would: one that follows the first word of the top.

    An oracle takes children in the order of their first words. So the next word belongs to a later child than the top
    element, or is the first of the sentence.
    """
    distances = _distances(machine, Move.SHIFT)
    is_before_top = np.arange(state.word_status.shape[1]) < state.stack_word(1)[:, None]
    skipped = (state.buffer_mask() & is_before_top).sum(axis=1)
    return np.asarray(np.where((state.stack_size == 0)[:, None], distances == 0, distances >= skipped[:, None]))


def required_words(state: ParserState, children: Ints, chain: Ints | int, limit: int) -> Ints:
    """The smallest number of further words (rows,) with which all open constituents can be closed.

    Consecutive open constituents of which each is so far the only child of the one outside it are an open chain. If
    none of them gets a further child, they become a unary chain, together with the unary constituents at the top of
    the innermost child. A unary chain may not be longer than the limit, so one in every limit + 1 of these
    constituents must get a further child, and that takes a further word. An open chain of r constituents over a child
    with h unary constituents at its top therefore requires (r + h) // (limit + 1) words. The innermost constituent
    leaves the chain as soon as it has two children; the r - 1 others then have a child that branches.

    The innermost open constituent is taken to have this number of children, at least one; if there is only one, `chain`
    is the number of unary constituents at its top.
    """
    open_chain = state.innermost(state.open_chains)
    length = np.where(children == 1, open_chain + chain, open_chain - 1)
    required: Ints = state.innermost(state.outer_required) + length // (limit + 1)
    return required


def open_chain_with(state: ParserState, child_start: Ints, limit: int) -> tuple[Ints, Ints]:
    """The entries `open_chains` and `outer_required` (rows,) of a constituent opened now, with children from there on.

    As the first child of the innermost open constituent, it extends the open chain. Otherwise it begins a new one,
    and the constituent outside it has two children.
    """
    open_chain = state.innermost(state.open_chains)
    is_first_child = child_start == state.innermost(state.child_starts)
    outer = state.innermost(state.outer_required)
    required = np.maximum(open_chain - 1, 0) // (limit + 1)  # the chain has length 0 where no constituent is open
    return np.where(is_first_child, open_chain + 1, 1), np.where(is_first_child, outer, outer + required)


def _may_close(state: ParserState, limit: int) -> Bools:
    """REDUCE (rows,): the innermost open constituent has a child, its unary chain is within the limit, and the words of
    the buffer suffice for the others, since the swappable words can no longer return to it."""
    children = state.child_count
    last = state.stack_chains.shape[1] - 1
    chain = state.stack_chains[np.arange(len(state)), np.minimum(state.innermost(state.child_starts), last)]
    is_within_limit = (children > 1) | (chain < limit)
    has_child = (state.open_count > 0) & (children > 0)
    suffices = required_words(state, children, chain, limit) <= state.buffer_size
    return np.asarray(has_child & is_within_limit & suffices)


def _may_build(state: ParserState, counts: Ints, limit: int) -> Bools:
    """REDUCE#k-X (rows, counts): the stack has k elements, and a unary chain stays within the limit."""
    is_within_limit = (counts > 1) | (_top_chain(state) < limit)[:, None]
    return np.asarray((counts <= state.stack_size[:, None]) & is_within_limit)


def _distances(machine: Machine, move: Move) -> Ints:
    return machine.vocabulary.distances[machine.vocabulary.columns(move)]


def _top_chain(state: ParserState) -> Ints:
    chain: Ints = state.stack_chains[np.arange(len(state)), np.maximum(state.stack_size - 1, 0)]
    return chain
