"""Scorers for tests: random scores that are determined by the actions so far."""

from collections.abc import Sequence

import numpy as np

from discoseq.linearizations.state import Bools, Ints, ParserState
from discoseq.search.scorer import Floats


class FakeScorer:
    """Every history has its own scores, so a wrong history does not go unnoticed."""

    def __init__(self, seeds: list[int], actions: int, spread: float = 2.0) -> None:
        self.actions = actions
        self.spread = spread
        self.seeds = seeds
        self.rows_seen: list[int] = []
        self.start(range(len(seeds)))

    def start(self, sentences: Sequence[int]) -> None:
        self.histories: list[tuple[int, ...]] = [(self.seeds[i],) for i in sentences]

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints, is_allowed: Bools) -> Floats:
        pairs = zip(parents.tolist(), previous_actions.tolist(), strict=True)
        self.histories = [(*self.histories[parent], action) for parent, action in pairs]
        assert len(state) == len(self.histories)
        self.rows_seen.append(len(state))
        return np.stack([self.scores(history) for history in self.histories])

    def scores(self, history: tuple[int, ...]) -> Floats:
        return self.spread * np.random.default_rng(history).standard_normal(self.actions)
