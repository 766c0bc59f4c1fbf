"""Scores by label, span length, gap degree and sentence length, of all brackets or of the discontinuous ones alone.

Brackets are first counted by label or by number (`count_groups`); these counts can be stored and added up over runs and
treebanks. Rows put numbers together into bins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import Bracket, BracketCounts, SentenceResult, matching_brackets
from discoseq.trees.covers import gap_degree

DISCONTINUOUS = "discontinuous"

# spans of up to ten tokens are frequent and have a row each, longer spans share rows
_SPAN_BINS = (*range(1, 11), 15, 20, 30, 40)
_LENGTH_STEP = 10


class By(StrEnum):
    """What brackets are grouped by; LENGTH groups sentences."""

    LABEL = "label"
    LENGTH = "length"
    SPAN = "span"
    GAP = "gap"


BINNED = (By.LENGTH, By.SPAN)  # those whose groups are put together into bins

Kind: TypeAlias = str | int  # a label, or a length or gap degree


@dataclass(frozen=True, slots=True)
class Group:
    """The counts of the brackets of one kind."""

    counts: BracketCounts = BracketCounts()  # noqa: RUF009 - it is immutable
    tokens: int = 0  # in the gold brackets, by label only
    sentences: int = 0  # by length only

    def __add__(self, other: Group) -> Group:
        return Group(self.counts + other.counts, self.tokens + other.tokens, self.sentences + other.sentences)


Groups: TypeAlias = dict[Kind, Group]


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one group of brackets."""

    name: str
    counts: BracketCounts
    average_span: float | None = None  # in tokens, of the gold brackets; by label only
    sentences: int | None = None  # by length only


@dataclass(frozen=True, slots=True)
class Breakdown:
    """How brackets are grouped, as the arguments of `break_down`."""

    by: By
    bins: tuple[int, ...] = ()
    only_discontinuous: bool = False

    def groups(self, results: Iterable[SentenceResult]) -> Groups:
        return count_groups(results, self.by, self.only_discontinuous)

    def rows(self, groups: Mapping[Kind, Group]) -> list[Row]:
        return make_rows(groups, self.by, self.bins)


def break_down(
    results: Iterable[SentenceResult], by: By, bins: Sequence[int] = (), only_discontinuous: bool = False
) -> list[Row]:
    """The counts by group; deleted tokens are part of no span and of no gap.

    `bins` are the greatest lengths of all bins but the last, for spans and sentences; empty: the usual ones.
    """
    return make_rows(count_groups(results, by, only_discontinuous), by, bins)


def count_groups(results: Iterable[SentenceResult], by: By, only_discontinuous: bool = False) -> Groups:
    """The counts by label, or by each number of tokens or gaps."""
    return _count_sentences(results, only_discontinuous) if by is By.LENGTH else _count(results, by, only_discontinuous)


def add_groups(parts: Iterable[Mapping[Kind, Group]]) -> Groups:
    """The counts of several runs or treebanks together."""
    total: Groups = {}
    for part in parts:
        for kind, group in part.items():
            total[kind] = total.get(kind, Group()) + group
    return total


def make_rows(groups: Mapping[Kind, Group], by: By, bins: Sequence[int] = ()) -> list[Row]:
    """A row for each label, bin or gap degree."""
    check_bins(bins, by)
    if by is By.LABEL:
        return _label_rows(groups)
    numbered = {int(kind): group for kind, group in groups.items()}
    if by is By.LENGTH:
        return _length_rows(numbered, bins)
    return _span_rows(numbered, bins or _SPAN_BINS) if by is By.SPAN else _gap_rows(numbered)


def check_bins(bins: Sequence[int], by: By) -> None:
    """Raise an error for bins that are not ascending numbers, or of groups that have none."""
    if bins and by not in BINNED:
        raise EvaluationError(f"there are no bins by {by}; they are for {' and '.join(BINNED)}")
    if any(low >= high for low, high in zip((0, *bins), bins, strict=False)):
        raise EvaluationError(f"bins must be ascending numbers from 1 on, not {', '.join(map(str, bins))}")


