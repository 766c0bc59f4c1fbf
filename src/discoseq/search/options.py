"""How to search: how widely, for how many hypotheses, and by which score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from discoseq.errors import SearchError

Score = Literal["sum", "mean"]
LONG = 100  # words; in so many there is so much doubt that to know the greedy sequence rules little out
DEFAULT_PRUNE = 5.0  # of the log-probability; docs/search.md says what it costs and saves


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A hypothesis that is less probable than its sentence's best by more than `prune` is given up; None keeps all."""

    beam_size: int = 1
    nbest: int = 1  # hypotheses kept of every sentence, each another tree
    score: Score = "sum"  # of the log-probabilities of all actions, or their mean
    prune: float | None = DEFAULT_PRUNE
    greedy_first: bool = True  # a greedy search tells the beam what it has to beat; the result is the same or better

    def __post_init__(self) -> None:
        if self.beam_size < 1:
            raise SearchError(f"a beam of {self.beam_size} holds nothing; the least is 1")
        if not 1 <= self.nbest <= self.beam_size:
            raise SearchError(f"a beam of {self.beam_size} gives 1 to {self.beam_size} hypotheses, not {self.nbest}")
        if self.score not in get_args(Score):
            raise SearchError(f"there is no score {self.score!r}; the scores are {' and '.join(get_args(Score))}")
        if self.prune is not None and not (self.prune > 0 and math.isfinite(self.prune)):
            raise SearchError(f"the pruning threshold is {self.prune}, and it must be above 0, or None for no pruning")

    @property
    def is_bounded(self) -> bool:
        """Whether a hypothesis that is known rules out those that are no better (see bounded.py)."""
        return self.greedy_first and self.score == "sum" and self.nbest == 1

    @property
    def first_rows(self) -> int:
        """Hypotheses that a sentence may have in the first search, which is a greedy one where another follows."""
        return 1 if self.is_bounded else self.beam_size

    @property
    def usual_rows(self) -> int:
        """Those that it has at a step of a bounded search, or less: few of the beam are ever there."""
        return 1 + self.beam_size // 4

    def by_length(self, lengths: Sequence[int]) -> list[tuple[SearchOptions, list[int]]]:
        """Options for the sentences with so many words, each with the numbers of those they suit."""
        plain = replace(self, greedy_first=self.beam_size == 1)
        short, long = ([i for i, n in enumerate(lengths) if (n > LONG) == is_long] for is_long in (False, True))
        return [(options, numbers) for options, numbers in ((self, short), (plain, long)) if numbers]

    def within(self, words: int, budget: int) -> SearchOptions:
        """The same with a beam that, times so many words, is within a budget, as far as that can be."""
        beam_size = max(1, min(self.beam_size, budget // max(1, words)))
        return replace(self, beam_size=beam_size, nbest=min(self.nbest, beam_size))


DEFAULT_OPTIONS = SearchOptions()
