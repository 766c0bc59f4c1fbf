"""Counts that add up: of one sentence, of a corpus, of two corpora one after the other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BracketCounts:
    """How many brackets there are on both sides and how many they share, with multiplicity."""

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
        """The harmonic mean in percent, undefined where nothing matches: the field's tools print nan there, not 0."""
        return percentage(2 * self.matched, self.gold + self.predicted) if self.matched else None


@dataclass(frozen=True, slots=True)
class Counts:
    """All that is summed over sentences; of the lengths, the greatest is kept."""

    sentences: int = 0
    errors: int = 0  # sentences that EVALB's rules call an error; they add to nothing below
    skipped: int = 0  # sentences that EVALB's rules skip; the same
    missing: int = 0  # gold sentences without a parse, counted as if the parse were empty
    longest: int = 0
    brackets: BracketCounts = BracketCounts()
    exact: int = 0
    discontinuous: BracketCounts = BracketCounts()
    discontinuous_sentences: int = 0  # with a discontinuous bracket on either side
    discontinuous_exact: int = 0
    words: int = 0  # those left after deletion
    correct_tags: int = 0
    crossing: int = 0  # predicted brackets that cross a gold one
    without_crossing: int = 0  # sentences
    with_few_crossings: int = 0  # sentences with two at most
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
        """The sentences that the other counts are about."""
        return self.sentences - self.errors - self.skipped


def percentage(part: int, whole: int) -> float | None:
    """Correctly rounded, so that exact halves stay exact and print as the field's tools print them."""
    return 100 * part / whole if whole else None
