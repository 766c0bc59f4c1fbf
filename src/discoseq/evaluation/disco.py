"""disco-dop's rules (van Cranenburgh, Scha & Bod 2016): gold tokens decide what is deleted on both sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from discoseq.evaluation.alignment import align, move
from discoseq.evaluation.counts import BracketCounts, Counts
from discoseq.evaluation.functions import Marked, count_functions
from discoseq.evaluation.labels import bracket_labeller, cut_for_disco
from discoseq.evaluation.matching import Bracket, count_matches
from discoseq.evaluation.parameters import Parameters
from discoseq.evaluation.sentence import SentenceResult
from discoseq.treebanks.escapes import NONE
from discoseq.trees.tree import Constituent, Tree


class DiscoRules:
    """Compares pairs of trees; positions are those of gold tokens, and deleted tokens are masked out of every cover."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self._label = bracket_labeller(parameters, cut_for_disco)
        self._tag = lru_cache(maxsize=1 << 16)(lambda tag: cut_for_disco(tag or NONE))

    def score(self, gold: Tree, predicted: Tree, name: str) -> SentenceResult:
        """The counts of one pair; raises an EvaluationError where the words do not agree."""
        kept = self._kept(gold)
        places = self._places(gold, predicted, kept, name)
        one = self._side(gold.root, kept, None)
        two = self._side(predicted.root, kept, places)
        words = self._words(gold, predicted, places, kept)
        brackets = count_matches(one.brackets, two.brackets)
        gapped = count_matches(one.gapped, two.gapped) if one.gapped or two.gapped else BracketCounts()
        has_gaps = bool(one.gapped or two.gapped)
        length = self._length(gold)
        counts = Counts(
            sentences=1,
            longest=length,
            brackets=brackets,
            exact=int(brackets.matched == brackets.gold == brackets.predicted),
            discontinuous=gapped,
            discontinuous_sentences=int(has_gaps),
            discontinuous_exact=int(has_gaps and gapped.matched == gapped.gold == gapped.predicted),
            words=kept.bit_count(),
            correct_tags=words.correct,
            functions=_functions(one, two, one.brackets, two.brackets, words),
            discontinuous_functions=_functions(one, two, one.gapped, two.gapped, words),
        )
        return SentenceResult(
            name,
            length,
            counts,
            remarks=self._remarks(gold, predicted, places),
            gold_brackets=one.brackets,
            predicted_brackets=two.brackets,
            kept=kept,
        )

    def score_missing(self, gold: Tree, name: str) -> SentenceResult:
        """As if there were a parse, but one without brackets and without a right tag."""
        kept = self._kept(gold)
        side = self._side(gold.root, kept, None)
        length = self._length(gold)
        counts = Counts(
            sentences=1,
            missing=1,
            longest=length,
            brackets=BracketCounts(gold=len(side.brackets)),
            discontinuous=BracketCounts(gold=len(side.gapped)),
            discontinuous_sentences=int(bool(side.gapped)),
            words=kept.bit_count(),
        )
        return SentenceResult(name, length, counts, gold_brackets=side.brackets, kept=kept)

    def _remarks(self, gold: Tree, predicted: Tree, places: Sequence[int] | None) -> tuple[str, ...]:
        remarks = []
        for root in (gold.root, predicted.root):
            if cut_for_disco(root.label) in self.parameters.equal_labels:
                remarks.append(f"EQ_LABEL holds for the root {root.label}, where disco-dop decides by chance")
        if places and any(gold.tokens[place].word != predicted.tokens[i].word for i, place in enumerate(places)):
            remarks.append("some words are equal by EQ_WORD only, at which disco-dop ends")
        return tuple(dict.fromkeys(remarks))

    def _kept(self, gold: Tree) -> int:
        labels, words = self.parameters.deleted_labels, self.parameters.deleted_words
        tag_of = self._tag
        kept = 0
        bit = 1
        for token in gold.tokens:
            if token.word not in words and tag_of(token.tag) not in labels:
                kept |= bit
            bit <<= 1
        return kept

    def _length(self, gold: Tree) -> int:
        exempt = self.parameters.deleted_for_length
        return sum(1 for token in gold.tokens if self._tag(token.tag) not in exempt) if exempt else len(gold.tokens)

    def _places(self, gold: Tree, predicted: Tree, kept: int, name: str) -> list[int] | None:
        """The gold positions of the predicted tokens; None where they are the same."""
        gold_words, predicted_words = gold.words, predicted.words
        if gold_words == predicted_words:
            return None
        return align(gold_words, predicted_words, kept, self.parameters.equal_words, name)

    def _side(self, root: Constituent, kept: int, places: Sequence[int] | None) -> "_Side":
        brackets: list[Bracket] = []
        gapped: list[Bracket] = []
        functions: list[Marked] = []
        agenda = [root]
        for constituent in agenda:
            cover = (constituent.cover if places is None else move(constituent.cover, places)) & kept
            if not cover:
                continue
            label = self._label(constituent.label)
            if label is not None:
                bracket = (label, cover)
                brackets.append(bracket)
                # from the first to the last token, is there one that was kept but is not covered?
                if kept & ((1 << cover.bit_length()) - (cover & -cover)) != cover:
                    gapped.append(bracket)
                if constituent.function is not None:
                    functions.append((bracket, constituent.function))
            for child in constituent.children:
                if not isinstance(child, int):
                    agenda.append(child)
        return _Side(brackets, gapped, functions)

    def _words(self, gold: Tree, predicted: Tree, places: Sequence[int] | None, kept: int) -> "_Words":
        correct = 0
        gold_functions: list[Marked] = []
        predicted_functions: list[Marked] = []
        for number, two in enumerate(predicted.tokens):
            place = number if places is None else places[number]
            if not kept >> place & 1:
                continue
            one = gold.tokens[place]
            tag = self._tag(one.tag)
            if tag == self._tag(two.tag):
                correct += 1
                if one.function is not None:
                    gold_functions.append(((tag, 1 << place), one.function))
                if two.function is not None:
                    predicted_functions.append(((tag, 1 << place), two.function))
        return _Words(correct, gold_functions, predicted_functions)


@dataclass(frozen=True, slots=True)
class _Side:
    brackets: list[Bracket]
    gapped: list[Bracket]
    functions: list[Marked]


@dataclass(frozen=True, slots=True)
class _Words:
    correct: int
    gold_functions: list[Marked]  # of the words whose tags are equal
    predicted_functions: list[Marked]


_NO_FUNCTIONS = BracketCounts()


def _functions(
    one: _Side, two: _Side, gold_brackets: list[Bracket], predicted_brackets: list[Bracket], words: _Words
) -> BracketCounts:
    if not (one.functions or two.functions or words.gold_functions or words.predicted_functions):
        return _NO_FUNCTIONS
    return count_functions(
        one.functions,
        two.functions,
        gold_brackets,
        predicted_brackets,
        words.gold_functions,
        words.predicted_functions,
    )
