"""Which word SHIFT#k fetches: its number says how many words it passes over, this says what the word itself is like."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.actions import Move

_WIDTH = 64  # of keys and queries
_NEAR = 8  # distances from the stack's top, to either side, that are told apart


class Fetching(nn.Module):
    """A score for every word of the buffer, to be added to that of the action that would put it on the stack.

    It comes from the word's vector, and from where the word stands: that the one right after the stack's top goes on
    after a gap is easily said like this, whereas in numbers of SHIFT#k it is another action for every gap.
    """

    def __init__(self, width: int, vocabulary: ActionVocabulary) -> None:
        super().__init__()
        self.actions = len(vocabulary)
        shifts = vocabulary.columns(Move.SHIFT)
        distances = vocabulary.distances[shifts]
        action_at = np.full(int(distances.max()) + 2, self.actions)  # what is not in the vocabulary stands for nothing
        action_at[distances] = np.arange(shifts.start, shifts.stop)
        self.action_at = torch.from_numpy(action_at)  # (most words passed over + 2,) no weight: the vocabulary has it
        self.query = nn.Linear(width, _WIDTH)
        self.key = nn.Linear(width, _WIDTH, bias=False)
        self.nearness = nn.Linear(width, 2 * _NEAR + 1)

    def forward(self, x: Tensor, keys: Tensor, buffer: Tensor, top: Tensor) -> Tensor:
        """What is added to the scores (batch, steps, actions) of a decoder in the states x (batch, steps, width).

        Given the keys of the words (batch, words, 64), which of them are in the buffer (batch, steps, words), and the
        last word of the stack's top (batch, steps), -1 if there is none.
        """
        by_word = self.query(x) @ keys.transpose(1, 2) * _WIDTH**-0.5
        places = torch.arange(keys.shape[1], device=x.device)
        distance = (places - top[..., None]).clamp(-_NEAR, _NEAR)
        by_word = by_word + self.nearness(x).gather(-1, distance + _NEAR)
        passed = (buffer.cumsum(dim=-1) - 1).clamp(0, len(self.action_at) - 1)
        action = self.action_at.to(x.device)[passed].masked_fill(~buffer, self.actions)
        by_action = by_word.new_zeros(*x.shape[:2], self.actions + 1)  # the last is for words that can't be fetched
        return by_action.scatter(-1, action, by_word)[..., :-1]
