"""What search asks of a model."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discoseq.linearization.state import Ints, ParserState

Floats = NDArray[np.floating[Any]]


class Scorer(Protocol):
    """Something that has an opinion on the next action; a network, an ensemble, or ten lines in a test."""

    def step(self, state: ParserState, parents: Ints, last_actions: Ints) -> Floats:
        """Scores (rows, actions), the higher the better; search leaves out what is not allowed and normalises.

        Each row goes on from a row of the step before, `parents` (rows,), by its action, `last_actions` (rows,). At the
        first step these are the rows themselves and padding. The rows of a sentence stand together, as many for each.
        """