def _count(results: Iterable[SentenceResult], by: By, only_discontinuous: bool) -> Groups:
    matched, gold, predicted = dict[Kind, int](), dict[Kind, int](), dict[Kind, int]()
    tokens: dict[Kind, int] = {}

    def kind_of(bracket: Bracket, kept: int) -> Kind | None:
        label, cover = bracket
        if by is By.GAP or only_discontinuous:
            gaps = gap_degree(cover, kept)
            if only_discontinuous and not gaps:
                return None
        return label if by is By.LABEL else cover.bit_count() if by is By.SPAN else gaps

    def add(counts: dict[Kind, int], bracket: Bracket, kept: int, number: int) -> None:
        kind = kind_of(bracket, kept)
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + number

    for result in results:
        for bracket in result.gold_brackets:
            add(gold, bracket, result.kept, 1)
            if by is By.LABEL:
                add(tokens, bracket, result.kept, bracket[1].bit_count())
        for bracket in result.predicted_brackets:
            add(predicted, bracket, result.kept, 1)
        for bracket, times in matching_brackets(result.gold_brackets, result.predicted_brackets).items():
            add(matched, bracket, result.kept, times)
    return {
        kind: Group(BracketCounts(matched.get(kind, 0), gold.get(kind, 0), predicted.get(kind, 0)), tokens.get(kind, 0))
        for kind in gold | predicted
    }


def _count_sentences(results: Iterable[SentenceResult], only_discontinuous: bool) -> Groups:
    groups: Groups = {}
    for result in results:
        counts = result.counts.discontinuous if only_discontinuous else result.counts.brackets
        groups[result.length] = groups.get(result.length, Group()) + Group(counts, sentences=1)
    return groups


def _label_rows(groups: Mapping[Kind, Group]) -> list[Row]:
    """The most frequent label comes first."""
    rows = []
    for label, group in groups.items():
        counts = group.counts
        rows.append(Row(str(label), counts, average_span=group.tokens / counts.gold if counts.gold else None))
    return sorted(rows, key=lambda row: (-row.counts.gold, -row.counts.predicted, row.name))


def _span_rows(groups: Mapping[int, Group], bins: Sequence[int]) -> list[Row]:
    """A row for each bin of span lengths that has any."""
    in_bins: dict[int, Group] = {}
    for length, group in groups.items():
        number = bisect_left(bins, length)
        in_bins[number] = in_bins.get(number, Group()) + group
    lows = (1, *(high + 1 for high in bins))
    names = [
        *(str(low) if low == high else f"{low}-{high}" for low, high in zip(lows, bins, strict=False)),
        f">= {lows[-1]}",
    ]
    return [Row(names[number], in_bins[number].counts) for number in sorted(in_bins)]


def _gap_rows(groups: Mapping[int, Group]) -> list[Row]:
    """A row for each gap degree, and one for all discontinuous brackets."""
    rows = [Row(str(degree), groups[degree].counts) for degree in sorted(groups)]
    discontinuous = sum((group.counts for degree, group in groups.items() if degree), BracketCounts())
    return [*rows, Row(DISCONTINUOUS, discontinuous)]


def _length_rows(groups: Mapping[int, Group], bins: Sequence[int]) -> list[Row]:
    """Rows for sentences of up to 10 tokens, up to 20 tokens, and so on; each includes the rows above it."""
    longest = max(groups, default=0)
    if not groups:
        return []
    if not bins:
        bins = range(_LENGTH_STEP, max(longest, 1) + _LENGTH_STEP, _LENGTH_STEP)
    elif longest > bins[-1]:
        bins = [*bins, longest]
    rows = []
    for high in bins:
        within = sum((group for length, group in groups.items() if length <= high), Group())
        rows.append(Row(f"<= {high}", within.counts, sentences=within.sentences))
    return rows
