"""A language model as a module: pieces in, a vector for every word out."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from discoseq.batching.subwords import Pieces
from discoseq.model.pretrained.body import Body
from discoseq.model.pretrained.output import LayerChoice


class LanguageModel(nn.Module):
    """The vector of a word is the mean of those of its pieces."""

    def __init__(self, body: nn.Module, choice: LayerChoice) -> None:
        super().__init__()
        self.body = body
        self.choice = choice

    def forward(self, pieces: Pieces, sentences: int, words: int) -> Tensor:
        """Vectors (sentences, words, outputs x width); zeros where there is no word."""
        states = self.choice.apply(self.body(pieces.ids, pieces.is_piece)).flatten(0, 1)
        # pieces of no word are added up in one more place, which is then dropped
        places = sentences * words
        place = torch.where(pieces.word_of < 0, places, pieces.word_of).flatten()
        sums = states.new_zeros(places + 1, states.shape[-1]).index_add_(0, place, states)
        counts = states.new_zeros(places + 1).index_add_(0, place, torch.ones_like(place, dtype=states.dtype))
        means = sums[:-1] / counts[:-1, None].clamp(min=1.0)
        return means.view(sentences, words, -1)

    def used_blocks(self) -> list[nn.Module]:
        """The layers that have a part in the vectors, bottom first."""
        return cast(Body, self.body).blocks()[: self.choice.last]
