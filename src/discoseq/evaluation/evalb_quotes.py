"""EVALB's QUOTE_LABEL: an apostrophe that one side deletes as a quotation mark and the other keeps as a possessive.

As both sides of a pair delete tokens by their own tags, this would make the sentence an error. When the numbers of
words differ, EVALB puts the deleted token back, in gold or in the parse.
"""

from collections.abc import Sequence
from dataclasses import dataclass

QUOTE_WORDS = frozenset(["'", '"', "/"])


@dataclass(frozen=True, slots=True)
class QuoteToken:
    """A token with a tag of QUOTE_LABEL and one of the words above."""

    terminal: int  # among all tokens
    position: int  # among those that are not deleted
    tag: str
    is_deleted: bool


def quotes_to_restore(
    gold: Sequence[QuoteToken], predicted: Sequence[QuoteToken]
) -> tuple[frozenset[int], frozenset[int]]:
    """The terminals of gold and of the parse that are to be put back: one is deleted and its partner is not.

    Partners are at the same position, and what is put back moves the tokens after it.
    """
    ones = [quote.position for quote in gold]
    twos = [quote.position for quote in predicted]
    restored_gold: set[int] = set()
    restored_predicted: set[int] = set()
    for i, two in enumerate(predicted):
        for j, one in enumerate(gold):
            if ones[j] != twos[i] or one.tag == two.tag:
                continue
            one_is_gone = one.is_deleted and one.terminal not in restored_gold
            two_is_gone = two.is_deleted and two.terminal not in restored_predicted
            if one_is_gone and not two_is_gone:
                restored_gold.add(one.terminal)
                ones[j + 1 :] = [position + 1 for position in ones[j + 1 :]]
            elif two_is_gone and not one_is_gone:
                restored_predicted.add(two.terminal)
                twos[i + 1 :] = [position + 1 for position in twos[i + 1 :]]
    return frozenset(restored_gold), frozenset(restored_predicted)
