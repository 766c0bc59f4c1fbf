"""The complete hypotheses of every sentence: the best few, each another tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Bools, Ints
from discoseq.search.history import History, Place
from discoseq.search.hypothesis import Hypothesis
from discoseq.search.options import SearchOptions
from discoseq.search.scorer import Floats
from discoseq.trees.tree import Constituent, Token


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """A complete hypothesis; its actions are read off later, if it is still wanted."""

    score: float
    log_probability: float
    place: Place
    tree: Constituent | None  # None where only one is kept, which can't be there twice


class Finished:
    """Of several sequences that build one tree, the best stays; their probabilities are not added up."""

    def __init__(
        self,
        machine: Machine,
        lengths: Sequence[int],
        options: SearchOptions,
        history: History,
        known: Sequence[Hypothesis] | None = None,
    ) -> None:
        self._machine = machine
        self._lengths = lengths
        self._options = options
        self._history = history
        self._known = known  # for every sentence one to begin with
        self._ends: list[list[_End]] = [[] for _ in lengths]  # a sentence: best first
        self._to_beat = np.full(len(lengths), -np.inf)  # (sentences,) the last kept score where no more are kept
        if known is not None and options.nbest == 1:
            self._to_beat = np.array([hypothesis.score for hypothesis in known])
        # (sentences,) what a log-probability may come to be divided by, if all actions that may follow were certain
        self._divisors = np.ones(len(lengths))
        if options.score == "mean":
            self._divisors = np.array([max(1, machine.max_steps(length)) for length in lengths], dtype=np.float64)

    def add(self, sentence: int, log_probability: float, place: Place) -> None:
        """A hypothesis of a sentence that is complete at a place of the history."""
        is_mean = self._options.score == "mean"
        score = log_probability / (place.step + 1) if is_mean else log_probability
        if score <= self._to_beat[sentence]:
            return
        tree = None if self._options.nbest == 1 else self._tree(sentence, place)
        ends = self._ends[sentence]
        same = next((end for end in ends if end.tree is not None and end.tree == tree), None)
        if same is not None:
            if same.score >= score:
                return
            ends.remove(same)
        ends.append(_End(score, log_probability, place, tree))
        ends.sort(key=lambda end: -end.score)
        del ends[self._options.nbest :]
        if len(ends) == self._options.nbest:
            self._to_beat[sentence] = ends[-1].score

    def can_improve(self, sentence_of_row: Ints, log_probabilities: Floats) -> Bools:
        """Where (rows,) an incomplete hypothesis might still get among those that are kept."""
        best_case = log_probabilities / self._divisors[sentence_of_row]
        return np.asarray(best_case > self._to_beat[sentence_of_row])

    def hypotheses(self) -> list[list[Hypothesis]]:
        """For every sentence, best first."""
        found = [[self._hypothesis(end) for end in ends] for ends in self._ends]
        if self._known is None:
            return found
        return [better or [known] for better, known in zip(found, self._known, strict=True)]

    def _hypothesis(self, end: _End) -> Hypothesis:
        actions, gains = self._history.trace(end.place)
        return Hypothesis(actions, end.score, end.log_probability, gains)

    def _tree(self, sentence: int, place: Place) -> Constituent:
        actions, _ = self._history.trace(place)
        tokens = (Token("_"),) * self._lengths[sentence]
        return self._machine.linearization.build(tokens, self._machine.vocabulary.decode(actions)).root
