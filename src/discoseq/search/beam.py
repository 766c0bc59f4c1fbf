"""Beam search over the machine: many sentences at once, allowed actions only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from discoseq.errors import SearchError
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Bools, Ints
from discoseq.search.derivations import Derivations, Floats, TreeScores
from discoseq.trees.tree import Token, Tree

Score = Literal["sum", "mean", "joint"]
DEFAULT_SCORE: Score = "sum"
DEFAULT_PRUNE = 5.0  # in log-probability; docs/results.md has the measurements
_LOWEST = np.finfo(np.float64).min


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How widely to search, for how many hypotheses, and by which score."""

    beam_size: int = 1
    nbest: int = 1  # hypotheses kept of every sentence, each a different tree
    # the sum of the log-probabilities of all actions, their mean, as in the paper's code, or sum and tree score jointly
    score: Score = DEFAULT_SCORE
    prune: float | None = DEFAULT_PRUNE  # hypotheses worse than their sentence's best by more than this are dropped
    greedy_bound: bool = True  # the greedy hypothesis prunes the beam; the result is the same or more probable
    required: int = 1  # hypotheses that pruning must leave; `search` widens the beam where there are fewer trees

    def __post_init__(self) -> None:
        if self.beam_size < 1:
            raise SearchError(f"the beam size must be at least 1, not {self.beam_size}")
        if not 1 <= self.nbest <= self.beam_size:
            raise SearchError(f"n-best must be from 1 to the beam size, which is {self.beam_size}, not {self.nbest}")
        if not 1 <= self.required <= self.nbest:
            raise SearchError(f"from 1 to n-best trees, {self.nbest}, can be required, not {self.required}")
        if self.score not in get_args(Score):
            raise SearchError(f"the score must be {', '.join(get_args(Score))}, not {self.score!r}")
        if self.prune is not None and not (self.prune > 0 and math.isfinite(self.prune)):
            raise SearchError(f"the pruning threshold must be above 0, or None for no pruning, not {self.prune}")


