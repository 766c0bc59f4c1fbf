"""Beam search that knows a good hypothesis before it begins: the greedy one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discoseq.linearization.machine import Machine
from discoseq.search.beam import search
from discoseq.search.greedy import greedy_search
from discoseq.search.hypothesis import Hypothesis
from discoseq.search.options import SearchOptions
from discoseq.search.scorer import RepeatableScorer


def bounded_search(
    machine: Machine, scorer: RepeatableScorer, lengths: Sequence[int], options: SearchOptions, budget: int
) -> list[list[Hypothesis]]:
    """What `search` finds, or something more probable, for less: a greedy search first, then one that must beat it.

    A sum of log-probabilities only falls. So a hypothesis that is no better than the complete one of the greedy search
    can't become better, and is given up long before the beam would have pushed it out. One that would have beaten it is
    never given up, nor is it pushed out by others, for there are only fewer of those. Where several hypotheses are
    wanted, or the mean counts, little can be ruled out so early, and this is a plain search.

    The budget bounds words times hypotheses that are searched together. A sentence that would be too long if it had a
    whole beam gets a smaller one; others are taken to have what `usual_rows` says. The scorer is a new one.
    """
    if not options.is_bounded:
        affordable = options.within(max(lengths, default=0), budget)
        scorer.restart(affordable.beam_size, range(len(lengths)))
        return search(machine, scorer, lengths, affordable)
    greedy = greedy_search(machine, scorer, lengths)
    found = [[result.hypothesis] for result in greedy]
    if options.beam_size == 1:
        return found
    # neighbours have about as many hypotheses at a time, and waste no room together
    rest = sorted((i for i, result in enumerate(greedy) if not result.is_best), key=lambda i: found[i][0].score)
    for chosen in _together(rest, lengths, options, budget):
        affordable = options.within(max(lengths[i] for i in chosen), budget)
        scorer.restart(affordable.beam_size, chosen)
        known = [greedy[i].hypothesis for i in chosen]
        better = search(machine, scorer, [lengths[i] for i in chosen], affordable, known)
        for i, hypotheses in zip(chosen, better, strict=True):
            found[i] = hypotheses
    return found


def _together(
    sentences: Sequence[int], lengths: Sequence[int], options: SearchOptions, budget: int
) -> Iterator[Sequence[int]]:
    """Sentences in runs; those that are too long for the beam, each by itself."""
    is_long = [options.within(lengths[i], budget).beam_size < options.beam_size for i in sentences]
    yield from ([i] for i, long in zip(sentences, is_long, strict=True) if long)
    others = [i for i, long in zip(sentences, is_long, strict=True) if not long]
    size = max(1, budget // options.usual_rows // max((lengths[i] for i in others), default=1))
    yield from (others[start : start + size] for start in range(0, len(others), size))
