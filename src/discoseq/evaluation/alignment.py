"""Which gold token a predicted token is, when the predicted sentence may lack some."""

from collections.abc import Mapping, Sequence

from discoseq.errors import EvaluationError


def align(
    gold: Sequence[str], predicted: Sequence[str], kept: int, equal_words: Mapping[str, str], name: str
) -> list[int]:
    """The gold position of every predicted token, found left to right at the first equal word.

    A parser may leave out tokens that are deleted anyway (punctuation, traces); every other gold token needs a partner.
    """
    places: list[int] = []
    reached = 0
    for number, word in enumerate(predicted):
        wanted = equal_words.get(word, word)
        for place in range(reached, len(gold)):
            if equal_words.get(gold[place], gold[place]) == wanted:
                break
        else:
            raise EvaluationError(f"sentence {name}: {_difference(gold, predicted, number, equal_words)}")
        places.append(place)
        reached = place + 1
    lost = kept & ~sum(1 << place for place in places)
    if lost:
        first = (lost & -lost).bit_length() - 1
        raise EvaluationError(f"sentence {name}: the parse lacks the word {gold[first]!r} (gold token {first + 1})")
    return places


def move(cover: int, places: Sequence[int]) -> int:
    """A cover of predicted tokens as a cover of gold tokens."""
    moved = 0
    while cover:
        lowest = cover & -cover
        moved |= 1 << places[lowest.bit_length() - 1]
        cover ^= lowest
    return moved


def _difference(gold: Sequence[str], predicted: Sequence[str], number: int, equal_words: Mapping[str, str]) -> str:
    if len(gold) == len(predicted):
        # the search for a partner may have run past the token that is to blame
        for place, (one, two) in enumerate(zip(gold, predicted, strict=True), 1):
            if equal_words.get(one, one) != equal_words.get(two, two):
                return f"token {place} is {one!r} in gold and {two!r} in the parse"
    return f"the word {predicted[number]!r} (token {number + 1} of the parse) has no partner in gold"
