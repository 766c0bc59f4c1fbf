"""The machine: a linearization and an action vocabulary over many rows; which actions are allowed, what they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discoseq.errors import LinearizationError
from discoseq.linearization import transitions
from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.actions import Move
from discoseq.linearization.linearization import DEFAULT_UNARY_LIMIT, Linearization
from discoseq.linearization.preconditions import choices, in_order, may_close, may_open, may_shift
from discoseq.linearization.state import Bools, Ints, ParserState


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Whoever follows `action_mask` ends in one tree over all words, within `max_steps`.

    The trees that can be reached are exactly those whose unary chains are within the limit, as far as the vocabulary
    has their actions: each by its oracle sequence, and some also by sequences that fetch words in another order.
    """

    linearization: Linearization
    vocabulary: ActionVocabulary
    unary_limit: int = DEFAULT_UNARY_LIMIT

    def __post_init__(self) -> None:
        if self.unary_limit < 1:
            raise LinearizationError("unary chains of 1 must be allowed: a sentence may have one word")
        if not self.vocabulary.labels:
            raise LinearizationError("the action vocabulary has no labels")
        for action in self.linearization.basic_actions(self.vocabulary.labels):
            if action not in self.vocabulary:
                raise LinearizationError(
                    f"the action vocabulary has no {action}, which {self.linearization.name} needs"
                )
        for action in self.vocabulary.actions[1:]:
            if not self.linearization.uses(action):
                raise LinearizationError(f"{action} is no action of {self.linearization.name}")

    def start(self, lengths: ArrayLike) -> ParserState:
        """A row for each sentence, given its number of words (rows,); a row of no words is finished at once."""
        return ParserState.start(lengths)

    def max_steps(self, words: int) -> int:
        """The most actions that a sentence of so many words can take."""
        return self.linearization.max_steps(words, self.unary_limit)

    def action_mask(self, state: ParserState) -> Bools:
        """The allowed actions (rows, actions): at least one in every row; in a finished row PAD and nothing else."""
        mask = np.zeros((len(state), len(self.vocabulary)), dtype=np.bool_)
        mask[:, self.vocabulary.columns(Move.PAD)] = state.is_finished[:, None]
        is_running = ~state.is_finished
        rules = self.linearization.traversal.rules(state)
        for move in Move:
            columns = self.vocabulary.columns(move)
            if move is not Move.PAD and columns.start < columns.stop:
                allowed = self._may(move, state) & rules.get(move, move is Move.SWAP) & is_running
                fitting = choices(self.linearization, self.vocabulary, state, self.unary_limit, move)
                mask[:, columns] = allowed[:, None] & fitting
        if self.linearization.reordering.has_counted_shift:
            self._keep_order(mask, state)
        return mask

    def apply(self, state: ParserState, actions: Ints) -> ParserState:
        """Every row one action (rows,) further. The actions are not checked: ask `action_mask` first."""
        moves = self.vocabulary.moves[actions]
        distances = self.vocabulary.distances[actions]
        after = state.copy_with_depth(2 + int(state.open_count.max(initial=0)))
        for number in np.flatnonzero(np.bincount(moves)).tolist():
            rows = np.flatnonzero(moves == number)
            move = Move(number)
            if move is Move.SHIFT:
                transitions.shift(self.linearization, after, rows, distances[rows])
            elif move is Move.SWAP:
                transitions.swap(after, rows, distances[rows])
            elif move is Move.NON_TERMINAL:
                labels = self.vocabulary.label_indices[actions[rows]]
                transitions.open_constituent(self.linearization, after, rows, labels, self.unary_limit)
            elif move is Move.REDUCE:
                labels = self.vocabulary.label_indices[actions[rows]]
                transitions.reduce(self.linearization, after, rows, labels, distances[rows])
            elif move is Move.FINISH:
                transitions.finish(after, rows)
        return after

    def _keep_order(self, mask: Bools, state: ParserState) -> None:
        """Let words be fetched in the oracle's order alone, but for rows that have no other way on."""
        ordered = mask.copy()
        ordered[:, self.vocabulary.columns(Move.SHIFT)] &= in_order(self.vocabulary, state)
        np.copyto(mask, ordered, where=ordered.any(axis=1, keepdims=True))

    def _may(self, move: Move, state: ParserState) -> Bools:
        if self.linearization.has(Move.NON_TERMINAL):
            if move is Move.SHIFT:
                return may_shift(state, self.unary_limit)
            if move is Move.NON_TERMINAL:
                return may_open(self.linearization, state, self.unary_limit)
            if move is Move.REDUCE:
                return may_close(state, self.unary_limit)
        return np.ones(len(state), dtype=np.bool_)
