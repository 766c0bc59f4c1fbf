"""What the decoder may look at: the words on the stack, the words in the buffer, and the three in front."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.linearization.state import ParserState


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The second axis is time in training and the beam in search: the decoder does not care which."""

    stack: Tensor  # (batch, steps, words) True where the word stands for an element of the stack
    buffer: Tensor  # (batch, steps, words) True where the word is in the buffer
    front: Tensor  # (batch, steps, 3) top and second of the stack, first of the buffer; -1 where there is none

    def to(self, device: torch.device) -> Views:
        """The same on another device."""
        return Views(self.stack.to(device), self.buffer.to(device), self.front.to(device))

    def beams(self, sentences: int) -> Views:
        """Views of one step, rows sentence by sentence, with the rows of a sentence as its steps."""
        return Views(
            self.stack.view(sentences, -1, self.stack.shape[-1]),
            self.buffer.view(sentences, -1, self.buffer.shape[-1]),
            self.front.view(sentences, -1, self.front.shape[-1]),
        )


def views_of(state: ParserState) -> Views:
    """Of one step: (rows, words) and (rows, 3)."""
    return Views(
        torch.from_numpy(state.stack_mask()),
        torch.from_numpy(state.buffer_mask()),
        torch.from_numpy(front_of(state)),
    )


def front_of(state: ParserState) -> NDArray[np.int64]:
    """The words in front (rows, 3)."""
    return np.stack([state.top_word(), state.second_word(), state.next_word()], axis=1, dtype=np.int64)
