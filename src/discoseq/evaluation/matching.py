"""The core of both rule sets: two multisets of brackets, and what they have in common."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from discoseq.evaluation.counts import BracketCounts

# a label and the tokens it covers, as a bitset (see Constituent.cover)
Bracket: TypeAlias = tuple[str, int]


def count_matches(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> BracketCounts:
    """Match brackets one to one: of a bracket that occurs n times here and m times there, min(n, m) match."""
    gold_set = set(gold)
    predicted_set = set(predicted)
    if len(gold_set) == len(gold) and len(predicted_set) == len(predicted):
        matched = len(gold_set & predicted_set)
    else:
        matched = shared(gold, predicted).total()
    return BracketCounts(matched, len(gold), len(predicted))


def shared(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> Counter[Bracket]:
    """The brackets that match, with their multiplicity."""
    return Counter(gold) & Counter(predicted)


def count_crossing(gold: Sequence[Bracket], predicted: Sequence[Bracket]) -> int:
    """The predicted brackets that overlap some gold bracket without one holding the other."""
    covers = {cover for _, cover in gold}
    # gold brackets do not cross each other, so none crosses a predicted one with the same tokens as a gold one
    return sum(
        1
        for _, cover in predicted
        if cover not in covers and any(other & cover and other & ~cover and cover & ~other for other in covers)
    )
