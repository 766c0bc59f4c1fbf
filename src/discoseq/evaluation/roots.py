"""Roots that only one side of a pair has: `( (S ...))` and `(ROOT (S ...))` are the same tree, but not for a scorer."""

from collections import Counter
from collections.abc import Callable, Iterator

from discoseq.trees.transforms import VIRTUAL_ROOTS

_ROOTS = VIRTUAL_ROOTS | {"S1"}


class RootDifferences:
    """Counts the pairs where one side alone has a root above the sentence that is scored as a bracket."""

    def __init__(self, label_to_compare: Callable[[str], str | None]) -> None:
        self._label_to_compare = label_to_compare
        self._differences: Counter[tuple[str | None, str | None]] = Counter()
        self._pairs = 0

    def add(self, gold: str | None, predicted: str | None) -> None:
        """Compare the root labels of a pair; None where there is no tree."""
        if gold is None or predicted is None:
            return
        self._pairs += 1
        one, two = self._scored(gold), self._scored(predicted)
        if one != two:
            self._differences[one, two] += 1

    def notes(self) -> Iterator[str]:
        """A note for every kind of difference, with the number of sentences."""
        for (one, two), count in self._differences.items():
            yield (
                f"in {count:,} of {self._pairs:,} sentences {_say(one, two)} counts as a bracket; "
                "give both sides the same root (discoseq convert IN OUT --root TOP)"
            )

    def _scored(self, label: str) -> str | None:
        return self._label_to_compare(label) if label in _ROOTS else None


def _say(gold: str | None, predicted: str | None) -> str:
    if gold is None:
        return f"only the parse has {_named(predicted)}, which"
    if predicted is None:
        return f"only the gold tree has {_named(gold)}, which"
    return f"the gold tree has {_named(gold)} and the parse {_named(predicted)}, each of which"


def _named(label: str | None) -> str:
    return f"the root {label}" if label else "a root with an empty label"
