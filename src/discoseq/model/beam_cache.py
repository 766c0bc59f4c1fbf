"""What beam search keeps between steps: each hypothesis' keys and values of its earlier actions.

A hypothesis has a slot. The first continuation of a hypothesis inherits its slot, every further one gets a free slot
and a copy. Most hypotheses have one continuation, so little is copied. In long sentences, the beginning that all
hypotheses of a sentence have in common is kept once a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from discoseq.linearizations.state import Ints
from discoseq.model.layers import SelfAttention, attend, split_heads

_MOST_FREE = 0.25  # the share of free slots at which the others are moved together
_LONG = 64  # actions; from so many on it pays to share the beginning


class BeamCache:
    """Its memory is used again by the next search, because new pages cost a CPU more than copying does."""

    def __init__(self) -> None:
        self._buffers: list[Tensor] = []  # a layer: all of its memory as one array
        # a layer: keys and values (2, slots, heads, capacity, head width) of the actions after the shared ones;
        # undefined contents past the slots and the actions in use
        self._layers: list[Tensor] = []
        self._shared: list[Tensor] = []  # a layer: keys and values (2, sentences, heads, shared actions, head width)
        self.length = 0  # actions of every hypothesis so far
        self._shared_length = 0
        self._used = 0  # slots that are attended to: all those in use are below it
        self._slots: Ints = np.zeros(0, dtype=np.int64)  # (rows,)
        self._slot_of_row: Tensor | None = None  # the same as a tensor, None where row and slot are the same number
        self._row_of_slot: Tensor | None = None
        self._fork_length = 0  # actions of the hypotheses in `_forks`
        self._forks: Ints = self._slots  # (rows,) the hypothesis that each continues of those some steps before

    def start(self, rows: int, capacity: int, layers: int, heads: int, like: Tensor) -> None:
        """Begin a search with one hypothesis a row and room for so many actions; `like` is (..., width)."""
        self.length = self._shared_length = self._fork_length = 0
        self._shared = []
        self._used = rows
        self._slots = self._forks = np.arange(rows)
        slot_size = 2 * capacity * like.shape[-1]
        buffers = self._buffers
        is_fit = len(buffers) == layers and buffers[0].dtype == like.dtype and buffers[0].device == like.device
        if not is_fit or buffers[0].numel() < rows * slot_size:
            buffers = self._buffers = self._layers = []  # the old memory is freed before new memory is asked for
            self._buffers = buffers = [like.new_empty(rows * slot_size) for _ in range(layers)]
        slots = buffers[0].numel() // slot_size
        self._layers = [x[: slots * slot_size].view(2, slots, heads, capacity, -1) for x in buffers]
        self._number_slots()

    def follow(self, parents: Ints, sentence_of_row: Ints, sentences: int) -> None:
        """Make room for one more action; each row (rows,) continues a row of the step before."""
        inherited = self._slots[parents]
        slots, is_first = inherited.copy(), np.zeros(len(parents), dtype=np.bool_)
        is_first[np.unique(inherited, return_index=True)[1]] = True
        if len(parents) < (1 - _MOST_FREE) * self._used:
            self._used = len(parents)
        moved = np.flatnonzero(~is_first | (inherited >= self._used))
        if len(moved):
            is_free = np.ones(self._used + len(moved), dtype=np.bool_)
            is_kept = np.ones(len(parents), dtype=np.bool_)
            is_kept[moved] = False
            is_free[slots[is_kept]] = False
            slots[moved] = np.flatnonzero(is_free)[: len(moved)]
            self._used = max(self._used, int(slots.max()) + 1)
        self._slots = slots
        self._make_room(int(inherited.max(initial=-1)) + 1)
        if len(moved):
            self._copy(inherited[moved], slots[moved])
        self._number_slots()
        self._forks = self._forks[parents]
        if self.length - self._shared_length >= _LONG and len(parents) > sentences:
            self._share(sentence_of_row, sentences)

    def keep_sentences(self, sentences: Tensor) -> None:
        """Drop the shared keys and values of all other sentences, which have no rows any more."""
        self._shared = [shared[:, sentences] for shared in self._shared]

    def attend(self, layer: int, attention: SelfAttention, grid: BeamGrid, x: Tensor) -> Tensor:
        """Self-attention of one more action a row (rows, width), whose keys and values are kept."""
        own = self.length - self._shared_length
        memory = self._layers[layer]
        queries, keys_and_values = attention.project(x).split([x.shape[-1], 2 * x.shape[-1]], dim=-1)
        new = keys_and_values.view(len(x), 2, attention.heads, -1).transpose(0, 1)
        if self._slot_of_row is None:
            memory[:, : len(x), :, own] = new
        else:
            memory[:, self._slot_of_row, :, own] = new
        keys, values = memory[:, : self._used, :, : own + 1]
        if self._shared:
            return attention.out(self._attend_to_both(queries, keys, values, self._shared[layer], grid))
        by_slot = self._by_slot(queries).view(self._used, attention.heads, 1, -1)
        return attention.out(self._by_row(attend(by_slot, keys, values, None)[:, 0]))

    def _attend_to_both(self, queries: Tensor, keys: Tensor, values: Tensor, shared: Tensor, grid: BeamGrid) -> Tensor:
        """Attend with queries (rows, width) to the shared actions of the sentence and to a slot's own."""
        heads, count = shared.shape[2:4]
        queries = queries * (queries.shape[-1] // heads) ** -0.5
        to_shared = split_heads(grid.pad(queries), heads) @ shared[0].transpose(
            2, 3
        )  # (sentences, heads, beam, shared)
        to_own = self._by_slot(queries).view(self._used, heads, 1, -1) @ keys.transpose(2, 3)
        scores = torch.cat([grid.unpad(to_shared.transpose(1, 2)), self._by_row(to_own[:, :, 0])], dim=-1)
        weights = scores.softmax(dim=-1)  # (rows, heads, shared and own)
        from_shared = grid.pad(weights[..., :count]).transpose(1, 2) @ shared[1]  # (sentences, heads, beam, head width)
        from_own = self._by_slot(weights[..., count:])[:, :, None] @ values  # (slots, heads, 1, head width)
        return (grid.unpad(from_shared.transpose(1, 2)) + self._by_row(from_own[:, :, 0])).flatten(1)

    def _by_slot(self, x: Tensor) -> Tensor:
        """From (rows, ...) to (slots, ...); a free slot gets some row, and its result is ignored."""
        return x if self._row_of_slot is None else x.index_select(0, self._row_of_slot)

    def _by_row(self, x: Tensor) -> Tensor:
        """From (slots, ...) to (rows, ...)."""
        return x if self._slot_of_row is None else x.index_select(0, self._slot_of_row)

    def _share(self, sentence_of_row: Ints, sentences: int) -> None:
        """Share the actions up to the last fork if all hypotheses of every sentence continue one hypothesis of then."""
        first_rows = np.flatnonzero(np.diff(sentence_of_row, prepend=-1))
        is_new_fork = self._fork_length == self._shared_length
        if not is_new_fork:
            fork_of_sentence = np.zeros(sentences, dtype=np.int64)
            fork_of_sentence[sentence_of_row[first_rows]] = self._forks[first_rows]
            if (self._forks != fork_of_sentence[sentence_of_row]).any():
                return
            self._move_to_shared(sentence_of_row[first_rows], self._slots[first_rows], sentences)
        self._fork_length, self._forks = self.length, np.arange(len(sentence_of_row))

    def _move_to_shared(self, owners: Ints, slots: Ints, sentences: int) -> None:
        """Move the actions up to the last fork from one slot of each sentence; one without rows gets zeros."""
        common, own = self._fork_length - self._shared_length, self.length - self._shared_length
        device = self._layers[0].device
        owner, slot = (torch.from_numpy(index).to(device) for index in (owners, slots))
        shared = []
        for number, memory in enumerate(self._layers):
            _, _, heads, _, width = memory.shape
            longer = memory.new_zeros(2, sentences, heads, self._fork_length, width)
            if self._shared:
                longer[..., : self._shared_length, :] = self._shared[number]
            longer[:, owner, :, self._shared_length :] = memory[:, slot, :, :common]
            memory[:, : self._used, :, : own - common] = memory[:, : self._used, :, common:own].clone()
            shared.append(longer)
        self._shared, self._shared_length = shared, self._fork_length

    def _number_slots(self) -> None:
        rows = np.arange(len(self._slots))
        self._slot_of_row = self._row_of_slot = None
        if self._used != len(rows) or (self._slots != rows).any():
            row_of_slot = np.zeros(self._used, dtype=np.int64)
            row_of_slot[self._slots] = rows
            device = self._layers[0].device
            self._slot_of_row, self._row_of_slot = (
                torch.from_numpy(index).to(device) for index in (self._slots, row_of_slot)
            )

    def _copy(self, sources: Ints, targets: Ints) -> None:
        own, device = self.length - self._shared_length, self._layers[0].device
        source, target = (torch.from_numpy(index).to(device) for index in (sources, targets))
        for memory in self._layers:
            memory[:, target, :, :own] = memory[:, source, :, :own]

    def _make_room(self, inherited: int) -> None:
        """For one more action in all slots that are used; so many of the old slots are read from."""
        _, slots, heads, capacity, width = self._layers[0].shape
        own = self.length - self._shared_length
        if self._used <= slots and own < capacity:
            return
        kept = min(slots, max(self._used, inherited))
        # by half: in a long search nothing is copied more than a few times; memory of an earlier search may have been
        # divided into many more slots than this one uses, which must not become longer, too
        slots = max(kept, self._used + self._used // 2)
        capacity = capacity if own < capacity else own + own // 2 + 1
        for number, old in enumerate(self._layers):
            buffer = old.new_empty(2 * slots * heads * capacity * width)
            new = buffer.view(2, slots, heads, capacity, width)
            new[:, :kept, :, :own] = old[:, :kept, :, :own]
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
