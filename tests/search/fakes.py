"""Scorers for tests: opinions that are random, but fixed by what has been done so far."""

from collections.abc import Sequence

import numpy as np

from discoseq.linearization.state import Bools, Ints, ParserState
from discoseq.search.scorer import Floats


class FakeScorer:
    """Every history has its own opinion; so a wrong history is as good as never found out by luck."""

    def __init__(self, seeds: list[int], actions: int, spread: float = 2.0) -> None:
        self.actions = actions
        self.spread = spread
        self.seeds = seeds
        self.rows_seen: list[int] = []
        self.restart(1, range(len(seeds)))

    def restart(self, beam_size: int, sentences: Sequence[int]) -> None:
        self.histories: list[tuple[int, ...]] = [(self.seeds[i],) for i in sentences]

    def step(self, state: ParserState, parents: Ints, last_actions: Ints, is_allowed: Bools) -> Floats:
        pairs = zip(parents.tolist(), last_actions.tolist(), strict=True)
        self.histories = [(*self.histories[parent], action) for parent, action in pairs]
        assert len(state) == len(self.histories)
        self.rows_seen.append(len(state))
        return np.stack([self.opinion(history) for history in self.histories])

    def opinion(self, history: tuple[int, ...]) -> Floats:
        return self.spread * np.random.default_rng(history).standard_normal(self.actions)
