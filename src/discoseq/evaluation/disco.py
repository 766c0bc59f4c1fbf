"""disco-dop's scoring rules (van Cranenburgh, Scha & Bod 2016): gold tags decide which tokens are deleted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import Bracket, BracketCounts, Counts, SentenceResult, count_matches
from discoseq.evaluation.parameters import Parameters, bracket_labeller, strip_label_disco
from discoseq.trees.escapes import NONE
from discoseq.trees.tree import Constituent, Tree

# a constituent, or a tag over its token, and its function
_WithFunction: TypeAlias = tuple[Bracket, str]


class DiscoRules:
    """Compares pairs of trees; covers are those of gold tokens, without deleted ones."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.label_to_compare = bracket_labeller(parameters, strip_label_disco)
        self._tag = lru_cache(maxsize=1 << 16)(lambda tag: strip_label_disco(tag or NONE))

    def score(self, gold: Tree, predicted: Tree, name: str) -> SentenceResult:
        """The counts of one pair; raises an EvaluationError if the words differ."""
        kept = self._kept(gold)
        positions = self._positions(gold, predicted, kept, name)
        one = self._brackets(gold.root, kept, None)
        two = self._brackets(predicted.root, kept, positions)
        tags = self._compare_tags(gold, predicted, positions, kept)
        brackets = count_matches(one.all, two.all)
        is_discontinuous = bool(one.discontinuous or two.discontinuous)
        discontinuous = count_matches(one.discontinuous, two.discontinuous) if is_discontinuous else BracketCounts()
        length = self._length(gold)
        counts = Counts(
            sentences=1,
            longest=length,
            brackets=brackets,
            exact=int(brackets.matched == brackets.gold == brackets.predicted),
            discontinuous=discontinuous,
            discontinuous_sentences=int(is_discontinuous),
            discontinuous_exact=int(
                is_discontinuous and discontinuous.matched == discontinuous.gold == discontinuous.predicted
            ),
            words=kept.bit_count(),
            correct_tags=tags.correct,
            functions=_count_functions(one, two, one.all, two.all, tags),
            discontinuous_functions=_count_functions(one, two, one.discontinuous, two.discontinuous, tags),
        )
        remarks = self._remarks(gold, predicted, positions)
        return SentenceResult(
            name, length, counts, remarks=remarks, gold_brackets=one.all, predicted_brackets=two.all, kept=kept
        )

    def differences(self, gold: Tree, predicted: Tree, name: str) -> tuple[list[Constituent], list[Constituent]]:
        """The scored constituents of gold that the parse lacks, and those of the parse that gold lacks."""
        kept = self._kept(gold)
        one = self._brackets(gold.root, kept, None)
        two = self._brackets(predicted.root, kept, self._positions(gold, predicted, kept, name))
        return _unmatched(one, two), _unmatched(two, one)

    def score_missing(self, gold: Tree, name: str) -> SentenceResult:
        """The counts of a missing parse, which has no brackets and no correct tags."""
        kept = self._kept(gold)
        brackets = self._brackets(gold.root, kept, None)
        length = self._length(gold)
        counts = Counts(
            sentences=1,
            missing=1,
            longest=length,
            brackets=BracketCounts(gold=len(brackets.all)),
            discontinuous=BracketCounts(gold=len(brackets.discontinuous)),
            discontinuous_sentences=int(bool(brackets.discontinuous)),
            words=kept.bit_count(),
        )
        return SentenceResult(name, length, counts, gold_brackets=brackets.all, kept=kept)

    def _remarks(self, gold: Tree, predicted: Tree, positions: Sequence[int] | None) -> tuple[str, ...]:
        remarks = []
        for root in (gold.root, predicted.root):
            if strip_label_disco(root.label) in self.parameters.equal_labels:
                remarks.append(f"EQ_LABEL applies to the root {root.label}; in disco-dop, the result varies")
        if positions and any(gold.tokens[at].word != predicted.tokens[i].word for i, at in enumerate(positions)):
            remarks.append("some words are equal only by EQ_WORD; disco-dop stops with an error there")
        return tuple(dict.fromkeys(remarks))

    def _kept(self, gold: Tree) -> int:
        """The gold tokens that are not deleted, as a bitset."""
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
        deleted = self.parameters.deleted_for_length
        return sum(1 for token in gold.tokens if self._tag(token.tag) not in deleted) if deleted else len(gold.tokens)

    def _positions(self, gold: Tree, predicted: Tree, kept: int, name: str) -> list[int] | None:
        """The gold positions of the predicted tokens, None if both sides have the same words."""
        gold_words, predicted_words = gold.words, predicted.words
        if gold_words == predicted_words:
            return None
        return _align(gold_words, predicted_words, kept, self.parameters.equal_words, name)

    def _brackets(self, root: Constituent, kept: int, positions: Sequence[int] | None) -> "_Brackets":
        brackets: list[Bracket] = []
        constituents: list[Constituent] = []
        discontinuous: list[Bracket] = []
        functions: list[_WithFunction] = []
        agenda = [root]
        for constituent in agenda:
            cover = constituent.cover if positions is None else _move(constituent.cover, positions)
            cover &= kept
            if not cover:
                continue
            label = self.label_to_compare(constituent.label)
            if label is not None:
                bracket = (label, cover)
                brackets.append(bracket)
                constituents.append(constituent)
                # is there a token between the first and the last one that is neither deleted nor covered?
                if kept & ((1 << cover.bit_length()) - (cover & -cover)) != cover:
                    discontinuous.append(bracket)
                if constituent.function is not None:
                    functions.append((bracket, constituent.function))
            for child in constituent.children:
                if not isinstance(child, int):
                    agenda.append(child)
        return _Brackets(brackets, constituents, discontinuous, functions)

    def _compare_tags(self, gold: Tree, predicted: Tree, positions: Sequence[int] | None, kept: int) -> "_Tags":
        correct = 0
        gold_functions: list[_WithFunction] = []
        predicted_functions: list[_WithFunction] = []
        for number, two in enumerate(predicted.tokens):
            position = number if positions is None else positions[number]
            if not kept >> position & 1:
                continue
            one = gold.tokens[position]
            tag = self._tag(one.tag)
            if tag == self._tag(two.tag):
                correct += 1
                if one.function is not None:
                    gold_functions.append(((tag, 1 << position), one.function))
                if two.function is not None:
                    predicted_functions.append(((tag, 1 << position), two.function))
        return _Tags(correct, gold_functions, predicted_functions)


