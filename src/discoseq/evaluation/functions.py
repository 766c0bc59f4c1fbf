"""Function tags (`NP-SBJ`), judged on the phrases and words that are right without them."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.matching import Bracket

# a phrase or a tag over its token, and its function as the tree has it
Marked: TypeAlias = tuple[Bracket, str]


def count_functions(
    gold: Sequence[Marked],
    predicted: Sequence[Marked],
    gold_brackets: Collection[Bracket],
    predicted_brackets: Collection[Bracket],
    gold_words: Sequence[Marked],
    predicted_words: Sequence[Marked],
) -> BracketCounts:
    """Match the functions of phrases that the other side has too, and of words whose tags are equal."""
    one = _parts(gold, set(predicted_brackets)) + _parts(gold_words, None)
    two = _parts(predicted, set(gold_brackets)) + _parts(predicted_words, None)
    return BracketCounts((Counter(one) & Counter(two)).total(), len(one), len(two))


def _parts(marked: Sequence[Marked], wanted: set[Bracket] | None) -> list[tuple[Bracket, str]]:
    """`SBJ-1` is two functions, a gapping index (`=2`) is none."""
    return [
        (bracket, part)
        for bracket, function in marked
        if wanted is None or bracket in wanted
        for part in (function.partition("-")[2] if function.startswith("=") else function).split("-")
        if part
    ]
