"""Several scorers as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discoseq.errors import SearchError
from discoseq.linearization.state import Bools, Ints, ParserState
from discoseq.search.probabilities import log_probabilities
from discoseq.search.scorer import Floats, RepeatableScorer


class Ensemble:
    """Averages the probabilities that its members give to the allowed actions; their vocabularies must be the same."""

    def __init__(self, scorers: Sequence[RepeatableScorer]) -> None:
        if not scorers:
            raise SearchError("an ensemble needs at least one member")
        self.scorers = tuple(scorers)

    def restart(self, beam_size: int, sentences: Sequence[int]) -> None:
        """The same for all members."""
        for scorer in self.scorers:
            scorer.restart(beam_size, sentences)

    def step(self, state: ParserState, parents: Ints, last_actions: Ints, is_allowed: Bools) -> Floats:
        """Log of the mean probability (rows, actions); minus infinity where an action is not allowed."""
        opinions = [
            self._opinion(scorer.step(state, parents, last_actions, is_allowed), is_allowed) for scorer in self.scorers
        ]
        total = opinions[0]
        for opinion in opinions[1:]:
            total = np.logaddexp(total, opinion)
        mean: Floats = total - np.log(len(opinions))
        return mean

    @staticmethod
    def _opinion(scores: Floats, is_allowed: Bools) -> Floats:
        if scores.shape != is_allowed.shape:
            raise SearchError(
                f"a member of the ensemble scores {scores.shape[1]} actions, and the machine has {is_allowed.shape[1]}"
            )
        return log_probabilities(scores, is_allowed)
