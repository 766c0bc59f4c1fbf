"""The best action sequences of sentences: greedy, by a beam that the greedy result bounds, or by a plain beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discoseq.batching.batches import batches_by_length
from discoseq.linearizations.state import Ints
from discoseq.search.beam import DEFAULT_OPTIONS, Hypothesis, SearchOptions, beam_search, build_tree, step_limits
from discoseq.search.derivations import Derivations, Floats, TreeScores

BATCH_WORDS = 8000  # words times hypotheses that are searched together, padding included
_WIDENING = 4  # of the beam, each time that a sentence has fewer trees than required
_LONG = 100  # words; in longer sentences the greedy bound prunes little


def search(
    derivations: Derivations,
    lengths: Sequence[int],
    options: SearchOptions = DEFAULT_OPTIONS,
    batch_words: int = BATCH_WORDS,
    tree_scores: TreeScores | None = None,
) -> list[list[Hypothesis]]:
    """For every sentence, of so many words, its hypotheses: best first, at least one, at most `nbest`.

    A sum of log-probabilities only falls. So for the best hypothesis by the sum, a greedy search comes first. It is
    final if every alternative was already less probable when it was passed over; otherwise it bounds a beam search,
    which drops what is not more probable. The result is that of a plain beam search or a more probable one. By the
    joint score, which `tree_scores` make of the sum, it is the same: an alternative is worse when the highest tree
    score there is could not save it. For several hypotheses, for the mean, and in long sentences the bound prunes
    little, and the search is a plain one.

    Several sequences may build one tree. A sentence with fewer trees than required is searched again, without pruning
    and with a beam four times as wide, until it has them or the beam has held every sequence there is.

    `batch_words` bounds words times hypotheses of a batch; a sentence too long for the whole beam gets a smaller one,
    but not smaller than required.
    """
    found: dict[int, list[Hypothesis]] = {}
    bounds: dict[int, Hypothesis] = {}  # of the sentences whose greedy hypothesis is not final
    is_bounded = options.greedy_bound and options.score != "mean" and options.nbest == 1
    short = [i for i, words in enumerate(lengths) if is_bounded and (words <= _LONG or options.beam_size == 1)]
    for batch in _batches(short, lengths, batch_words, batch_words):
        for i, greedy in zip(batch, greedy_search(derivations, batch, [lengths[i] for i in batch]), strict=True):
            if tree_scores is not None:
                tree = build_tree(derivations.machine, lengths[i], greedy.hypothesis.actions)
                greedy = greedy.with_tree_score(tree_scores.of(i, tree), tree_scores.highest(i))
            found[i] = [greedy.hypothesis]
            if options.beam_size > 1 and not greedy.is_best:
                bounds[i] = greedy.hypothesis
    longest = batch_words // options.beam_size  # words of a sentence that can have the whole beam
    usual_rows = 1 + options.beam_size // 4  # hypotheses of a bounded beam that are alive at a time, or fewer
    for batch in _batches(list(bounds), lengths, batch_words // usual_rows, longest):
        chosen = [lengths[i] for i in batch]
        affordable = _affordable(options, max(chosen), batch_words)
        results = beam_search(derivations, batch, chosen, affordable, [bounds[i] for i in batch], tree_scores)
        found |= {i: result.hypotheses for i, result in zip(batch, results, strict=True)}
    plain, widening = sorted(set(range(len(lengths))) - set(short)), 1
    while plain:
        too_few: list[int] = []
        for batch in _batches(plain, lengths, longest // widening, longest // widening):
            chosen = [lengths[i] for i in batch]
            affordable = _affordable(options, max(chosen), batch_words)
            results = beam_search(derivations, batch, chosen, _widened(affordable, widening), None, tree_scores)
            for i, result in zip(batch, results, strict=True):
                found[i] = result.hypotheses
                if len(result.hypotheses) < options.required and not result.is_exhaustive:
                    too_few.append(i)
        plain, widening = too_few, _WIDENING * widening
    return [found[i] for i in range(len(lengths))]


@dataclass(frozen=True, slots=True)
class GreedyResult:
    """A greedy hypothesis, and the highest score of an alternative: its sum at the point where it was passed over."""

    hypothesis: Hypothesis
    best_alternative: float

    @property
    def is_best(self) -> bool:
        """Whether no other sequence is better, since every alternative only becomes less probable."""
        return self.best_alternative <= self.hypothesis.score

    def with_tree_score(self, score: float, highest: float) -> GreedyResult:
        """By the joint score; no tree of the sentence has a higher tree score than `highest`."""
        hypothesis = replace(self.hypothesis, score=self.hypothesis.log_probability + score)
        return GreedyResult(hypothesis, self.best_alternative + highest)


def greedy_search(derivations: Derivations, sentences: Sequence[int], lengths: Sequence[int]) -> list[GreedyResult]:
    """The best action at every step, for each of these sentences, of so many words."""
    is_finished = derivations.start(sentences)
    count = len(lengths)
    sums, alternatives = np.zeros(count), np.full(count, -np.inf)  # (sentences,)
    steps: list[tuple[Ints, Ints, Floats]] = []  # of each row its sentence, its action and the action's log-probability
    owners: Ints = np.arange(count)  # of every row, its sentence, counted from 0; one that is done has no row
    limits = step_limits(derivations.machine, lengths)
    while True:
        rows = np.flatnonzero(~is_finished & (len(steps) < limits[owners]))
        if len(rows) < len(owners):
            derivations.keep(rows)
            owners, rows = owners[rows], np.arange(len(rows))
        if not len(rows):
            break
        step = derivations.log_probabilities()
        actions = step.argmax(axis=1)
        best = step[rows, actions]
        steps.append((owners, actions, best))
        step[rows, actions] = -np.inf
        alternatives[owners] = np.maximum(alternatives[owners], sums[owners] + step.max(axis=1))
        sums[owners] += best
        is_finished = derivations.apply(rows, actions)
    hypotheses = (
        Hypothesis(actions, total, total, step_log_probabilities)
        for (actions, step_log_probabilities), total in zip(_sequences(steps, count), sums.tolist(), strict=True)
    )
    return [GreedyResult(*pair) for pair in zip(hypotheses, alternatives.tolist(), strict=True)]


def _sequences(steps: list[tuple[Ints, Ints, Floats]], count: int) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """For every sentence its actions and their log-probabilities."""
    sequences: list[tuple[list[int], list[float]]] = [([], []) for _ in range(count)]
    for sentences, actions, log_probabilities_of in steps:
        for sentence, action, value in zip(
            sentences.tolist(), actions.tolist(), log_probabilities_of.tolist(), strict=True
        ):
            sequences[sentence][0].append(action)
            sequences[sentence][1].append(value)
    return [(tuple(actions), tuple(values)) for actions, values in sequences]


def _batches(sentences: Sequence[int], lengths: Sequence[int], budget: int, longest: int) -> list[list[int]]:
    """Batches of sentences by length; a sentence of more than `longest` words is a batch of its own."""
    alone = [[i] for i in sentences if lengths[i] > longest]
    others = [i for i in sentences if lengths[i] <= longest]
    return alone + [[others[j] for j in batch] for batch in batches_by_length([lengths[i] for i in others], budget)]


def _affordable(options: SearchOptions, words: int, batch_words: int) -> SearchOptions:
    """The same options with a beam that fits a sentence of so many words, but holds what is required."""
    beam_size = max(options.required, min(options.beam_size, batch_words // max(1, words)))
    return replace(options, beam_size=beam_size, nbest=min(options.nbest, beam_size))


def _widened(options: SearchOptions, widening: int) -> SearchOptions:
    """The same options with a wider beam, which is not pruned."""
    return options if widening == 1 else replace(options, beam_size=widening * options.beam_size, prune=None)
