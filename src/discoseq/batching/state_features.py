"""What the decoder sees of the parser state: masks of stack and buffer, and features of their nearest elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.linearization.state import ParserState

# The words in front: first words of the two top elements of the stack, first of the buffer; and the corners: last words
# of the two top elements, first word of the third, second word of the buffer; and the first word of the buffer that
# stands after the top, which is another than the first of all where words were passed over.
FRONT = 3
FRONT_WITH_CORNERS = 7
FRONT_WITH_NEXT = 8
LAST_OF_TOP = 3  # among them

# The labels: of the three top elements of the stack and of the two innermost open constituents; and, in the same array,
# how many elements the innermost has so far.
LABELS = 6
MOST_CHILDREN = 3  # that are told apart


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """The second axis is time in training and the beam in search: the decoder does not care which."""

    stack: Tensor  # (batch, steps, words) True where the word stands for an element of the stack
    buffer: Tensor  # (batch, steps, words) True where the word is in the buffer
    front: Tensor  # (batch, steps, 8) the words in front; -1 where there is none
    labels: Tensor  # (batch, steps, 6) counted from 1; 0 where there is none

    def to(self, device: torch.device) -> Views:
        """The same on another device."""
        return Views(*(part.to(device) for part in (self.stack, self.buffer, self.front, self.labels)))


def front_of(state: ParserState) -> NDArray[np.int64]:
    """The words in front (rows, 8)."""
    stack, last, buffer = state.stack_word, state.last_word, state.buffer_word
    words = [stack(1), stack(2), buffer(1), last(1), last(2), stack(3), buffer(2), state.next_word()]
    return np.stack(words, axis=1, dtype=np.int64)


def labels_of(state: ParserState) -> NDArray[np.int64]:
    """The labels of what is built and of what is being built (rows, 6)."""
    built, being_built = state.stack_label, state.open_label
    children = np.minimum(state.child_count, MOST_CHILDREN)
    return np.stack([built(1), built(2), built(3), being_built(1), being_built(2), children], axis=1, dtype=np.int64)
