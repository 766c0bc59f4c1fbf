"""Rows of a search as a grid of sentences: linear maps want rows without holes, attention wants equal beams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.linearization.state import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Sentences by beam; where a sentence has fewer rows than another, some row fills the hole, and is ignored."""

    sentences: int
    beam: int
    row_of_cell: Ints | None  # (sentences x beam,) None where the rows are the cells
    cell_of_row: Ints | None  # (rows,)
    _rows: Tensor | None  # the two again, on the network's device
    _cells: Tensor | None

    @classmethod
    def of(cls, sentence_of_row: Ints, sentences: int, device: torch.device) -> Grid:
        """For rows whose sentences stand in order; a sentence may have none."""
        counts = np.bincount(sentence_of_row, minlength=sentences)
        beam = int(counts.max())
        if (counts == beam).all():
            return cls(sentences, beam, None, None, None, None)
        rows = np.arange(len(sentence_of_row))
        cells = sentence_of_row * beam + rows - (np.cumsum(counts) - counts)[sentence_of_row]
        row_of_cell = np.zeros(sentences * beam, dtype=np.int64)
        row_of_cell[cells] = rows
        on_device = (torch.from_numpy(index).to(device) for index in (row_of_cell, cells))
        return cls(sentences, beam, row_of_cell, cells, *on_device)

    def spread(self, x: Tensor) -> Tensor:
        """From (rows, width) to (sentences, beam, width)."""
        return (x if self._rows is None else x.index_select(0, self._rows)).view(self.sentences, self.beam, -1)

    def spread_array(self, x: NDArray[Any]) -> NDArray[Any]:
        """The same for arrays, before they become tensors."""
        return (x if self.row_of_cell is None else x[self.row_of_cell]).reshape(self.sentences, self.beam, -1)

    def gather(self, x: Tensor) -> Tensor:
        """From (sentences, beam, width) back to (rows, width)."""
        x = x.reshape(self.sentences * self.beam, -1)
        return x if self._cells is None else x.index_select(0, self._cells)
