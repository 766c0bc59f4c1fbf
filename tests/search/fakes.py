"""Scorers for tests: random scores that are determined by the actions so far; and searches with a scorer."""

from collections.abc import Sequence

import numpy as np

from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Ints, ParserState
from discoseq.search.beam import DEFAULT_OPTIONS, BeamResult, Hypothesis, SearchOptions, beam_search
from discoseq.search.derivations import Floats, ScoredDerivations, Scorer
from discoseq.search.search import BATCH_WORDS, GreedyResult, greedy_search, search


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

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints) -> Floats:
        pairs = zip(parents.tolist(), previous_actions.tolist(), strict=True)
        self.histories = [(*self.histories[parent], action) for parent, action in pairs]
        assert len(state) == len(self.histories)
        self.rows_seen.append(len(state))
        return np.stack([self.scores(history) for history in self.histories])

    def scores(self, history: tuple[int, ...]) -> Floats:
        return self.spread * np.random.default_rng(history).standard_normal(self.actions)


def run_greedy(machine: Machine, scorer: Scorer, lengths: Sequence[int]) -> list[GreedyResult]:
    return greedy_search(ScoredDerivations(machine, scorer, lengths), range(len(lengths)), lengths)


def run_beam(machine: Machine, scorer: Scorer, lengths: Sequence[int], options: SearchOptions) -> list[BeamResult]:
    return beam_search(ScoredDerivations(machine, scorer, lengths), range(len(lengths)), lengths, options)


def run_search(
    machine: Machine,
    scorer: Scorer,
    lengths: Sequence[int],
    options: SearchOptions = DEFAULT_OPTIONS,
    batch_words: int = BATCH_WORDS,
) -> list[list[Hypothesis]]:
    return search(ScoredDerivations(machine, scorer, lengths), lengths, options, batch_words)
