"""What the decoder may look at: the words on the stack, the words in the buffer, and those in front of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.linearization.state import ParserState

# The words in front: first words of the two top elements of the stack, first of the buffer; and the corners: last words
# of the two top elements, first word of the third, second word of the buffer.
FRONT = 3
FRONT_WITH_CORNERS = 7


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The second axis is time in training and the beam in search: the decoder does not care which."""

    stack: Tensor  # (batch, steps, words) True where the word stands for an element of the stack
    buffer: Tensor  # (batch, steps, words) True where the word is in the buffer
    front: Tensor  # (batch, steps, 7) the words in front, corners last; -1 where there is none

    def to(self, device: torch.device) -> Views:
        """The same on another device."""
        return Views(self.stack.to(device), self.buffer.to(device), self.front.to(device))


def front_of(state: ParserState) -> NDArray[np.int64]:
    """The words in front (rows, 7)."""
    stack, last, buffer = state.stack_word, state.last_word, state.buffer_word
    words = [stack(1), stack(2), buffer(1), last(1), last(2), stack(3), buffer(2)]
    return np.stack(words, axis=1, dtype=np.int64)