DEFAULT_OPTIONS = SearchOptions()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A complete sequence of actions, as numbers of the action vocabulary, and its log-probabilities."""

    actions: tuple[int, ...]
    score: float  # the sum or the mean of `step_log_probabilities`, or the joint score
    log_probability: float  # their sum
    step_log_probabilities: tuple[float, ...]  # for each action


@dataclass(frozen=True, slots=True)
class BeamResult:
    """The hypotheses of a sentence, best first, and whether there was more than the beam could hold."""

    hypotheses: list[Hypothesis]
    is_exhaustive: bool  # whether no candidate was dropped; False where only one hypothesis is required


def beam_search(
    derivations: Derivations,
    sentences: Sequence[int],
    lengths: Sequence[int],
    options: SearchOptions,
    bounds: Sequence[Hypothesis] | None = None,
    tree_scores: TreeScores | None = None,
) -> list[BeamResult]:
    """For each of these sentences, of so many words, its hypotheses: at least one, at most `nbest`.

    A complete hypothesis leaves the beam. By the sum, a sentence is done when no hypothesis left in its beam can get
    among the best, because each further action lowers a sum; by the joint score, not even with the highest tree score
    there is. With `bounds`, one complete hypothesis a sentence, only better ones are searched for; where there are
    none, the bound is the result. Bounds are for one hypothesis, and not for the mean.

    A mean may rise, so by the mean a sentence is done when as many hypotheses are complete as the beam holds. This is
    fairseq's rule, and as there, others take the places of those that leave the beam.
    """
    is_finished = derivations.start(sentences)
    history = _History()
    finished = _Finished(derivations.machine, sentences, lengths, options, history, bounds, tree_scores)
    # of every row: its sentence, counted from 0, its row among those selected at the step before, and how it got here
    owners: Ints = np.arange(len(lengths))
    history_rows: Ints = owners
    sums: Floats = np.zeros(len(lengths))
    is_searched = ~is_finished
    limits = step_limits(derivations.machine, lengths)
    is_mean = options.score == "mean"
    # twice as many, so that the beam is full again if half of them become complete
    selected = replace(options, beam_size=2 * options.beam_size) if is_mean else options
    while True:
        if not is_searched.all():
            rows = np.flatnonzero(is_searched)
            derivations.keep(rows)
            owners, history_rows, sums = owners[rows], history_rows[rows], sums[rows]
        if not len(owners):
            return finished.results()
        step = derivations.log_probabilities()
        candidates = sums[:, None] + step
        parents, actions, sums = _select(candidates, owners, selected)
        if options.required > 1:
            finished.compare(owners, candidates, owners[parents])
        history.add(history_rows[parents], actions, step[parents, actions])
        is_finished = derivations.apply(parents, actions) | (len(history) >= limits[owners[parents]])
        owners = owners[parents]
        history_rows = np.arange(len(owners))
        is_complete = is_finished & (_ranks(owners) < options.beam_size) if is_mean else is_finished
        for row in np.flatnonzero(is_complete).tolist():
            finished.add(int(owners[row]), float(sums[row]), len(history), row)
        is_searched = ~is_finished & finished.can_improve(owners, sums)
        if is_mean:
            is_searched[is_searched] = _ranks(owners[is_searched]) < options.beam_size
            finished.drop(owners[~is_searched & ~is_complete])


def step_limits(machine: Machine, lengths: Sequence[int]) -> Ints:
    """The number of actions (sentences,) after which a hypothesis is taken as it is, which weak constraints need."""
    return np.array([machine.max_steps(length) for length in lengths], dtype=np.int64)


def _select(candidates: Floats, sentence_of_row: Ints, options: SearchOptions) -> tuple[Ints, Ints, Floats]:
    """Rows, actions and log-probabilities (selected,) of the best candidates (rows, actions) of every sentence.

    Rows are sorted by sentence, and so are the selected candidates, best first within a sentence. Of equally good ones
    the first is selected.
    """
    best_of_row = candidates.max(axis=1)
    if options.beam_size == 1:
        return np.arange(len(candidates)), candidates.argmax(axis=1), best_of_row
    is_first = np.diff(sentence_of_row, prepend=-1) != 0
    starts = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1  # (rows,) sentences numbered without those that have no rows
    row_counts = np.diff(starts, append=len(best_of_row))
    # each row has a candidate that is at least as good as the best candidate of the worst row
    worst = np.minimum.reduceat(best_of_row, starts)
    bounds = np.where(row_counts == options.beam_size, worst, _LOWEST)
    if options.prune is not None:
        thresholds = np.maximum.reduceat(best_of_row, starts) - options.prune
        others = np.where(row_counts >= options.required, worst, _LOWEST)
        bounds = np.maximum(bounds, thresholds if options.required == 1 else np.minimum(thresholds, others))
    rows, actions = np.nonzero(candidates >= bounds[group][:, None])
    scores = candidates[rows, actions]
    order = np.lexsort((-scores, group[rows]))
    rows, actions, scores = rows[order], actions[order], scores[order]
    rank = _ranks(group[rows])
    is_kept = rank < options.beam_size
    if options.prune is not None and options.required > 1:
        is_kept &= (rank < options.required) | (scores >= thresholds[group[rows]])
    return rows[is_kept], actions[is_kept], scores[is_kept]


def _ranks(sentence_of_row: Ints) -> Ints:
    """The place (rows,) of every row among those of its sentence, from 0; rows are sorted by sentence."""
    counts = np.bincount(sentence_of_row)
    return np.arange(len(sentence_of_row)) - np.repeat(np.cumsum(counts) - counts, counts)


def build_tree(machine: Machine, words: int, actions: Sequence[int]) -> Tree:
    """The tree of a complete sequence of actions, over words without a name."""
    return machine.build((Token("_"),) * words, actions).tree


class _History:
    """Back-pointers: twelve bytes a row and step, from which a sequence is read off backwards."""

    def __init__(self) -> None:
        # a step: (rows,) each; parents are rows of the step before
        self._steps: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]] = []

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._steps)

    def add(self, parents: Ints, actions: Ints, step_log_probabilities: Floats) -> None:
        """One more step: each row (rows,) continues a parent by an action of this log-probability."""
        self._steps.append(
            (parents.astype(np.int32), actions.astype(np.int32), step_log_probabilities.astype(np.float32))
        )

    def trace(self, steps: int, row: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The actions that lead to a row after so many steps, and the log-probability of each."""
        actions, step_log_probabilities = [], []
        for parents_of, actions_of, log_probabilities_of in reversed(self._steps[:steps]):
            actions.append(int(actions_of[row]))
            step_log_probabilities.append(float(log_probabilities_of[row]))
            row = int(parents_of[row])
        return tuple(reversed(actions)), tuple(reversed(step_log_probabilities))


