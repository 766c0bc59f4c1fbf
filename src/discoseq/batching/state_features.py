"""What the decoder sees of the parser state: masks of stack and buffer, and features of their nearest elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.linearizations.state import ParserState

# Feature words, in this order: first words of the two top elements of the stack, first word of the buffer; the corners:
# last words of the two top elements, first word of the third, second word of the buffer; and for the pointer the first
# word of the buffer after the top element, which is not the first of the buffer where SHIFT#k has skipped words.
NEAREST_WORDS = 3
WORDS_WITH_CORNERS = 7
WORDS = 8
LAST_OF_TOP = 3  # its number among them

# Feature labels: of the three top elements of the stack and of the two innermost open constituents; and, in the same
# array, the number of children that the innermost has so far.
LABELS = 6
MOST_CHILDREN = 3  # that are distinguished


@dataclass(frozen=True, slots=True, eq=False)
class StateMasks:
    """True where a word is on the stack, as the first of its element, or in the buffer."""

    stack: Tensor  # (sentences, steps, words) in training, (rows, words) in search
    buffer: Tensor  # the same

    def to(self, device: torch.device) -> StateMasks:
        """The same on another device."""
        return StateMasks(self.stack.to(device), self.buffer.to(device))

    @classmethod
    def of(cls, state: ParserState) -> StateMasks:
        """For search."""
        return cls(torch.from_numpy(state.stack_mask()), torch.from_numpy(state.buffer_mask()))


@dataclass(frozen=True, slots=True, eq=False)
class StateFeatures:
    """Words and labels near the top of the stack and the front of the buffer."""

    words: Tensor  # (sentences, steps, 8) in training, (rows, 8) in search; -1 where there is none
    labels: Tensor  # (sentences, steps, 6) or (rows, 6), numbered from 1; 0 where there is none

    def to(self, device: torch.device) -> StateFeatures:
        """The same on another device."""
        return StateFeatures(self.words.to(device), self.labels.to(device))

    @classmethod
    def of(cls, state: ParserState) -> StateFeatures:
        """For search."""
        return cls(torch.from_numpy(feature_words(state)), torch.from_numpy(feature_labels(state)))


def feature_words(state: ParserState) -> NDArray[np.int64]:
    """The feature words (rows, 8)."""
    stack, last, buffer = state.stack_word, state.last_word, state.buffer_word
    words = [stack(1), stack(2), buffer(1), last(1), last(2), stack(3), buffer(2), state.next_word()]
    return np.stack(words, axis=1, dtype=np.int64)


def feature_labels(state: ParserState) -> NDArray[np.int64]:
    """The feature labels (rows, 6)."""
    built, being_built = state.stack_label, state.open_label
    children = np.minimum(state.child_count, MOST_CHILDREN)
    return np.stack([built(1), built(2), built(3), being_built(1), being_built(2), children], axis=1, dtype=np.int64)