@dataclass(frozen=True, slots=True)
class _Brackets:
    """The brackets of one tree."""

    all: list[Bracket]
    constituents: list[Constituent]  # of the brackets
    discontinuous: list[Bracket]
    functions: list[_WithFunction]


@dataclass(frozen=True, slots=True)
class _Tags:
    """The number of correct tags and the functions of the tokens that have them."""

    correct: int
    gold_functions: list[_WithFunction]
    predicted_functions: list[_WithFunction]


def _unmatched(brackets: _Brackets, others: _Brackets) -> list[Constituent]:
    """The constituents without a match; of several with equal brackets the outermost match."""
    left = Counter(others.all)
    unmatched = []
    for bracket, constituent in zip(brackets.all, brackets.constituents, strict=True):
        if left[bracket]:
            left[bracket] -= 1
        else:
            unmatched.append(constituent)
    return unmatched


def _count_functions(
    gold: _Brackets,
    predicted: _Brackets,
    gold_brackets: Sequence[Bracket],
    predicted_brackets: Sequence[Bracket],
    tags: _Tags,
) -> BracketCounts:
    """Match the functions of constituents that are in both trees, and of tokens with a correct tag."""
    if not (gold.functions or predicted.functions or tags.gold_functions or tags.predicted_functions):
        return BracketCounts()
    in_gold, in_predicted = set(gold_brackets), set(predicted_brackets)
    one = _split_functions([x for x in gold.functions if x[0] in in_predicted] + tags.gold_functions)
    two = _split_functions([x for x in predicted.functions if x[0] in in_gold] + tags.predicted_functions)
    return BracketCounts((Counter(one) & Counter(two)).total(), len(one), len(two))


def _split_functions(functions: Sequence[_WithFunction]) -> list[_WithFunction]:
    """`SBJ-1` is two functions; a gapping index (`=2`) is none."""
    return [
        (bracket, part)
        for bracket, function in functions
        for part in (function.partition("-")[2] if function.startswith("=") else function).split("-")
        if part
    ]


def _align(
    gold: Sequence[str], predicted: Sequence[str], kept: int, equal_words: Mapping[str, str], name: str
) -> list[int]:
    """The gold position of every predicted token: from left to right, the first gold token with an equal word.

    A parse may lack deleted tokens (punctuation, traces); every other gold token must be in it.
    """
    positions: list[int] = []
    start = 0
    for number, word in enumerate(predicted):
        wanted = equal_words.get(word, word)
        for position in range(start, len(gold)):
            if equal_words.get(gold[position], gold[position]) == wanted:
                break
        else:
            raise EvaluationError(f"sentence {name}: {_difference(gold, predicted, number, equal_words)}")
        positions.append(position)
        start = position + 1
    lost = kept & ~sum(1 << position for position in positions)
    if lost:
        first = (lost & -lost).bit_length() - 1
        raise EvaluationError(f"sentence {name}: the parse lacks the word {gold[first]!r} (gold token {first + 1})")
    return positions


def _difference(gold: Sequence[str], predicted: Sequence[str], number: int, equal_words: Mapping[str, str]) -> str:
    if len(gold) == len(predicted):
        # the alignment may have failed later than at the first difference
        for position, (one, two) in enumerate(zip(gold, predicted, strict=True), 1):
            if equal_words.get(one, one) != equal_words.get(two, two):
                return f"token {position} is {one!r} in gold and {two!r} in the parse"
    return f"the word {predicted[number]!r} (token {number + 1} of the parse) can't be aligned with a gold token"


def _move(cover: int, positions: Sequence[int]) -> int:
    """A cover of predicted tokens as a cover of gold tokens."""
    moved = 0
    while cover:
        lowest = cover & -cover
        moved |= 1 << positions[lowest.bit_length() - 1]
        cover ^= lowest
    return moved