@dataclass(frozen=True, slots=True, eq=False)
class _Complete:
    """A complete hypothesis; its actions are read off later, if it is still among the best."""

    score: float
    log_probability: float
    steps: int
    row: int  # in the history, after so many steps
    tree: Tree | None  # None where only one hypothesis is kept, and trees have no scores


class _Finished:
    """The complete hypotheses of every sentence: the best few, each a different tree.

    Of several sequences that build one tree, the best is kept; their probabilities are not added up.
    """

    def __init__(
        self,
        machine: Machine,
        sentences: Sequence[int],
        lengths: Sequence[int],
        options: SearchOptions,
        history: _History,
        bounds: Sequence[Hypothesis] | None,
        tree_scores: TreeScores | None,
    ) -> None:
        self._machine = machine
        self._sentences = sentences
        self._lengths = lengths
        self._options = options
        self._history = history
        self._tree_scores = tree_scores
        # (sentences,) what a complete tree may have in addition to the log-probabilities of its actions
        self._highest = np.zeros(len(lengths))
        if tree_scores is not None:
            self._highest[:] = [tree_scores.highest(i) for i in sentences]
        empty = Hypothesis((), 0.0, 0.0, ())  # of a sentence without words
        self._otherwise = [empty] * len(lengths) if bounds is None else bounds
        self._complete: list[list[_Complete]] = [[] for _ in lengths]  # a sentence: best first
        self._to_beat = np.full(len(lengths), -np.inf)  # (sentences,) the last kept score where no more are kept
        if bounds is not None:
            self._to_beat = np.array([hypothesis.score for hypothesis in bounds])
        self._is_exhaustive: Bools = np.full(len(lengths), options.required > 1)  # (sentences,)
        self._counts: Ints = np.zeros(len(lengths), dtype=np.int64)  # (sentences,) of complete hypotheses

    def add(self, sentence: int, log_probability: float, steps: int, row: int) -> None:
        """A hypothesis of a sentence that is complete after so many steps, in this row."""
        score = log_probability
        if self._options.score == "mean":
            if self._counts[sentence] == self._options.beam_size:
                return
            self._counts[sentence] += 1
            score /= steps
        if score + self._highest[sentence] <= self._to_beat[sentence]:
            return
        tree = None
        if self._options.nbest > 1 or self._tree_scores is not None:
            actions, _ = self._history.trace(steps, row)
            tree = build_tree(self._machine, self._lengths[sentence], actions)
        if self._tree_scores is not None and tree is not None:
            score += self._tree_scores.of(self._sentences[sentence], tree)
            if score <= self._to_beat[sentence]:
                return
        kept = self._complete[sentence]
        same = next((other for other in kept if other.tree is not None and other.tree == tree), None)
        if same is not None:
            if same.score >= score:
                return
            kept.remove(same)
        kept.append(_Complete(score, log_probability, steps, row, tree))
        kept.sort(key=lambda other: -other.score)
        del kept[self._options.nbest :]
        if len(kept) == self._options.nbest:
            self._to_beat[sentence] = kept[-1].score

    def can_improve(self, sentence_of_row: Ints, sums: Floats) -> Bools:
        """Where (rows,) an incomplete hypothesis might still get among those that are kept."""
        if self._options.score == "mean":
            return np.asarray(self._counts[sentence_of_row] < self._options.beam_size)
        return np.asarray(sums + self._highest[sentence_of_row] > self._to_beat[sentence_of_row])

    def drop(self, sentence_of_row: Ints) -> None:
        """Note which sentences lose a hypothesis that was selected."""
        self._is_exhaustive[sentence_of_row] = False

    def compare(self, sentence_of_row: Ints, candidates: Floats, sentence_of_selected: Ints) -> None:
        """Note which sentences lose a candidate (rows, actions), because fewer are selected."""
        count = len(self._lengths)
        before = np.bincount(sentence_of_row, weights=np.isfinite(candidates).sum(axis=1), minlength=count)
        self._is_exhaustive &= before <= np.bincount(sentence_of_selected, minlength=count)

    def results(self) -> list[BeamResult]:
        """For every sentence."""
        found = [[self._hypothesis(complete) for complete in kept] for kept in self._complete]
        every = zip(found, self._otherwise, self._is_exhaustive.tolist(), strict=True)
        return [BeamResult(better or [other], is_exhaustive) for better, other, is_exhaustive in every]

    def _hypothesis(self, complete: _Complete) -> Hypothesis:
        actions, step_log_probabilities = self._history.trace(complete.steps, complete.row)
        return Hypothesis(actions, complete.score, complete.log_probability, step_log_probabilities)
