"""The dependencies of a sentence: what a parser says about it, and a graph that repairs can change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from discoseq.errors import TreeError

_DEEPEST = 150  # phrases are built by recursion
ROOT = -1  # the head of the word that has none
PUNCTUATION = frozenset(["$,", "$.", "$("])
FINITE = frozenset(["VVFIN", "VAFIN", "VMFIN", "VVIMP", "VAIMP"])
NONFINITE = frozenset(["VVINF", "VAINF", "VMINF", "VVPP", "VAPP", "VMPP", "VVIZU"])
VERBS = FINITE | NONFINITE
PREPOSITIONS = frozenset(["APPR", "APPRART", "APPO", "APZR", "PROAV"])
NOUNS = frozenset(["NN", "NE", "NNE", "FM", "TRUNC", "PPER", "PIS", "PDS", "PRELS", "PRF", "PWS", "PPOSS", "XY"])
AUXILIARIES = frozenset(["VAFIN", "VMFIN", "VAINF", "VMINF", "VAPP"])
COORDINATION = frozenset(["cd", "cj"])  # the conjunction, a further conjunct


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A sentence with its STTS tags, heads (ROOT for none) and functions in the names of TIGER, in lower case."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    functions: tuple[str, ...]

    def __post_init__(self) -> None:
        count = len(self.words)
        if not count:
            raise TreeError("a sentence without words has no tree")
        if not count == len(self.tags) == len(self.heads) == len(self.functions):
            raise TreeError("words, tags, heads and functions are not of one length")
        for word, head in enumerate(self.heads):
            if not ROOT <= head < count:
                raise TreeError(f"the head of word {word} is {head}, in a sentence of {count} words")
        for word in range(count):
            above, depth = word, 0
            while above != ROOT and depth <= min(count, _DEEPEST):
                above, depth = self.heads[above], depth + 1
            if above != ROOT:
                what = (
                    f"is more than {_DEEPEST} dependencies deep" if count > _DEEPEST else "is in a cycle, or below one"
                )
                raise TreeError(f"word {word} {what}")


class Graph:
    """Dependencies that can be changed. Punctuation is left out of them: what depends on it depends on its head."""

    def __init__(self, sentence: Dependencies) -> None:
        self.words = sentence.words
        self.tags = list(sentence.tags)
        self.functions = list(sentence.functions)
        self.heads = [self._head_among_words(sentence, word) for word in range(len(self.words))]
        self.dependents: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head != ROOT and not self.is_punctuation(word):
                self.dependents[head].append(word)

    def is_punctuation(self, word: int) -> bool:
        return self.tags[word] in PUNCTUATION

    def tops(self) -> Iterator[int]:
        """The words without a head."""
        return (word for word, head in enumerate(self.heads) if head == ROOT and not self.is_punctuation(word))

    def attach(self, word: int, head: int, function: str | None = None) -> None:
        """Give a word another head; a head that is below the word is refused, and nothing changes."""
        if head != ROOT and head in self.below(word):
            return
        if self.heads[word] != ROOT:
            self.dependents[self.heads[word]].remove(word)
        self.heads[word] = head
        if function is not None:
            self.functions[word] = function
        if head != ROOT:
            self.dependents[head].append(word)
            self.dependents[head].sort()

    def having(self, head: int, *functions: str) -> list[int]:
        """The dependents that have one of the functions, from left to right."""
        return [word for word in self.dependents[head] if self.functions[word] in functions]

    def below(self, head: int) -> list[int]:
        """A word and all words below it, in sentence order."""
        found = [head]
        for word in found:
            found.extend(self.dependents[word])
        return sorted(found)

    def own_dependents(self, word: int) -> list[int]:
        """The dependents of a word but for those that are coordinated with it."""
        return [dependent for dependent in self.dependents[word] if self.functions[dependent] not in COORDINATION]

    def conjuncts(self, first: int) -> tuple[list[int], list[int]]:
        """The further conjuncts and the conjunctions of the coordination that begins with a word."""
        further: list[int] = []
        conjunctions: list[int] = []
        for word in self.having(first, *COORDINATION):
            (further if self.functions[word] == "cj" else conjunctions).append(word)
            more, more_conjunctions = self.conjuncts(word)
            further += more
            conjunctions += more_conjunctions
        return further, conjunctions

    def _head_among_words(self, sentence: Dependencies, word: int) -> int:
        head = sentence.heads[word]
        while head != ROOT and self.is_punctuation(head):
            head = sentence.heads[head]
        return head
