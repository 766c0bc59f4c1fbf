"""Known sequences run through the machine: what a decoder sees before each of their actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Bools, Ints, ParserState


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """The masks before each action; after the end of a sequence they stay as they were at its end."""

    stack_masks: Bools  # (rows, steps, words)
    buffer_masks: Bools  # (rows, steps, words)
    action_masks: Bools  # (rows, steps, actions)


def replay(machine: Machine, lengths: ArrayLike, actions: Ints) -> Replay:
    """The masks of padded sequences (rows, steps) over sentences of so many words (rows,)."""
    before = list(states_before(machine, lengths, actions))
    return Replay(
        np.stack([state.stack_mask() for state in before], axis=1),
        np.stack([state.buffer_mask() for state in before], axis=1),
        np.stack([machine.action_mask(state) for state in before], axis=1),
    )


def states_before(machine: Machine, lengths: ArrayLike, actions: Ints) -> Iterator[ParserState]:
    """The states in which the columns of padded sequences (rows, steps) are applied, one at a time."""
    state = machine.start(lengths)
    for column in actions.T:
        yield state
        state = machine.apply(state, column)
