"""The figures of a corpus, in percent and unrounded."""

from __future__ import annotations

from dataclasses import dataclass

from discoseq.evaluation.counts import BracketCounts, Counts, percentage


@dataclass(frozen=True, slots=True)
class Block:
    """The figures over all sentences or over the short ones.

    A figure that is a division by zero is None. EVALB prints 0.00 for most of these, and so they are 0 under its rules;
    its F1 is nan like that of disco-dop, and so None.
    """

    counts: Counts
    is_evalb: bool

    @property
    def sentences(self) -> int:
        return self.counts.sentences

    @property
    def precision(self) -> float | None:
        return self._defined(self.counts.brackets.precision)

    @property
    def recall(self) -> float | None:
        return self._defined(self.counts.brackets.recall)

    @property
    def f1(self) -> float | None:
        precision, recall = self.precision, self.recall
        if not self.is_evalb or not precision or not recall:
            return self.counts.brackets.f1
        # EVALB's own order of operations: its last binary digit can decide how a half is rounded
        return 2 * precision * recall / (precision + recall)

    @property
    def exact_match(self) -> float | None:
        return self._defined(percentage(self.counts.exact, self.counts.valid))

    @property
    def pos_accuracy(self) -> float | None:
        return self._defined(percentage(self.counts.correct_tags, self.counts.words))

    @property
    def discontinuous(self) -> BracketCounts:
        """Discontinuous brackets alone; its precision, recall and f1 are the discontinuous scores."""
        return self.counts.discontinuous

    @property
    def discontinuous_exact_match(self) -> float | None:
        """Over the sentences with a discontinuous bracket on either side."""
        return percentage(self.counts.discontinuous_exact, self.counts.discontinuous_sentences)

    @property
    def function_tags(self) -> float | None:
        """F1 of function tags; None where the parse has none."""
        return self.counts.functions.f1 if self.counts.functions.predicted else None

    @property
    def average_crossing(self) -> float:
        return self.counts.crossing / self.counts.valid if self.counts.valid else 0.0

    @property
    def without_crossing(self) -> float | None:
        return self._defined(percentage(self.counts.without_crossing, self.counts.valid))

    @property
    def with_few_crossings(self) -> float | None:
        return self._defined(percentage(self.counts.with_few_crossings, self.counts.valid))

    def _defined(self, value: float | None) -> float | None:
        return 0.0 if value is None and self.is_evalb else value


@dataclass(frozen=True, slots=True)
class Scores:
    """What `evaluate` returns: all sentences, those up to the cut-off length, and what there is to know about them."""

    rules: str
    all: Block
    short: Block
    cutoff_length: int = 40
    notes: tuple[str, ...] = ()
