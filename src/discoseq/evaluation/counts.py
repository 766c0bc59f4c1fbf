"""Brackets, how many of them match, and counts that are summed over sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from discoseq.trees.transforms import VIRTUAL_ROOTS

# a label and the tokens it covers, as a bitset (see Constituent.cover)
Bracket: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class BracketCounts:
    """The numbers of gold, predicted and matched brackets, with multiplicity."""

    matched: int = 0
    gold: int = 0
    predicted: int = 0

    def __add__(self, other: BracketCounts) -> BracketCounts:
        return BracketCounts(self.matched + other.matched, self.gold + other.gold, self.predicted + other.predicted)

    @property
    def precision(self) -> float | None:
        return percentage(self.matched, self.predicted)

    @property
    def recall(self) -> float | None:
        return percentage(self.matched, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean in percent, None if nothing matches: disco-dop and EVALB print nan there, not 0."""
        return percentage(2 * self.matched, self.gold + self.predicted) if self.matched else None


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a sentence or a corpus; all fields but the greatest length are sums over sentences."""

    sentences: int = 0
    errors: int = 0  # sentences that EVALB's rules call an error; they are not in the counts below
    skipped: int = 0  # sentences that EVALB's rules skip; they are not in the counts below
    missing: int = 0  # gold sentences without a parse, counted as if the parse were empty
    longest: int = 0
    brackets: BracketCounts = BracketCounts()
    exact: int = 0
    discontinuous: BracketCounts = BracketCounts()
    discontinuous_sentences: int = 0  # sentences with a discontinuous bracket in gold or in the parse
    discontinuous_exact: int = 0
    words: int = 0  # without deleted ones
    correct_tags: int = 0
    crossing: int = 0  # predicted brackets that cross a gold bracket
    without_crossing: int = 0  # sentences
    with_few_crossings: int = 0  # sentences with at most two crossing brackets
    functions: BracketCounts = BracketCounts()
    discontinuous_functions: BracketCounts = BracketCounts()

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.sentences + other.sentences,
            self.errors + other.errors,
            self.skipped + other.skipped,
            self.missing + other.missing,
            max(self.longest, other.longest),
            self.brackets + other.brackets,
            self.exact + other.exact,
            self.discontinuous + other.discontinuous,
            self.discontinuous_sentences + other.discontinuous_sentences,
            self.discontinuous_exact + other.discontinuous_exact,
            self.words + other.words,
            self.correct_tags + other.correct_tags,
            self.crossing + other.crossing,
            self.without_crossing + other.without_crossing,
            self.with_few_crossings + other.with_few_crossings,
            self.functions + other.functions,
            self.discontinuous_functions + other.discontinuous_functions,
        )

    @property
    def valid(self) -> int:
        """The number of sentences that are scored."""
        return self.sentences - self.errors - self.skipped


class Status(IntEnum):
    """Whether a sentence is scored; the numbers are those that EVALB prints."""

    VALID = 0
    ERROR = 1
    SKIPPED = 2


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """The counts of a sentence, with its brackets for breakdowns."""

    name: str  # the sentence id, or its number if it has none
    length: int  # gold tokens, without those of DELETE_LABEL_FOR_LENGTH
    counts: Counts
    status: Status = Status.VALID
    faults: tuple[str, ...] = ()  # what is wrong with the sentence; EVALB counts each as an error
    remarks: tuple[str, ...] = ()  # where disco-dop has no well-defined result
    gold_brackets: Sequence[Bracket] = ()
    predicted_brackets: Sequence[Bracket] = ()
    kept: int = 0  # the gold tokens that are not deleted, as a bitset; brackets cover no others


def count_matches(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> BracketCounts:
    """Match brackets one to one: if a bracket occurs n times in gold and m times in the parse, min(n, m) match."""
    gold_set = set(gold)
    predicted_set = set(predicted)
    if len(gold_set) == len(gold) and len(predicted_set) == len(predicted):
        matched = len(gold_set & predicted_set)
    else:
        matched = matching_brackets(gold, predicted).total()
    return BracketCounts(matched, len(gold), len(predicted))


def matching_brackets(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> Counter[Bracket]:
    """The brackets that match, with their multiplicity."""
    return Counter(gold) & Counter(predicted)


def count_crossing(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> int:
    """The number of predicted brackets that overlap a gold bracket without one containing the other."""
    covers = {cover for _, cover in gold}
    # gold brackets do not cross each other, so a predicted bracket with the cover of a gold one crosses none
    return sum(
        1
        for _, cover in predicted
        if cover not in covers and any(other & cover and other & ~cover and cover & ~other for other in covers)
    )


def percentage(part: int, whole: int) -> float | None:
    """Rounded once only, so that exact halves stay exact and are printed as disco-dop and EVALB print them."""
    return 100 * part / whole if whole else None


_ROOTS = VIRTUAL_ROOTS | {"S1"}


class RootDifferences:
    """Counts the pairs where one side alone has a root above the sentence that is scored as a bracket."""

    def __init__(self, label_to_compare: Callable[[str], str | None]) -> None:
        self._label_to_compare = label_to_compare
        self._differences: Counter[tuple[str | None, str | None]] = Counter()
        self._pairs = 0

    def add(self, gold: str | None, predicted: str | None) -> None:
        """Compare the root labels of a pair; None where there is no tree."""
        if gold is None or predicted is None:
            return
        self._pairs += 1
        one, two = self._scored(gold), self._scored(predicted)
        if one != two:
            self._differences[one, two] += 1

    def notes(self) -> Iterator[str]:
        """A note for every kind of difference, with the number of sentences."""
        for (one, two), count in self._differences.items():
            yield (
                f"in {count:,} of {self._pairs:,} sentences {_say(one, two)} counts as a bracket; "
                "give both sides the same root (discoseq convert IN OUT --root TOP)"
            )

    def _scored(self, label: str) -> str | None:
        return self._label_to_compare(label) if label in _ROOTS else None


def _say(gold: str | None, predicted: str | None) -> str:
    if gold is None:
        return f"only the parse has {_named(predicted)}, which"
    if predicted is None:
        return f"only the gold tree has {_named(gold)}, which"
    return f"the gold tree has {_named(gold)} and the parse {_named(predicted)}, each of which"


def _named(label: str | None) -> str:
    return f"the root {label}" if label else "a root with an empty label"
