"""EVALB's scoring rules (Sekine & Collins 1997): both sides delete tokens by their own tags, then compare words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import zip_longest

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import (
    Bracket,
    BracketCounts,
    Counts,
    RootDifferences,
    SentenceResult,
    Status,
    count_crossing,
    count_matches,
)
from discoseq.evaluation.evalb_quotes import QUOTE_WORDS, QuoteToken, quotes_to_restore
from discoseq.evaluation.parameters import Missing, Parameters, bracket_labeller, strip_label_evalb
from discoseq.trees.escapes import NONE, unescape_bracket_label
from discoseq.trees.tree import Token, Tree

_FEW_CROSSINGS = 2

_SPACE = r"[ \t\n\r\f\v]"
_TEXT = r"[^ \t\n\r\f\v()]"
# The groups are the label after an opening bracket; the word and the closing brackets after it, if it is a terminal;
# closing brackets elsewhere; and text outside of terminals. Possessive quantifiers prevent backtracking.
_PIECE = re.compile(rf"\(({_TEXT}*+)(?:{_SPACE}++({_TEXT}*+){_SPACE}*+(\)++))?|(\)++)|({_TEXT}++)")

_unescape = lru_cache(maxsize=1 << 16)(unescape_bracket_label)


@dataclass(frozen=True, slots=True)
class EvalbSentence:
    """One side of a pair: the words that are not deleted, and brackets that cover positions among them."""

    words: list[str]
    tags: list[str]
    brackets: list[Bracket]  # those that are scored, with the labels to compare
    length: int  # all terminals but those of DELETE_LABEL_FOR_LENGTH
    has_terminals: bool  # before deletion
    root: str | None  # the label of the first outermost bracket
    restore: Callable[[frozenset[int]], EvalbSentence]  # the same with these terminals put back
    quotes: Sequence[QuoteToken] = ()
    faults: tuple[str, ...] = ()


class EvalbRules:
    """Compares line n of the gold file with line n of the parses."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self._label = bracket_labeller(parameters, strip_label_evalb)

    def score_all(
        self,
        gold: Iterable[EvalbSentence],
        predicted: Iterable[EvalbSentence],
        missing: Missing,
        on_note: Callable[[str], None],
    ) -> Iterator[SentenceResult]:
        """Score all pairs in order, up to the end of the shorter side; too many errors are an EvaluationError."""
        errors = 0
        roots = RootDifferences(self._label)
        for number, (one, two) in enumerate(zip_longest(gold, predicted), 1):
            name = str(number)
            result = self._score(one, two, missing, name)
            for fault in result.faults:
                errors += 1
                # EVALB stops at the second error beyond MAX_ERROR
                if errors > self.parameters.max_errors + 1:
                    raise EvaluationError(
                        f"sentence {name}: {fault}; this is error {errors}, and scoring stops because MAX_ERROR is "
                        f"{self.parameters.max_errors}"
                    )
                on_note(f"sentence {name}: {fault}")
            if not result.counts.sentences:
                break
            if one and two and result.counts.valid and not result.counts.missing:
                roots.add(one.root, two.root)
            yield result
        for note in roots.notes():
            on_note(note)

    def read_line(self, line: str, location: str, restored: frozenset[int] = frozenset()) -> EvalbSentence:
        """Read the brackets on a line: one tree, several or none; unbalanced brackets are a fault of the sentence.

        Text outside of brackets is an EvaluationError with the location, because EVALB stops there, too.
        """
        label_to_compare = self._label
        deleted, deleted_for_length = self.parameters.deleted_labels, self.parameters.deleted_for_length
        quote_labels = self.parameters.quote_labels
        words: list[str] = []
        tags: list[str] = []
        brackets: list[Bracket] = []
        open_brackets: list[tuple[str, int]] = []
        quotes: list[QuoteToken] = []
        root: str | None = None
        terminals = length = surplus = 0
        end = 1  # the bit of the next word
        for label, word, word_end, closings, stray in _PIECE.findall(line):
            if word_end:
                tag = _unescape(label)
                is_deleted = tag in deleted and terminals not in restored
                if tag in quote_labels and word in QUOTE_WORDS:
                    quotes.append(QuoteToken(terminals, len(words), tag, is_deleted))
                terminals += 1
                if tag not in deleted_for_length:
                    length += 1
                if not is_deleted:
                    words.append(word)
                    tags.append(tag)
                    end <<= 1
                closings = word_end[1:]
            elif stray:
                raise EvaluationError(f"{location}: unexpected text {stray!r}; every word needs its own (TAG word)")
            elif not closings:
                open_brackets.append((_unescape(label), end))
                root = _unescape(label) if root is None else root
            for _ in closings:
                if not open_brackets:
                    surplus += 1
                    continue
                label, start = open_brackets.pop()
                compared = label_to_compare(label) if start != end else None
                if compared is not None:
                    brackets.append((compared, end - start))
        faults = ["a closing bracket has no opening bracket"] * surplus
        if open_brackets:
            faults.append("a bracket is not closed")
        restore = partial(self.read_line, line, location)
        return EvalbSentence(words, tags, brackets, length, terminals > 0, root, restore, quotes, tuple(faults))

    def from_tree(self, tree: Tree, name: str, restored: frozenset[int] = frozenset()) -> EvalbSentence:
        """What `read_line` would return for the line of this tree; discontinuous trees are an EvaluationError."""
        tags = [_full_tag(token) for token in tree.tokens]
        kept = [i for i, tag in enumerate(tags) if tag not in self.parameters.deleted_labels or i in restored]
        bits = _bits_of_kept(kept, len(tags))
        label_to_compare = self._label
        brackets: list[Bracket] = []
        agenda = [tree.root]
        for constituent in agenda:
            cover = constituent.cover
            first = cover & -cover
            if (cover + first) & cover:
                raise EvaluationError(
                    f"sentence {name}: {constituent.label or 'a constituent'} is discontinuous, which EVALB does not "
                    "support; use the rules of disco-dop"
                )
            kept_cover = bits[cover.bit_length()] - bits[max(0, first.bit_length() - 1)]
            compared = label_to_compare(constituent.label) if kept_cover else None
            if compared is not None:
                brackets.append((compared, kept_cover))
            for child in constituent.children:
                if not isinstance(child, int):
                    agenda.append(child)
        return EvalbSentence(
            words=[tree.tokens[i].word for i in kept],
            tags=[tags[i] for i in kept],
            brackets=brackets,
            length=sum(1 for tag in tags if tag not in self.parameters.deleted_for_length),
            has_terminals=bool(tags),
            root=tree.root.label,
            restore=partial(self.from_tree, tree, name),
            quotes=[
                QuoteToken(i, bits[i].bit_length() - 1, tag, bits[i] == bits[i + 1])
                for i, tag in enumerate(tags)
                if tag in self.parameters.quote_labels and tree.tokens[i].word in QUOTE_WORDS
            ],
        )

    def from_trees(self, trees: Iterable[Tree]) -> Iterator[EvalbSentence]:
        """All trees, numbered from 1."""
        return (self.from_tree(tree, str(number)) for number, tree in enumerate(trees, 1))

    def _score(
        self, gold: EvalbSentence | None, predicted: EvalbSentence | None, missing: Missing, name: str
    ) -> SentenceResult:
        if gold is None:
            return _past_the_end("gold tree", name)
        if missing is Missing.EMPTY and not (predicted and predicted.has_terminals):
            return self._count_missing(gold, name) if gold.has_terminals else _skipped(gold, name)
        if predicted is None:
            return _past_the_end("parse", name)
        return self._compare(gold, predicted, name)

    def _compare(self, gold: EvalbSentence, predicted: EvalbSentence, name: str) -> SentenceResult:
        """The counts of one pair, or the reason why it is not scored."""
        faults = gold.faults + predicted.faults
        if not predicted.words:
            return _skipped(gold, name, faults)
        if len(gold.words) != len(predicted.words):
            in_gold, in_predicted = quotes_to_restore(gold.quotes, predicted.quotes)
            gold = gold.restore(in_gold) if in_gold else gold
            predicted = predicted.restore(in_predicted) if in_predicted else predicted
        faults += self._disagreement(gold, predicted)
        if faults:
            return _error(gold, name, faults)
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

    def _count_missing(self, gold: EvalbSentence, name: str) -> SentenceResult:
        """The counts of a missing parse, which has no brackets and no correct tags."""
        if gold.faults:
            return _error(gold, name, gold.faults)
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

    def _disagreement(self, gold: EvalbSentence, predicted: EvalbSentence) -> tuple[str, ...]:
        if len(gold.words) != len(predicted.words):
            return (f"gold has {len(gold.words)} words after deletion, but the parse has {len(predicted.words)}",)
        if gold.words == predicted.words:
            return ()
        equal = self.parameters.equal_words
        for one, two in zip(gold.words, predicted.words, strict=True):
            if equal.get(one, one) != equal.get(two, two):
                return (f"the gold word {one!r} is {two!r} in the parse",)
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
    return SentenceResult(
        name, gold.length, Counts(sentences=1, skipped=1, longest=gold.length), Status.SKIPPED, faults
    )


def _error(gold: EvalbSentence, name: str, faults: tuple[str, ...]) -> SentenceResult:
    return SentenceResult(name, gold.length, Counts(sentences=1, errors=1, longest=gold.length), Status.ERROR, faults)


def _past_the_end(what: str, name: str) -> SentenceResult:
    """A result without sentences: one side has ended."""
    fault = f"there is no {what}, so scoring ends with the sentence before"
    return SentenceResult(name, 0, Counts(), Status.ERROR, (fault,))


def _full_tag(token: Token) -> str:
    """The tag with its function, as bracket files have it."""
    tag = token.tag or NONE
    if token.function is None:
        return tag
    return tag + token.function if token.function.startswith("=") else f"{tag}-{token.function}"


def _bits_of_kept(kept: Sequence[int], count: int) -> list[int]:
    """For token 0, 1, ..., count: the bit, among kept tokens, of the first kept token from there on."""
    is_kept = set(kept)
    bits = [1]
    for i in range(count):
        bits.append(bits[-1] << (i in is_kept))
    return bits
