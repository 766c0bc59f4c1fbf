"""What beam search keeps between steps: each hypothesis' keys and values of its earlier actions.

A hypothesis has a slot. The first continuation of a hypothesis inherits its slot, every further one gets a free slot
and a copy. Most hypotheses have one continuation, so little is copied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from discoseq.linearizations.state import Ints
from discoseq.model.attention import SelfAttention, attend

_MOST_FREE = 0.25  # the share of free slots at which the others are moved together


class BeamCache:
    """Its memory is used again by the next search, because new pages cost a CPU more than copying does."""

    def __init__(self) -> None:
        self._buffers: list[Tensor] = []  # a layer: all of its memory as one array
        # a layer: keys and values (2, slots, heads, capacity, head width); undefined contents past slots and length
        self._layers: list[Tensor] = []
        self.length = 0  # actions of every hypothesis so far
        self._used = 0  # slots that are attended to: all those in use are below it
        self._slots: Ints = np.zeros(0, dtype=np.int64)  # (rows,)
        self._slot_of_row: Tensor | None = None  # the same as a tensor, None where row and slot are the same number
        self._row_of_slot: Tensor | None = None

    def start(self, rows: int, capacity: int, layers: int, heads: int, like: Tensor) -> None:
        """Begin a search with one hypothesis a row and room for so many actions; `like` is (..., width)."""
        self.length, self._used = 0, rows
        self._slots = np.arange(rows)
        slot_size = 2 * capacity * like.shape[-1]
        buffers = self._buffers
        is_fit = len(buffers) == layers and buffers[0].dtype == like.dtype and buffers[0].device == like.device
        if not is_fit or buffers[0].numel() < rows * slot_size:
            buffers = self._buffers = self._layers = []  # the old memory is freed before new memory is asked for
            self._buffers = buffers = [like.new_empty(rows * slot_size) for _ in range(layers)]
        slots = buffers[0].numel() // slot_size
        self._layers = [x[: slots * slot_size].view(2, slots, heads, capacity, -1) for x in buffers]
        self._number_slots()

    def follow(self, parents: Ints) -> None:
        """Make room for one more action; each row (rows,) continues a row of the step before."""
        inherited = self._slots[parents]
        slots, is_first = inherited.copy(), np.zeros(len(parents), dtype=np.bool_)
        is_first[np.unique(inherited, return_index=True)[1]] = True
        if len(parents) < (1 - _MOST_FREE) * self._used:
            self._used = len(parents)
        moved = np.flatnonzero(~is_first | (inherited >= self._used))
        if len(moved):
            is_free = np.ones(self._used + len(moved), dtype=np.bool_)
            kept = np.ones(len(parents), dtype=np.bool_)
            kept[moved] = False
            is_free[slots[kept]] = False
            slots[moved] = np.flatnonzero(is_free)[: len(moved)]
            self._used = max(self._used, int(slots.max()) + 1)
        self._slots = slots
        self._make_room()
        if len(moved):
            self._copy(inherited[moved], slots[moved])
        self._number_slots()

    def attend(self, layer: int, attention: SelfAttention, x: Tensor) -> Tensor:
        """Self-attention of one more action a row (rows, width), whose keys and values are kept."""
        memory = self._layers[layer]
        queries, keys_and_values = attention.project(x).split([x.shape[-1], 2 * x.shape[-1]], dim=-1)
        new = keys_and_values.view(len(x), 2, attention.heads, -1).transpose(0, 1)
        if self._slot_of_row is None or self._row_of_slot is None:
            memory[:, : len(x), :, self.length] = new
        else:
            memory[:, self._slot_of_row, :, self.length] = new
            queries = queries.index_select(0, self._row_of_slot)
        keys, values = memory[:, : self._used, :, : self.length + 1]
        attended = attend(queries.view(self._used, attention.heads, 1, -1), keys, values, None)[:, 0]
        if self._slot_of_row is not None:
            attended = attended.index_select(0, self._slot_of_row)
        return attention.out(attended)

    def _number_slots(self) -> None:
        rows = np.arange(len(self._slots))
        self._slot_of_row = self._row_of_slot = None
        if self._used != len(rows) or (self._slots != rows).any():
            row_of_slot = np.zeros(self._used, dtype=np.int64)  # a free slot attends with some query, which is ignored
            row_of_slot[self._slots] = rows
            device = self._layers[0].device
            self._slot_of_row, self._row_of_slot = (
                torch.from_numpy(index).to(device) for index in (self._slots, row_of_slot)
            )

    def _copy(self, sources: Ints, targets: Ints) -> None:
        device = self._layers[0].device
        source, target = (torch.from_numpy(index).to(device) for index in (sources, targets))
        for memory in self._layers:
            memory[:, target, :, : self.length] = memory[:, source, :, : self.length]

    def _make_room(self) -> None:
        _, slots, heads, capacity, width = self._layers[0].shape
        if self._used <= slots and self.length < capacity:
            return
        # by half: in a long search nothing is copied more than a few times
        slots = slots if self._used <= slots else self._used + self._used // 2
        capacity = capacity if self.length < capacity else self.length + self.length // 2 + 1
        for number, old in enumerate(self._layers):
            buffer = old.new_empty(2 * slots * heads * capacity * width)
            new = buffer.view(2, slots, heads, capacity, width)
            new[:, : old.shape[1], :, : self.length] = old[..., : self.length, :]
            self._buffers[number], self._layers[number] = buffer, new


@dataclass(frozen=True, slots=True, eq=False)
class BeamGrid:
    """Hypotheses as rows and as a grid of sentences by beam.

    Linear maps take rows without padding; attention to a sentence's words takes equal beams.
    """

    sentences: int
    beam: int
    _row_of_cell: Tensor | None = None  # (sentences x beam,) None where the rows are the cells
    _cell_of_row: Tensor | None = None  # (rows,)

    @classmethod
    def of(cls, sentence_of_row: Ints, sentences: int, device: torch.device) -> BeamGrid:
        """For rows in the order of their sentences; a sentence may have none."""
        counts = np.bincount(sentence_of_row, minlength=sentences)
        beam = int(counts.max())
        if (counts == beam).all():
            return cls(sentences, beam)
        rows = np.arange(len(sentence_of_row))
        cells = sentence_of_row * beam + rows - (np.cumsum(counts) - counts)[sentence_of_row]
        row_of_cell = np.zeros(sentences * beam, dtype=np.int64)  # an empty cell holds some row, which is ignored
        row_of_cell[cells] = rows
        return cls(sentences, beam, *(torch.from_numpy(index).to(device) for index in (row_of_cell, cells)))

    def pad(self, x: Tensor) -> Tensor:
        """From (rows, ...) to (sentences, beam, ...)."""
        cells = x if self._row_of_cell is None else x.index_select(0, self._row_of_cell)
        return cells.view(self.sentences, self.beam, *x.shape[1:])

    def unpad(self, x: Tensor) -> Tensor:
        """From (sentences, beam, ...) back to (rows, ...)."""
        cells = x.flatten(0, 1)
        return cells if self._cell_of_row is None else cells.index_select(0, self._cell_of_row)
