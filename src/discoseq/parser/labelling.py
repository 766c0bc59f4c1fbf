"""Self-training, the first half: trees for raw text, each with a weight that says how certain it is.

After McClosky, Charniak & Johnson (2006), who train a parser on its own trees, and Zhou & Li (2005), who keep those on
which several classifiers agree.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from hashlib import blake2b
from itertools import combinations, islice, tee
from typing import Any, TypeAlias

from discoseq.decoding.decode import Candidate
from discoseq.errors import ParserError
from discoseq.evaluation.disco import DiscoRules
from discoseq.evaluation.parameters import default_parameters
from discoseq.parser.parser import DEFAULT_BEAM, Parser
from discoseq.training.silver import weight_comment
from discoseq.trees.transforms import VIRTUAL_ROOTS
from discoseq.trees.tree import Token, Tree

_BINS = 101  # of a histogram: from 0 to 100 percent
_ROUNDING = 1e-9  # 0.29 is 29 %
_PART = 256  # sentences that are parsed together, and lost together if the process is killed

Tokens: TypeAlias = tuple[Token, ...]
ParseAll: TypeAlias = Callable[[Iterable[list[Tokens]]], Generator[list[Candidate]]]  # the candidates of each sentence


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """Which sentences are parsed, and which of their trees are kept."""

    certainty: float = 0.0  # the lowest
    agreement: float = 0.0  # the lowest, where there are several models
    shortest: int = 1  # words
    longest: int | None = None
    limit: int | None = None  # trees

    def __post_init__(self) -> None:
        for name, value in (("certainty", self.certainty), ("agreement", self.agreement)):
            if not 0 <= value <= 1:
                raise ParserError(f"the lowest {name} must be from 0 to 1, not {value}")
        if self.longest is not None and self.longest < self.shortest:
            raise ParserError(f"no sentence has at least {self.shortest} and at most {self.longest} words")


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """What became of the sentences; counts of parts add up."""

    read: int = 0
    too_short: int = 0
    too_long: int = 0
    duplicates: int = 0  # of a sentence before
    excluded: int = 0  # sentences of a treebank that is to be kept apart
    uncertain: int = 0
    disputed: int = 0  # too little agreement; a sentence may be uncertain, too
    kept: int = 0
    weight: float = 0.0  # of all that were kept
    certainties: tuple[int, ...] = (0,) * _BINS  # how many of those that were parsed, by percent
    agreements: tuple[int, ...] = (0,) * _BINS

    def __add__(self, other: LabelCounts) -> LabelCounts:
        return LabelCounts(*(_sum(getattr(self, x.name), getattr(other, x.name)) for x in fields(self)))

    @property
    def parsed(self) -> int:
        return sum(self.certainties)


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """The trees of some sentences in a row."""

    counts: LabelCounts
    trees: list[Tree]  # with their weights in their comments


def label(
    sentences: Iterable[Tokens],
    models: Sequence[ParseAll],
    options: LabelOptions,
    excluded: Iterable[Sequence[str]] = (),
    done: LabelCounts | None = None,
) -> Generator[LabelledPart]:
    """Parse with every model on its own; the trees are those of the first, as far as they are certain enough.

    `done` is the sum of the counts that an earlier call yielded. The same sentences are given again, and it goes on
    where the earlier one ended.
    """
    total = done or LabelCounts()
    if total.kept == options.limit:
        return
    source = iter(sentences)
    selection = _Selection(options, excluded)
    for tokens in islice(source, total.read):
        selection.add(tokens)
    parts: deque[_Part] = deque()

    def to_parse() -> Iterator[list[Tokens]]:
        for part in selection.parts(source):
            parts.append(part)
            yield part.to_parse

    measure = _Measure(options)
    found: list[tuple[list[Candidate], ...]] = []
    with ExitStack() as stack:
        inputs = tee(to_parse(), len(models))
        streams = [stack.enter_context(closing(model(x))) for model, x in zip(models, inputs, strict=True)]
        for candidates in zip(*streams, strict=True):
            found.append(candidates)
            if len(found) == len(parts[0].to_parse):
                labelled = measure.choose(parts.popleft(), found, total.kept)
                found = []
                total += labelled.counts
                yield labelled
                if total.kept == options.limit:
                    return
    for part in parts:  # the last one, if nothing in it was to be parsed
        yield measure.choose(part, [], total.kept)


def parse_with(parser: Parser, beam_size: int = DEFAULT_BEAM) -> ParseAll:
    """One of the models of `label`, in this process."""

    def parse_all(parts: Iterable[list[Tokens]]) -> Generator[list[Candidate]]:
        for part in parts:
            yield from parser.nbest_all(part, 1, beam_size)

    return parse_all


def check_labels(parsers: Sequence[Parser]) -> None:
    """Refuse models that can't agree, because they have no labels in common."""
    first, *others = [set(parser.models[0].vocabularies.actions.labels) - VIRTUAL_ROOTS for parser in parsers]
    for number, labels in enumerate(others, 2):
        if not first & labels:
            raise ParserError(f"models 1 and {number} can't agree: they have no label in common")


