"""What search did at each step, so that a sequence can be read off from its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discoseq.linearization.state import Ints
from discoseq.search.scorer import Floats


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a step."""

    step: int
    row: int


class History:
    """Twelve bytes a row and step, whatever the length of the sentences."""

    def __init__(self) -> None:
        # a step: (rows,) each; parents are rows of the step before
        self._steps: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]] = []

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._steps)

    def add(self, parents: Ints, actions: Ints, gains: Floats) -> None:
        """One step more: each row (rows,) comes from a parent by an action, which has a log-probability."""
        self._steps.append((parents.astype(np.int32), actions.astype(np.int32), gains.astype(np.float32)))

    def trace(self, end: Place) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The actions that lead to a place, and the log-probability of each."""
        actions, gains = [], []
        row = end.row
        for parents_of, actions_of, gains_of in reversed(self._steps[: end.step + 1]):
            actions.append(int(actions_of[row]))
            gains.append(float(gains_of[row]))
            row = int(parents_of[row])
        return tuple(reversed(actions)), tuple(reversed(gains))
