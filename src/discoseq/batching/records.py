"""What the machine shows before each action of a known sequence: replayed once, then kept as bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discoseq.batching.views import front_of, labels_of
from discoseq.linearization.machine import Machine
from discoseq.linearization.replay import states_before
from discoseq.linearization.vocabulary import PAD_INDEX

_ROWS = 256  # replayed at once: a step of the machine costs little more for many rows than for one

Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Of one sequence; about a kilobyte for a sentence of twenty words."""

    stack: Bits  # (steps, words / 8) where a bit is set, the word stands for an element of the stack
    buffer: Bits  # (steps, words / 8)
    allowed: Bits  # (steps, actions / 8) the valid actions, and the one that is taken
    front: NDArray[np.int16]  # (steps, 8) as in Views
    labels: NDArray[np.int16]  # (steps, 6) likewise


def record_all(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[Record]:
    """The records of sequences (numbers of actions) over sentences of so many words, like lengths together."""
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    records: dict[int, Record] = {}
    for start in range(0, len(order), _ROWS):
        chosen = order[start : start + _ROWS]
        found = _record(machine, [lengths[i] for i in chosen], [sequences[i] for i in chosen])
        records.update(zip(chosen, found, strict=True))
    return [records[i] for i in range(len(sequences))]


def _record(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[Record]:
    actions = np.full((len(sequences), max(map(len, sequences))), PAD_INDEX, dtype=np.int32)
    for row, sequence in enumerate(sequences):
        actions[row, : len(sequence)] = sequence
    stacks, buffers, allowed, fronts, labels = [], [], [], [], []
    for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
        mask = machine.action_mask(state)
        # a unary chain over the machine's limit can't be reached in search, but it is no reason for infinite loss
        mask[np.arange(len(mask)), column] = True
        stacks.append(np.packbits(state.stack_mask(), axis=1))
        buffers.append(np.packbits(state.buffer_mask(), axis=1))
        allowed.append(np.packbits(mask, axis=1))
        fronts.append(front_of(state).astype(np.int16))
        labels.append(labels_of(state).astype(np.int16))
    stack, buffer, may = (np.stack(part, axis=1) for part in (stacks, buffers, allowed))  # all (rows, steps, ...)
    front, label = (np.stack(part, axis=1) for part in (fronts, labels))
    return [
        Record(stack[row, :end], buffer[row, :end], may[row, :end], front[row, :end], label[row, :end])
        for row, end in enumerate(map(len, sequences))
    ]