def certainty(candidate: Candidate) -> float:
    """The geometric mean of the probabilities of its actions."""
    return math.exp(candidate.log_probability / len(candidate.actions))


class Agreement:
    """The mean F1 of pairs of trees, from 0 to 1, by the rules of disco-dop: roots and punctuation do not count."""

    def __init__(self) -> None:
        self._rules = DiscoRules(default_parameters("disco"))

    def of(self, trees: Sequence[Tree]) -> float:
        """Of at least two trees of one sentence."""
        scores = [self._f1(one, two) for one, two in combinations(trees, 2)]
        return sum(scores) / len(scores)

    def _f1(self, one: Tree, two: Tree) -> float:
        brackets = self._rules.score(one, two, "").counts.brackets
        if not brackets.gold and not brackets.predicted:
            return 1.0
        return (brackets.f1 or 0.0) / 100


class _Reason(StrEnum):
    """Why a sentence is not parsed; the name of its count."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    EXCLUDED = "excluded"
    DUPLICATE = "duplicates"


@dataclass(frozen=True, slots=True)
class _Part:
    """Some sentences in a row."""

    first: int  # how many sentences were before it
    entries: list[Tokens | _Reason] = field(default_factory=list)
    to_parse: list[Tokens] = field(default_factory=list)

    def add(self, entry: Tokens | _Reason) -> None:
        self.entries.append(entry)
        if not isinstance(entry, _Reason):
            self.to_parse.append(entry)


class _Selection:
    """Decides which sentences are parsed, and remembers those that were."""

    def __init__(self, options: LabelOptions, excluded: Iterable[Sequence[str]]) -> None:
        self._options = options
        self._excluded = {_digest(words) for words in excluded}
        self._seen: set[bytes] = set()
        self._count = 0

    def add(self, tokens: Tokens) -> Tokens | _Reason:
        self._count += 1
        if len(tokens) < self._options.shortest:
            return _Reason.TOO_SHORT
        if self._options.longest is not None and len(tokens) > self._options.longest:
            return _Reason.TOO_LONG
        digest = _digest([token.word for token in tokens])
        if digest in self._excluded:
            return _Reason.EXCLUDED
        if digest in self._seen:
            return _Reason.DUPLICATE
        self._seen.add(digest)
        return tokens

    def parts(self, source: Iterator[Tokens]) -> Iterator[_Part]:
        """After an interruption the parts are the same as without, and so are the scores to the last digit."""
        part = _Part(self._count)
        for tokens in source:
            part.add(self.add(tokens))
            if len(part.to_parse) == _PART:
                yield part
                part = _Part(self._count)
        if part.entries:
            yield part


class _Measure:
    """Keeps the trees that are certain enough."""

    def __init__(self, options: LabelOptions) -> None:
        self._options = options
        self._agreement = Agreement()

    def choose(self, part: _Part, found: Sequence[Sequence[list[Candidate]]], kept: int) -> LabelledPart:
        """What is kept of a part, up to the limit; `kept` is how many trees there were before it."""
        counts, trees, candidates = LabelCounts(), list[Tree](), iter(found)
        for number, entry in enumerate(part.entries, part.first + 1):
            if kept + counts.kept == self._options.limit:
                break
            if isinstance(entry, _Reason):
                counts += _one(entry)
                continue
            measured, tree = self._measured([of_model[0] for of_model in next(candidates)])
            counts += measured
            if tree is not None:
                trees.append(replace(tree, id=str(number)))
        return LabelledPart(counts, trees)

    def _measured(self, best: Sequence[Candidate]) -> tuple[LabelCounts, Tree | None]:
        """The counts of one sentence, and its tree if it is kept."""
        sure = certainty(best[0])
        agreed = self._agreement.of([candidate.tree for candidate in best]) if len(best) > 1 else None
        is_certain = sure >= self._options.certainty
        is_agreed = agreed is None or agreed >= self._options.agreement
        is_kept = is_certain and is_agreed
        weight = sure if agreed is None else sure * agreed
        counts = LabelCounts(
            read=1,
            uncertain=int(not is_certain),
            disputed=int(not is_agreed),
            kept=int(is_kept),
            weight=weight if is_kept else 0.0,
            certainties=_in_bins(sure),
            agreements=_in_bins(agreed),
        )
        measures = {"certainty": sure} if agreed is None else {"certainty": sure, "agreement": agreed}
        return counts, replace(best[0].tree, comment=weight_comment(weight, measures)) if is_kept else None


def _one(reason: _Reason) -> LabelCounts:
    counts: dict[str, Any] = {"read": 1, reason.value: 1}
    return LabelCounts(**counts)


def _digest(words: Sequence[str]) -> bytes:
    """Instead of the words, to remember millions of sentences."""
    return blake2b("\n".join(words).encode("utf-8"), digest_size=8).digest()


def _in_bins(value: float | None) -> tuple[int, ...]:
    """A histogram of one number, or of none."""
    counts = [0] * _BINS
    if value is not None:
        counts[int(100 * value + _ROUNDING)] = 1
    return tuple(counts)


def _sum(one: Any, two: Any) -> Any:
    return tuple(map(sum, zip(one, two, strict=True))) if isinstance(one, tuple) else one + two
