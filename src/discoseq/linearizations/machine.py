"""The machine: which actions are allowed and what they lead to, for many derivations at once, one derivation a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discoseq.errors import LinearizationError
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Move
from discoseq.linearizations.builder import Repaired
from discoseq.linearizations.linearization import DEFAULT_UNARY_LIMIT, Linearization, longest_unary_chain
from discoseq.linearizations.preconditions import PRECONDITIONS, WEAK_PRECONDITIONS, keeps_oracle_order
from discoseq.linearizations.state import Bools, Ints, ParserState
from discoseq.linearizations.transitions import TRANSITIONS
from discoseq.trees.tree import Token, Tree

EXACT, WEAK = "exact", "weak"
CONSTRAINTS = (EXACT, WEAK)
_WEAK_STEPS = 25  # for every word


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A linearization, an action vocabulary, and the length that unary chains may have.

    A derivation that follows `action_mask` ends in one tree over all words within `max_steps` actions. It can reach
    exactly the trees whose unary chains are within the limit and whose actions are in the vocabulary: each by its
    oracle sequence, and some also by sequences that shift the words in another order.

    With weak constraints, `action_mask` allows what the state machine of the authors' code allows: words may be swapped
    again, and SHIFT#k takes any word; with in-order, constituents are opened and closed whether or not the words
    suffice. A derivation may go on for ever, so `max_steps` is the authors' limit, and what reaches it is no tree.
    """

    linearization: Linearization
    vocabulary: ActionVocabulary
    unary_limit: int = DEFAULT_UNARY_LIMIT
    constraints: str = EXACT  # or WEAK

    def __post_init__(self) -> None:
        if self.unary_limit < 1:
            raise LinearizationError("unary_limit must be at least 1, because a sentence may have one word")
        if self.constraints not in CONSTRAINTS:
            raise LinearizationError(f"constraints must be {' or '.join(CONSTRAINTS)}, not {self.constraints!r}")
        if self.linearization.reordering.is_eager and not self.is_weak:
            raise LinearizationError(f"{self.linearization.name} needs weak constraints")
        if not self.vocabulary.labels:
            raise LinearizationError("the action vocabulary has no labels")
        for action in self.linearization.basic_actions(self.vocabulary.labels):
            if action not in self.vocabulary:
                raise LinearizationError(
                    f"the action vocabulary has no {action}, which {self.linearization.name} needs"
                )
        for action in self.vocabulary.actions[1:]:
            if not self.linearization.uses(action):
                raise LinearizationError(f"{action} is not an action of {self.linearization.name}")

    @property
    def is_weak(self) -> bool:
        return self.constraints == WEAK

    def start(self, lengths: ArrayLike) -> ParserState:
        """A row for each sentence, from its number of words (rows,); a row without words is finished at once."""
        return ParserState.start(lengths)

    def oracle(self, tree: Tree) -> list[int]:
        """The numbers of the oracle's actions; a LinearizationError says why the machine can't reach the tree."""
        numbers = self.vocabulary.encode(self.linearization.linearize(tree))
        longest = longest_unary_chain(tree.root)
        if longest > self.unary_limit:
            raise LinearizationError(f"the tree has a unary chain of {longest}, and the limit is {self.unary_limit}")
        return numbers

    def max_steps(self, words: int) -> int:
        """The largest number of actions that a sentence of so many words can take."""
        if self.is_weak:
            return _WEAK_STEPS * words
        return self.linearization.max_steps(words, self.unary_limit)

    def action_mask(self, state: ParserState) -> Bools:
        """The allowed actions (rows, actions): at least one in every row; in a finished row PAD and nothing else."""
        mask = np.zeros((len(state), len(self.vocabulary)), dtype=np.bool_)
        mask[:, self.vocabulary.columns(Move.PAD)] = state.is_finished[:, None]
        is_running = ~state.is_finished
        rules = self.linearization.traversal.rules(state)
        is_loose = self.is_weak and self.linearization.traversal.children_before_label > 0
        for move, precondition in (WEAK_PRECONDITIONS if is_loose else PRECONDITIONS).items():
            columns = self.vocabulary.columns(move)
            if columns.start < columns.stop:
                is_allowed = rules.get(move, move is Move.SWAP) & is_running
                np.logical_and(is_allowed[:, None], precondition(self, state), out=mask[:, columns])
        if self.linearization.reordering.has_counted_shift and not self.is_weak:
            self._keep_oracle_order(mask, state)
        return mask

    def apply(self, state: ParserState, actions: Ints) -> ParserState:
        """The state after one action (rows,) in every row. The actions are not checked: use `action_mask` first."""
        moves = self.vocabulary.moves[actions]
        after = state.copy_with_depth(2 + int(state.open_count.max(initial=0)))
        for move in np.flatnonzero(np.bincount(moves)).tolist():
            if move != Move.PAD:
                rows = np.flatnonzero(moves == move)
                TRANSITIONS[move](self, after, rows, actions[rows])
        return after

    def build(self, tokens: Sequence[Token], actions: Iterable[int]) -> Repaired:
        """The tree of a derivation that followed the mask; only one under weak constraints may need repairs."""
        decoded = self.vocabulary.decode(actions)
        if self.is_weak:
            return self.linearization.repair(tokens, decoded)
        return Repaired(self.linearization.build(tokens, decoded), ())

    def _keep_oracle_order(self, mask: Bools, state: ParserState) -> None:
        """Forbid the SHIFTs that no oracle would choose, except in rows that have no other action."""
        ordered = mask.copy()
        ordered[:, self.vocabulary.columns(Move.SHIFT)] &= keeps_oracle_order(self, state)
        np.copyto(mask, ordered, where=ordered.any(axis=1, keepdims=True))


def states_before(machine: Machine, lengths: ArrayLike, actions: Ints) -> Iterator[ParserState]:
    """Replay padded sequences (rows, steps): the states before each of their columns, one after the other."""
    state = machine.start(lengths)
    for column in actions.T:
        yield state
        state = machine.apply(state, column)
