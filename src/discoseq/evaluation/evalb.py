"""EVALB's rules (Sekine & Collins 1997): each side deletes by its own tags; what then differs in words is left out."""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import BracketCounts, Counts
from discoseq.evaluation.evalb_sentence import EvalbSentence, from_tree, read_line
from discoseq.evaluation.labels import bracket_labeller, cut_for_evalb
from discoseq.evaluation.matching import count_crossing, count_matches
from discoseq.evaluation.pairing import Missing
from discoseq.evaluation.parameters import Parameters
from discoseq.evaluation.sentence import SentenceResult, Status
from discoseq.trees.tree import Tree

_FEW_CROSSINGS = 2


class EvalbRules:
    """Compares what stands on line n of gold with what stands on line n of the parse."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self._label = bracket_labeller(parameters, cut_for_evalb)

    def score_all(
        self,
        gold: Iterable[EvalbSentence],
        predicted: Iterable[EvalbSentence],
        missing: Missing,
        tell: Callable[[str], None],
    ) -> Iterator[SentenceResult]:
        """Every pair in order, up to the end of the shorter side; too many errors end the run."""
        errors = 0
        for number, (one, two) in enumerate(zip_longest(gold, predicted), 1):
            name = str(number)
            result = self._score(one, two, missing, name)
            for fault in result.faults:
                errors += 1
                # the first error beyond MAX_ERROR is tolerated too
                if errors > self.parameters.max_errors + 1:
                    raise EvaluationError(
                        f"sentence {name}: {fault}; this is error {errors}, and MAX_ERROR {self.parameters.max_errors} "
                        "ends the run here"
                    )
                tell(f"sentence {name}: {fault}")
            if not result.counts.sentences:
                return
            yield result

    def read(self, line: str, place: str) -> EvalbSentence:
        """What stands on a line of a bracket file; the place is for messages."""
        return read_line(line, self.parameters, self._label, place)

    def views(self, trees: Iterable[Tree]) -> Iterator[EvalbSentence]:
        """The same for trees, which have to be continuous."""
        for number, tree in enumerate(trees, 1):
            yield from_tree(tree, self.parameters, self._label, str(number))

    def compare(self, gold: EvalbSentence, predicted: EvalbSentence, name: str) -> SentenceResult:
        """The counts of one pair, or why it does not count."""
        faults = gold.faults + predicted.faults
        if not predicted.words:
            return _skipped(gold, name, faults)
        faults += self._disagreement(gold, predicted)
        if faults:
            return _error(gold, faults, name)
        brackets = count_matches(gold.brackets, predicted.brackets)
        crossing = count_crossing(gold.brackets, predicted.brackets)
        counts = Counts(
            sentences=1,
            longest=gold.length,
            brackets=brackets,
            exact=int(brackets.matched == brackets.gold == brackets.predicted),
            words=len(gold.words),
            correct_tags=self._correct_tags(gold.tags, predicted.tags),
            crossing=crossing,
            without_crossing=int(crossing == 0),
            with_few_crossings=int(crossing <= _FEW_CROSSINGS),
        )
        kept = (1 << len(gold.words)) - 1
        return SentenceResult(
            name, gold.length, counts, gold_brackets=gold.brackets, predicted_brackets=predicted.brackets, kept=kept
        )

    def compare_missing(self, gold: EvalbSentence, name: str) -> SentenceResult:
        """As if there were a parse, but one without brackets and without a right tag."""
        if gold.faults:
            return _error(gold, gold.faults, name)
        counts = Counts(
            sentences=1,
            missing=1,
            longest=gold.length,
            brackets=BracketCounts(gold=len(gold.brackets)),
            words=len(gold.words),
            without_crossing=1,
            with_few_crossings=1,
        )
        kept = (1 << len(gold.words)) - 1
        return SentenceResult(name, gold.length, counts, gold_brackets=gold.brackets, kept=kept)

    def _score(
        self, gold: EvalbSentence | None, predicted: EvalbSentence | None, missing: Missing, name: str
    ) -> SentenceResult:
        if gold is None:
            return SentenceResult(
                name, 0, Counts(), Status.ERROR, ("gold ends before it, so only what precedes it is scored",)
            )
        if missing is Missing.EMPTY and not (predicted and predicted.has_terminals):
            return self.compare_missing(gold, name) if gold.has_terminals else _skipped(gold, name)
        if predicted is None:
            return SentenceResult(
                name, 0, Counts(), Status.ERROR, ("the parse ends before it, so only what precedes it is scored",)
            )
        return self.compare(gold, predicted, name)

    def _disagreement(self, gold: EvalbSentence, predicted: EvalbSentence) -> tuple[str, ...]:
        if len(gold.words) != len(predicted.words):
            return (f"{len(gold.words)} words in gold but {len(predicted.words)} in the parse are left after deletion",)
        if gold.words == predicted.words:
            return ()
        equal = self.parameters.equal_words
        for one, two in zip(gold.words, predicted.words, strict=True):
            if equal.get(one, one) != equal.get(two, two):
                return (f"the word {one!r} of gold is {two!r} in the parse",)
        return ()

    def _correct_tags(self, gold: list[str], predicted: list[str]) -> int:
        if gold == predicted:
            return len(gold)
        equal = self.parameters.equal_labels
        return sum(
            1
            for one, two in zip(gold, predicted, strict=True)
            if one == two or equal.get(one, one) == equal.get(two, two)
        )


def _skipped(gold: EvalbSentence, name: str, faults: tuple[str, ...] = ()) -> SentenceResult:
    counts = Counts(sentences=1, skipped=1, longest=gold.length)
    return SentenceResult(name, gold.length, counts, Status.SKIPPED, faults)


def _error(gold: EvalbSentence, faults: tuple[str, ...], name: str) -> SentenceResult:
    counts = Counts(sentences=1, errors=1, longest=gold.length)
    return SentenceResult(name, gold.length, counts, Status.ERROR, faults)
