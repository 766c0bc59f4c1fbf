"""What the decoder remembers between steps: the keys and values of earlier actions, and those of the words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from discoseq.linearization.state import Ints
from discoseq.model.ancestry import Ancestry
from discoseq.model.grid import Grid
from discoseq.model.workspace import Workspace

_KEPT_EMPTY = 0.25  # the share of sentences without rows at which it pays to copy what belongs to the others
_BLOCK = 8  # sentences that look back together, as far as the one with the longest memory


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some sentences and what their hypotheses see of the memory."""

    sentences: slice
    beam: int  # the hypotheses of the one with the most
    reach: int  # the places that are looked at
    bias: Tensor | None  # (sentences, 1, beam, reach) 0 for a hypothesis' own past, else minus infinity; None: all own


class DecoderCache:
    """All of it is kept once a sentence, for whatever number of hypotheses (see ancestry.py)."""

    def __init__(
        self,
        is_word: Tensor,
        sources: list[Tensor],
        front: Tensor | None,
        fetch_keys: Tensor | None,
        workspace: Workspace,
        capacity: int,
    ) -> None:
        self.is_word = is_word  # (sentences, words)
        self.sources = sources  # a layer: keys and values of the words (2, sentences, heads, words, head width)
        self.front = front  # (sentences, words + 1, places, width) what a word adds to the input where it is in front
        self.fetch_keys = fetch_keys  # (sentences, words, key width) see fetching.py
        self.length = 0
        self.grid = Grid.of(np.arange(len(is_word)), len(is_word), is_word.device)
        self.blocks: list[Block] = []
        self._ancestry = Ancestry(len(is_word), capacity)
        # a layer: keys and values of the actions (2, sentences, heads, capacity, head width)
        _, sentences, heads, _, width = sources[0].shape
        self._memory = workspace.tensors(len(sources), (2, sentences, heads, capacity, width), sources[0])
        self._cleared = 0  # places from here on have never been written to
        self._sentence_of_row = is_word.new_zeros(0, dtype=torch.long)  # (rows,)
        self._targets = self._sentence_of_row  # (rows x 2 x heads,) where this step goes, in the memory as a list

    def follow(self, parents: Ints) -> None:
        """Make room for one more step, each row (rows,) of which goes on from a row of the step before."""
        ancestry = self._ancestry
        ancestry.follow(parents)
        living = ancestry.living()
        if len(living) <= (1 - _KEPT_EMPTY) * ancestry.sentences:
            self._keep_sentences(living)
        device = self.is_word.device
        self.grid = Grid.of(ancestry.sentence_of_row, ancestry.sentences, device)
        places = ancestry.allot()
        self._make_room(int(ancestry.reach.max()))
        self._sentence_of_row = torch.from_numpy(ancestry.sentence_of_row).to(device)
        self._targets = torch.from_numpy(self._target_of(ancestry.sentence_of_row, places)).to(device)
        self.blocks = self._split()

    def remember(self, layer: int, keys_and_values: Tensor) -> Tensor:
        """Add those (rows, 2 x width) of this step; all there are (2, sentences, heads, capacity, head width)."""
        memory = self._memory[layer]
        width = memory.shape[-1]
        memory.view(-1, width).index_copy_(0, self._targets, keys_and_values.reshape(-1, width))
        return memory

    def words_in_front(self, places: Tensor) -> Tensor:
        """The sum (rows, width) of what the words at these places (rows, places) add; -1 is no word."""
        assert self.front is not None
        _, words, count, width = self.front.shape
        words_before = self._sentence_of_row[:, None] * words
        index = (words_before + places.remainder(words)) * count + torch.arange(count, device=places.device)
        return embedding_bag(index, self.front.view(-1, width), mode="sum")

    def _split(self) -> list[Block]:
        """Blocks of a few sentences, if that saves them looking at places that only others have."""
        reach, count = self._ancestry.reach, self._ancestry.sentences
        size = _BLOCK if int(reach.max()) > int(reach.min()) else count
        rows = np.bincount(self._ancestry.sentence_of_row, minlength=count)
        visible = self.grid.spread_array(self._ancestry.is_past[:, : int(reach.max())])  # (sentences, beam, places)
        blocks = []
        for start in range(0, count, size):
            sentences = slice(start, start + size)
            beam, end = max(1, int(rows[sentences].max())), max(1, int(reach[sentences].max()))
            blocks.append(Block(sentences, beam, end, self._bias(visible[sentences, :beam, :end])))
        return blocks

    def _bias(self, visible: np.ndarray) -> Tensor | None:
        if visible.all():
            return None
        bias = np.where(visible, np.float32(0), np.float32(-np.inf))
        return torch.from_numpy(bias).to(self._memory[0])[:, None]

    def _target_of(self, sentences: Ints, places: Ints) -> Ints:
        """Of a row's keys and values, head by head, the numbers of their vectors in the memory."""
        _, count, heads, capacity, _ = self._memory[0].shape
        part = np.arange(2)[:, None] * count * heads + np.arange(heads)  # (2, heads)
        targets: Ints = (part + sentences[:, None, None] * heads) * capacity + places[:, None, None]
        return targets.ravel()

    def _make_room(self, reach: int) -> None:
        _, sentences, heads, capacity, width = self._memory[0].shape
        if self._ancestry.capacity > capacity:
            shape = (2, sentences, heads, self._ancestry.capacity, width)
            grown = Workspace().tensors(len(self._memory), shape, self._memory[0])
            for old, new in zip(self._memory, grown, strict=True):
                new[..., : self._cleared, :] = old[..., : self._cleared, :]
            self._memory = grown
        if reach > self._cleared:
            for memory in self._memory:
                # a value that is masked counts for nothing only if it is a number
                memory[..., self._cleared : reach, :] = 0
            self._cleared = reach

    def _keep_sentences(self, sentences: Ints) -> None:
        """Drop what belongs to all others; those that stay move up within the memory there is."""
        self._ancestry.keep(sentences)
        chosen = torch.from_numpy(sentences).to(self.is_word.device)
        self._memory = [_moved_up(memory, sentences.tolist(), self._cleared) for memory in self._memory]
        self.is_word = self.is_word[chosen]
        self.sources = [source[:, chosen] for source in self.sources]
        if self.front is not None:
            self.front = self.front[chosen]
        if self.fetch_keys is not None:
            self.fetch_keys = self.fetch_keys[chosen]


def _moved_up(memory: Tensor, sentences: list[int], places: int) -> Tensor:
    """Of a memory (2, sentences, ...) these sentences, in ascending order, in the first part of the same storage.

    Each goes where nothing stands that is still to be moved, so no new memory is needed, which would cost more.
    """
    _, _, *rest = memory.shape
    count = 2 * len(sentences) * math.prod(rest)
    moved = memory.view(-1)[:count].view(2, len(sentences), *rest)
    for part in range(2):
        for new, old in enumerate(sentences):
            if part or new != old:
                moved[part, new, :, :places] = memory[part, old, :, :places]
    return moved
