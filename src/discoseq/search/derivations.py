"""What search asks of a model: many derivations at once, and how probable each next action is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discoseq.errors import SearchError
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Bools, Ints, ParserState
from discoseq.trees.tree import Tree

Floats = NDArray[np.floating[Any]]


class Derivations(Protocol):
    """Derivations of sentences, one a row, sorted by sentence.

    `ScoredDerivations` is the plain one, `model/native_decoder.py` has a compiled one, and `Ensemble` is several.
    """

    @property
    def machine(self) -> Machine: ...

    def start(self, sentences: Sequence[int]) -> Bools:
        """One derivation for each of these sentences; whether each is finished (rows,), for it may have no words."""

    def keep(self, rows: Ints) -> None:
        """Only these rows, in this order."""

    def log_probabilities(self) -> Floats:
        """Of the next action (rows, actions), minus infinity where it is not allowed; once before each `apply`."""

    def apply(self, parents: Ints, actions: Ints) -> Bools:
        """Each new row (rows,) continues the row `parents` by an action; whether each is now finished (rows,)."""


class TreeScores(Protocol):
    """A score of whole trees, which the joint score adds to the log-probabilities of the actions."""

    def of(self, sentence: int, tree: Tree) -> float:
        """That of a tree of this sentence; only labels and structure count, the words may be any."""

    def highest(self, sentence: int) -> float:
        """What no tree of this sentence exceeds."""


class Scorer(Protocol):
    """Something that scores the next action: a network, or ten lines in a test."""

    def start(self, sentences: Sequence[int]) -> None:
        """Begin a search over these of the scorer's sentences; the next step is its first."""

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints) -> Floats:
        """Scores (rows, actions), the higher the better, of allowed and other actions.

        Each row continues a row of the step before, `parents` (rows,), by its last action, `previous_actions` (rows,);
        at the first step these are the rows themselves and padding. Rows are sorted by sentence; a sentence whose
        search is over has no rows.
        """


class ScoredDerivations:
    """The machine of NumPy and a scorer: for ensembles of anything, for GPUs, and where nothing is compiled."""

    def __init__(self, machine: Machine, scorer: Scorer, lengths: Sequence[int]) -> None:
        self.machine = machine
        self.scorer = scorer
        self.lengths = lengths  # words of every sentence

    def start(self, sentences: Sequence[int]) -> Bools:
        """One derivation for each of these sentences."""
        self.scorer.start(sentences)
        self.state = self.machine.start([self.lengths[i] for i in sentences])
        self.parents: Ints = np.arange(len(sentences))  # of every row, the row that it was when it was scored
        self.actions: Ints = np.full(len(sentences), PAD_INDEX)
        return self.state.is_finished

    def keep(self, rows: Ints) -> None:
        """Only these rows, in this order."""
        self.state, self.parents, self.actions = self.state.select(rows), self.parents[rows], self.actions[rows]

    def log_probabilities(self) -> Floats:
        """Of the next action (rows, actions)."""
        is_allowed = self.machine.action_mask(self.state)
        return log_probabilities(self.scorer.step(self.state, self.parents, self.actions), is_allowed)

    def apply(self, parents: Ints, actions: Ints) -> Bools:
        """Each new row continues a row by an action."""
        self.parents, self.actions = parents, actions
        is_same = len(parents) == len(self.state) and bool((parents == np.arange(len(parents))).all())
        self.state = self.machine.apply(self.state if is_same else self.state.select(parents), actions)
        return self.state.is_finished


class Ensemble:
    """Averages the probabilities of its members, whose action vocabularies must be the same."""

    def __init__(self, members: Sequence[Derivations]) -> None:
        if not members:
            raise SearchError("an ensemble needs at least one member")
        self.members = tuple(members)

    @property
    def machine(self) -> Machine:
        return self.members[0].machine

    def start(self, sentences: Sequence[int]) -> Bools:
        """Start all members."""
        is_finished, *_ = [member.start(sentences) for member in self.members]
        return is_finished

    def keep(self, rows: Ints) -> None:
        """Only these rows."""
        for member in self.members:
            member.keep(rows)

    def log_probabilities(self) -> Floats:
        """Log of the mean probability (rows, actions)."""
        total, *others = (member.log_probabilities() for member in self.members)
        for found in others:
            if found.shape != total.shape:
                counts = f"{found.shape[1]} actions, and the first one {total.shape[1]}"
                raise SearchError(f"a member of the ensemble scores {counts}")
            total = np.logaddexp(total, found)
        mean: Floats = total - np.log(len(self.members))
        return mean

    def apply(self, parents: Ints, actions: Ints) -> Bools:
        """Continue the derivations of all members."""
        is_finished, *_ = [member.apply(parents, actions) for member in self.members]
        return is_finished


def log_probabilities(scores: Floats, is_allowed: Bools) -> Floats:
    """Log-softmax over the allowed actions (rows, actions), in the scores' precision; minus infinity elsewhere."""
    if scores.shape != is_allowed.shape:
        raise SearchError(f"{scores.shape[1]} actions are scored, and the machine has {is_allowed.shape[1]}")
    # a network with broken weights may return NaN; search must still end in a tree
    finite = scores if np.isfinite(scores).all() else np.nan_to_num(scores)
    masked = np.where(is_allowed, finite, -np.inf)
    masked -= masked.max(axis=1, keepdims=True)
    masked -= np.log(np.exp(masked).sum(axis=1, keepdims=True))
    return masked
