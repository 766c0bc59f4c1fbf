"""The decoder as a scorer for search (see search/derivations.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from discoseq.batching.state_features import StateFeatures, StateMasks
from discoseq.linearizations.state import Ints, ParserState
from discoseq.model.beam_cache import BeamCache, BeamGrid
from discoseq.model.decoder import Decoder

_MOST_DONE = 0.25  # the share of finished sentences at which the others are copied together
# a first guess at the length of an action sequence; the cache grows where it is too short
_ACTIONS_A_WORD = 4
_MORE_ACTIONS = 16


class NetworkScorer:
    """Follows one search after another, with a beam cache."""

    def __init__(self, decoder: Decoder, encoded: Sequence[Tensor], cache: BeamCache) -> None:
        """`encoded` are the words of every sentence (words, width)."""
        self.decoder = decoder
        self.encoded = encoded
        self.device = decoder.embed.weight.device
        self.cache = cache

    def start(self, sentences: Sequence[int]) -> None:
        """Begin a search over these of the sentences."""
        chosen = [self.encoded[i] for i in sentences]
        encoded = pad_sequence(chosen, batch_first=True)
        lengths = torch.tensor([len(x) for x in chosen], device=self.device)
        is_word = torch.arange(encoded.shape[1], device=self.device) < lengths[:, None]
        self.source = self.decoder.read(encoded, is_word)
        self.sentence_of_row: Ints = np.arange(len(chosen))
        capacity = _ACTIONS_A_WORD * encoded.shape[1] + _MORE_ACTIONS
        self.cache.start(len(chosen), capacity, len(self.decoder.layers), self.decoder.heads, encoded)

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints) -> NDArray[np.floating[Any]]:
        """Scores (rows, actions)."""
        self._follow(parents)
        sentence = torch.from_numpy(self.sentence_of_row).to(self.device)
        grid = BeamGrid.of(self.sentence_of_row, len(self.source.is_word), self.device)
        previous = torch.as_tensor(previous_actions, dtype=torch.long, device=self.device)
        masks = StateMasks.of(state).to(self.device)
        features = StateFeatures.of(state).to(self.device)
        scores = self.decoder.step(self.source, previous, masks, features, sentence, grid, self.cache)
        found: NDArray[np.floating[Any]] = scores.float().cpu().numpy()
        return found

    def _follow(self, parents: Ints) -> None:
        """Continue these rows, and drop the sentences that are done if they are many."""
        self.sentence_of_row = self.sentence_of_row[parents]
        alive = np.unique(self.sentence_of_row)
        if len(alive) <= (1 - _MOST_DONE) * len(self.source.is_word):
            kept = torch.from_numpy(alive).to(self.device)
            self.source = self.source.select(kept)
            self.cache.keep_sentences(kept)
            self.sentence_of_row = np.searchsorted(alive, self.sentence_of_row)
        self.cache.follow(parents, self.sentence_of_row, len(self.source.is_word))
