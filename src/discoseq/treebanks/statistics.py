"""Counts over a treebank: sizes, labels, discontinuity, nesting, unary chains; in one pass and constant memory."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from discoseq.trees.covers import gap_degree
from discoseq.trees.punctuation import cover_of_words
from discoseq.trees.tree import Tree


@dataclass(slots=True)
class Statistics:
    """Counts over all trees added so far. `bare` figures ignore punctuation, also as the contents of gaps."""

    sentences: int = 0
    tokens: int = 0
    constituents: int = 0
    lengths: Counter[int] = field(default_factory=Counter)  # sentences by number of tokens
    labels: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    discontinuous_sentences: int = 0
    bare_discontinuous_sentences: int = 0
    gap_degrees: Counter[int] = field(default_factory=Counter)  # constituents by number of gaps
    bare_gap_degrees: Counter[int] = field(default_factory=Counter)
    sentence_gap_degrees: Counter[int] = field(default_factory=Counter)  # sentences by their largest gap degree
    ill_nested_sentences: int = 0
    unary_chains: Counter[int] = field(default_factory=Counter)  # chains by number of constituents, 2 or more
    deepest: int = 0

    def add(self, tree: Tree) -> None:
        """Count one more tree."""
        words = cover_of_words(tree)
        degrees = []
        bare_degrees = []
        for constituent in tree.root.walk():
            degrees.append(constituent.gap_degree)
            bare_degrees.append(gap_degree(constituent.cover, words))
            self.labels[constituent.label] += 1
            if constituent.function:
                self.functions[constituent.function] += 1
        self.sentences += 1
        self.tokens += len(tree.tokens)
        self.constituents += len(degrees)
        self.lengths[len(tree.tokens)] += 1
        self.tags.update(token.tag or "--" for token in tree.tokens)
        self.functions.update(token.function for token in tree.tokens if token.function)
        self.gap_degrees.update(degrees)
        self.bare_gap_degrees.update(bare_degrees)
        self.sentence_gap_degrees[max(degrees)] += 1
        self.discontinuous_sentences += any(degrees)
        self.bare_discontinuous_sentences += any(bare_degrees)
        self.ill_nested_sentences += tree.is_ill_nested
        self.unary_chains.update(_unary_chains(tree))
        self.deepest = max(self.deepest, tree.depth)

    def as_dict(self) -> dict[str, object]:
        """Everything as plain values, for JSON."""
        gapped, bare = _with_gaps(self.gap_degrees), _with_gaps(self.bare_gap_degrees)
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "constituents": self.constituents,
            "length": {"mean": self.mean_length, "median": self.median_length, "max": max(self.lengths, default=0)},
            "depth": {"max": self.deepest},
            "discontinuous": {
                "sentences": self.discontinuous_sentences,
                "sentences_percent": _percent(self.discontinuous_sentences, self.sentences),
                "constituents": gapped,
                "constituents_percent": _percent(gapped, self.constituents),
            },
            "discontinuous_ignoring_punctuation": {
                "sentences": self.bare_discontinuous_sentences,
                "sentences_percent": _percent(self.bare_discontinuous_sentences, self.sentences),
                "constituents": bare,
                "constituents_percent": _percent(bare, self.constituents),
            },
            "gap_degrees": _sorted(self.gap_degrees),
            "gap_degrees_ignoring_punctuation": _sorted(self.bare_gap_degrees),
            "gap_degrees_of_sentences": _sorted(self.sentence_gap_degrees),
            "fan_out": _sorted(Counter({degree + 1: count for degree, count in self.gap_degrees.items()})),
            "ill_nested": {
                "sentences": self.ill_nested_sentences,
                "sentences_percent": _percent(self.ill_nested_sentences, self.sentences),
            },
            "unary_chains": {
                "count": self.unary_chains.total(),
                "longest": max(self.unary_chains, default=0),
                "lengths": _sorted(self.unary_chains),
            },
            "labels": dict(self.labels.most_common()),
            "tags": dict(self.tags.most_common()),
            "functions": dict(self.functions.most_common()),
        }

    @property
    def mean_length(self) -> float | None:
        return self.tokens / self.sentences if self.sentences else None

    @property
    def median_length(self) -> float | None:
        """The middle length, or the mean of the two in the middle."""
        if not self.sentences:
            return None
        low, high = (self.sentences - 1) // 2, self.sentences // 2  # the ranks in the middle
        ranks = accumulate(count for _, count in sorted(self.lengths.items()))
        bounds = list(zip(sorted(self.lengths), ranks, strict=True))
        middle = [next(length for length, end in bounds if rank < end) for rank in (low, high)]
        return sum(middle) / 2


def collect(trees: Iterable[Tree]) -> Statistics:
    """The statistics of all trees together."""
    statistics = Statistics()
    for tree in trees:
        statistics.add(tree)
    return statistics


def _unary_chains(tree: Tree) -> Iterator[int]:
    """The lengths of the maximal chains of constituents that each have one constituent as their only child."""
    length = 1
    for constituent in tree.root.walk():  # an only child comes right after its parent
        if len(constituent.children) == 1 and not isinstance(constituent.children[0], int):
            length += 1
            continue
        if length > 1:
            yield length
        length = 1


def _with_gaps(degrees: Counter[int]) -> int:
    return sum(count for degree, count in degrees.items() if degree)


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _sorted(counter: Counter[int]) -> dict[int, int]:
    return dict(sorted(counter.items()))
