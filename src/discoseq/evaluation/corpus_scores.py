"""Scores of a corpus: from pairs of trees, in memory or in files, to precision, recall and F1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import BracketCounts, Counts, RootDifferences, SentenceResult, percentage
from discoseq.evaluation.disco import DiscoRules
from discoseq.evaluation.evalb import EvalbRules
from discoseq.evaluation.gold_pairs import (
    OnNote,
    Pair,
    PairBy,
    TreeFile,
    pair_files,
    pair_in_order,
    read_evalb_sentences,
)
from discoseq.evaluation.parameters import Missing, Parameters, check_rules, default_parameters
from discoseq.treebanks.streams import STANDARD_STREAM
from discoseq.trees.tree import Tree

_MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class CorpusScores:
    """The scores of a set of sentences, in percent and not rounded.

    A score that would be a division by zero is None. Under EVALB's rules it is 0, as EVALB prints it, except for F1,
    which both tools print as nan.
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
        # the order of EVALB's operations, because the last bit can decide how a half is rounded
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
        """Over the sentences with a discontinuous bracket in gold or in the parse."""
        return percentage(self.counts.discontinuous_exact, self.counts.discontinuous_sentences)

    @property
    def function_tags(self) -> float | None:
        """F1 of function tags, None if the parses have none."""
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

    def __repr__(self) -> str:
        numbers = {"F1": self.f1, "discontinuous F1": self.discontinuous.f1}
        listed = ", ".join(f"{name} {'undefined' if x is None else f'{x:.2f}'}" for name, x in numbers.items())
        return f"<{self.sentences:,} sentence{'' if self.sentences == 1 else 's'}: {listed}>"

    def _defined(self, value: float | None) -> float | None:
        return 0.0 if value is None and self.is_evalb else value


@dataclass(frozen=True, slots=True)
class Scores:
    """What `evaluate` returns: the scores of all sentences and of those up to the cut-off length, and notes."""

    rules: str
    all: CorpusScores
    short: CorpusScores
    cutoff_length: int = 40
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Scores({self.rules}, all={self.all!r}, short={self.short!r})"


def evaluate(
    gold: Iterable[Tree],
    predicted: Iterable[Tree],
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
) -> Scores:
    """Score parses against gold trees in the same order, with one pair in memory at a time."""
    notes = Notes()
    results = score_sentences(gold, predicted, rules, parameters, missing, notes.add)
    return summarize(results, rules, parameters, notes)


def evaluate_files(
    gold: TreeFile,
    predicted: TreeFile,
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    pair_by: PairBy = PairBy.ID,
) -> Scores:
    """Score a file of parses against a file of gold trees."""
    notes = Notes()
    results = score_files(gold, predicted, rules, parameters, missing, pair_by, notes.add)
    return summarize(results, rules, parameters, notes)


def score_sentences(
    gold: Iterable[Tree],
    predicted: Iterable[Tree],
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    on_note: OnNote = lambda note: None,
) -> Iterator[SentenceResult]:
    """Score trees one sentence at a time; `on_note` gets messages about sentences and files."""
    settings = _parameters_for(rules, parameters)
    if rules == "evalb":
        evalb = EvalbRules(settings)
        return evalb.score_all(evalb.from_trees(gold), evalb.from_trees(predicted), missing, on_note)
    return _score_pairs(pair_in_order(gold, predicted), settings, missing, on_note)


def score_files(
    gold: TreeFile,
    predicted: TreeFile,
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    pair_by: PairBy = PairBy.ID,
    on_note: OnNote = lambda note: None,
) -> Iterator[SentenceResult]:
    """Score files one sentence at a time; `on_note` gets messages about sentences and files."""
    settings = _parameters_for(rules, parameters)
    if str(gold.path) == str(predicted.path) == STANDARD_STREAM:
        raise EvaluationError("gold trees and parses can't both be read from standard input")
    if rules == "evalb":
        if settings.deleted_words:
            on_note("EVALB does not support DELETE_WORD, so it has no effect")
        evalb = EvalbRules(settings)
        sentences = read_evalb_sentences(gold, evalb), read_evalb_sentences(predicted, evalb)
        return evalb.score_all(*sentences, missing, on_note)
    return _score_pairs(pair_files(gold, predicted, pair_by, on_note), settings, missing, on_note)


def summarize(
    results: Iterable[SentenceResult], rules: str, parameters: Parameters | None = None, notes: Iterable[str] = ()
) -> Scores:
    """Sum the counts of sentences."""
    cutoff = _parameters_for(rules, parameters).cutoff_length
    short = long = Counts()
    for result in results:
        if result.length <= cutoff:
            short += result.counts
        else:
            long += result.counts
    is_evalb = rules == "evalb"
    return Scores(rules, CorpusScores(short + long, is_evalb), CorpusScores(short, is_evalb), cutoff, tuple(notes))


class Notes:
    """The notes of an evaluation: the first ones, and how many followed."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._count = 0

    def add(self, note: str) -> None:
        self._count += 1
        if self._count <= _MOST_NOTES:
            self._first.append(note)

    def __iter__(self) -> Iterator[str]:
        yield from self._first
        if self._count > _MOST_NOTES:
            yield f"and {self._count - _MOST_NOTES} more notes"


def _parameters_for(rules: str, parameters: Parameters | None) -> Parameters:
    check_rules(rules)
    return parameters or default_parameters(rules)


def _score_pairs(
    pairs: Iterable[Pair], parameters: Parameters, missing: Missing, on_note: OnNote
) -> Iterator[SentenceResult]:
    """Score pairs of trees by disco-dop's rules."""
    if parameters.quote_labels:
        on_note("disco-dop deletes tokens by their gold tags alone, so QUOTE_LABEL has no effect")
    rules = DiscoRules(parameters)
    roots = RootDifferences(rules.label_to_compare)
    unparsed: list[str] = []
    for name, gold, predicted in pairs:
        if predicted is not None:
            roots.add(gold.root.label, predicted.root.label)
            result = rules.score(gold, predicted, name)
            for remark in result.remarks:
                on_note(f"sentence {name}: {remark}")
            yield result
        elif missing is Missing.ERROR:
            raise EvaluationError(f"sentence {name}: there is a gold tree but no parse")
        else:
            unparsed.append(name)
            if missing is Missing.EMPTY:
                yield rules.score_missing(gold, name)
    if unparsed:
        consequence = "counted as empty" if missing is Missing.EMPTY else "left out"
        on_note(f"no parse for {_enumerate(unparsed)}: {consequence}")
    for note in roots.notes():
        on_note(note)


def _enumerate(names: list[str]) -> str:
    if len(names) == 1:
        return f"sentence {names[0]}"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{len(names)} sentences ({', '.join(names[:3])}{more})"
