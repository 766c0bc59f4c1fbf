"""What search asks of a model."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discoseq.linearization.state import Bools, Ints, ParserState

Floats = NDArray[np.floating[Any]]


class Scorer(Protocol):
    """Something that has an opinion on the next action; a network, an ensemble, or ten lines in a test."""

    def step(self, state: ParserState, parents: Ints, last_actions: Ints, is_allowed: Bools) -> Floats:
        """Scores (rows, actions), the higher the better; search leaves out what is not allowed and normalises the rest.

        Each row goes on from a row of the step before, `parents` (rows,), by its action, `last_actions` (rows,). At the
        first step there is a row for each sentence, and these are the rows themselves and padding. The rows of a
        sentence stand together, and the sentences in their order; those that are done have no rows any more.
        """


class RepeatableScorer(Scorer, Protocol):
    """One that several searches can use, one after the other; a new one is ready for a beam of one."""

    def restart(self, beam_size: int, sentences: Sequence[int]) -> None:
        """The next step is the first of a search with such a beam, for these of all the sentences."""
