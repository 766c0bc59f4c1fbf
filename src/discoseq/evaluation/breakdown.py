"""Scores by label, span length, gap degree and sentence length."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from discoseq.evaluation.counts import Bracket, BracketCounts, SentenceResult, matching_brackets
from discoseq.trees.covers import gap_degree

DISCONTINUOUS = "discontinuous"

# spans of up to ten tokens are frequent and have a row each, longer spans share rows
_SPAN_BINS = [*((n, n) for n in range(1, 11)), (11, 15), (16, 20), (21, 30), (31, 40), (41, sys.maxsize)]
_LENGTH_STEP = 10

Kind = TypeVar("Kind", bound=Hashable)


class By(StrEnum):
    """What brackets are grouped by; LENGTH groups sentences."""

    LABEL = "label"
    LENGTH = "length"
    SPAN = "span"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one group of brackets."""

    name: str
    counts: BracketCounts
    average_span: float | None = None  # in tokens, of the gold brackets; by label only
    sentences: int | None = None  # by length only


def break_down(results: Iterable[SentenceResult], by: By) -> list[Row]:
    """The counts by group; deleted tokens are part of no span and of no gap."""
    if by is By.LENGTH:
        return _by_length(results)
    if by is By.LABEL:
        return _by_label(results)
    return _by_span(results) if by is By.SPAN else _by_gap(results)


class _Tally(Generic[Kind]):
    """The gold, predicted and matched brackets of each kind."""

    def __init__(self, results: Iterable[SentenceResult], kind_of: Callable[[Bracket, int], Kind]) -> None:
        self._matched: Counter[Kind] = Counter()
        self._gold: Counter[Kind] = Counter()
        self._predicted: Counter[Kind] = Counter()
        for result in results:
            kept = result.kept
            self._gold.update(kind_of(bracket, kept) for bracket in result.gold_brackets)
            self._predicted.update(kind_of(bracket, kept) for bracket in result.predicted_brackets)
            for bracket, times in matching_brackets(result.gold_brackets, result.predicted_brackets).items():
                self._matched[kind_of(bracket, kept)] += times

    def kinds(self) -> set[Kind]:
        return set(self._gold) | set(self._predicted)

    def counts(self, kind: Kind) -> BracketCounts:
        return BracketCounts(self._matched[kind], self._gold[kind], self._predicted[kind])


def _by_label(results: Iterable[SentenceResult]) -> list[Row]:
    """A row for each label, the most frequent first."""
    spans: Counter[str] = Counter()

    def label_of(bracket: Bracket, kept: int) -> str:
        return bracket[0]

    def counted() -> Iterator[SentenceResult]:
        for result in results:
            for label, cover in result.gold_brackets:
                spans[label] += cover.bit_count()
            yield result

    tally = _Tally(counted(), label_of)
    rows = []
    for label in tally.kinds():
        counts = tally.counts(label)
        rows.append(Row(label, counts, average_span=spans[label] / counts.gold if counts.gold else None))
    return sorted(rows, key=lambda row: (-row.counts.gold, -row.counts.predicted, row.name))


def _by_span(results: Iterable[SentenceResult]) -> list[Row]:
    """A row for each bin of span lengths."""
    tally = _Tally(results, lambda bracket, kept: _bin_of(bracket[1].bit_count()))
    return [Row(_bin_name(low, high), tally.counts((low, high))) for low, high in sorted(tally.kinds())]


def _by_gap(results: Iterable[SentenceResult]) -> list[Row]:
    """A row for each gap degree, and one for all discontinuous brackets."""
    tally = _Tally(results, lambda bracket, kept: gap_degree(bracket[1], kept))
    rows = [Row(str(degree), tally.counts(degree)) for degree in sorted(tally.kinds())]
    discontinuous = sum((tally.counts(degree) for degree in tally.kinds() if degree), BracketCounts())
    return [*rows, Row(DISCONTINUOUS, discontinuous)]


def _by_length(results: Iterable[SentenceResult]) -> list[Row]:
    """Rows for sentences of up to 10 tokens, up to 20 tokens, and so on; each includes the rows above it."""
    sums: Counter[int] = Counter()
    totals: dict[int, BracketCounts] = {}
    for result in results:
        step = max(1, -(-result.length // _LENGTH_STEP))
        sums[step] += 1
        totals[step] = totals.get(step, BracketCounts()) + result.counts.brackets
    rows = []
    sentences, counts = 0, BracketCounts()
    for step in range(1, max(sums, default=0) + 1):
        sentences += sums[step]
        counts += totals.get(step, BracketCounts())
        rows.append(Row(f"<= {step * _LENGTH_STEP}", counts, sentences=sentences))
    return rows


def _bin_of(tokens: int) -> tuple[int, int]:
    return next((low, high) for low, high in _SPAN_BINS if low <= tokens <= high)


def _bin_name(low: int, high: int) -> str:
    if high == sys.maxsize:
        return f">= {low}"
    return str(low) if low == high else f"{low}-{high}"
