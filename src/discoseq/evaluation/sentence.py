"""What a rule set finds out about one pair of trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from discoseq.evaluation.counts import Counts
from discoseq.evaluation.matching import Bracket


class Status(IntEnum):
    """Whether a sentence counts; the numbers are those EVALB prints."""

    VALID = 0
    ERROR = 1
    SKIPPED = 2


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """The counts of a sentence, and its brackets for whoever wants to count them in another way."""

    name: str  # the id or, where there is none, the number
    length: int  # in gold tokens, those left out that do not count for length
    counts: Counts
    status: Status = Status.VALID
    faults: tuple[str, ...] = ()  # what is wrong with the sentence, each of which EVALB would count as an error
    remarks: tuple[str, ...] = ()  # where the result is discoseq's own because disco-dop's is not to be had
    gold_brackets: Sequence[Bracket] = ()
    predicted_brackets: Sequence[Bracket] = ()
    kept: int = 0  # the gold tokens left after deletion, as a bitset; brackets cover no others
