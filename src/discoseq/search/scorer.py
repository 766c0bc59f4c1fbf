"""What search asks of a model, and several models as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discoseq.errors import SearchError
from discoseq.linearizations.state import Bools, Ints, ParserState

Floats = NDArray[np.floating[Any]]


class Scorer(Protocol):
    """Something that scores the next action: a network, an ensemble, or ten lines in a test."""

    def start(self, sentences: Sequence[int]) -> None:
        """Begin a search over these of the scorer's sentences; the next step is its first."""

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints, is_allowed: Bools) -> Floats:
        """Scores (rows, actions), the higher the better; search masks and normalises them.

        Each row continues a row of the step before, `parents` (rows,), by its last action, `previous_actions` (rows,);
        at the first step these are the rows themselves and padding. Rows are sorted by sentence; a sentence whose
        search is over has no rows.
        """


class Ensemble:
    """Averages the probabilities of its members over the allowed actions; their vocabularies must be the same."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        if not scorers:
            raise SearchError("an ensemble needs at least one member")
        self.scorers = tuple(scorers)

    def start(self, sentences: Sequence[int]) -> None:
        """Start all members."""
        for scorer in self.scorers:
            scorer.start(sentences)

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints, is_allowed: Bools) -> Floats:
        """Log of the mean probability (rows, actions); minus infinity where an action is not allowed."""
        total: Floats | None = None
        for scorer in self.scorers:
            scores = scorer.step(state, parents, previous_actions, is_allowed)
            if scores.shape != is_allowed.shape:
                counts = f"{scores.shape[1]} actions, and the machine has {is_allowed.shape[1]}"
                raise SearchError(f"a member of the ensemble scores {counts}")
            member = log_probabilities(scores, is_allowed)
            total = member if total is None else np.logaddexp(total, member)
        assert total is not None
        mean: Floats = total - np.log(len(self.scorers))
        return mean


def log_probabilities(scores: Floats, is_allowed: Bools) -> Floats:
    """Log-softmax over the allowed actions (rows, actions), in the scores' precision; minus infinity elsewhere."""
    # a network with broken weights may return NaN; search must still end in a tree
    finite = scores if np.isfinite(scores).all() else np.nan_to_num(scores)
    masked = np.where(is_allowed, finite, -np.inf)
    masked -= masked.max(axis=1, keepdims=True)
    masked -= np.log(np.exp(masked).sum(axis=1, keepdims=True))
    return masked
