"""The network as a scorer for search (see search/scorer.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.batching.sentence_batch import Sentences
from discoseq.batching.state_features import Views, front_of, labels_of
from discoseq.linearization.state import Bools, Ints, ParserState
from discoseq.model.grid import Grid
from discoseq.model.network import ParserNetwork
from discoseq.model.workspace import Workspace


class NetworkScorer:
    """Encodes the sentences once, then follows the search with the decoder's cache."""

    def __init__(self, network: ParserNetwork, parts: Sequence[Sentences], workspace: Workspace | None = None) -> None:
        self.decoder = network.decoder
        self.device = next(network.parameters()).device
        parts = [part.to(self.device) for part in parts]
        self.encoded = _together([network.encode(part) for part in parts])  # (sentences, words, width)
        self.is_word = _together([part.is_word for part in parts])  # (sentences, words)
        self.workspace = workspace or Workspace()
        self.cache = self.decoder.start(self.encoded, self.is_word, 1, self.workspace)

    def restart(self, beam_size: int, sentences: Sequence[int]) -> None:
        """The next step is the first of a search with such a beam, for these of all the sentences."""
        chosen = torch.tensor(sentences, dtype=torch.long, device=self.device)
        is_word = self.is_word[chosen]
        longest = int(is_word.sum(dim=1).max())  # the padding is for them alone
        encoded = self.encoded[chosen, :longest]
        self.cache = self.decoder.start(encoded, is_word[:, :longest], beam_size, self.workspace)

    def step(
        self, state: ParserState, parents: Ints, last_actions: Ints, is_allowed: Bools
    ) -> NDArray[np.floating[Any]]:
        """Scores (rows, actions)."""
        self.cache.follow(parents)
        given = torch.as_tensor(last_actions, dtype=torch.long, device=self.device)
        views = self._views(state, self.cache.grid).to(self.device)
        scores: NDArray[np.floating[Any]] = self.decoder.step(given, views, self.cache).float().cpu().numpy()
        return scores

    def _views(self, state: ParserState, grid: Grid) -> Views:
        """Stack and buffer as a grid (sentences, beam, words), the rest by row (rows, 1, ...) if it is looked at."""
        nothing = np.zeros((len(state), 1, 0), dtype=np.int64)
        front = nothing if self.decoder.point is None else front_of(state)[:, None]
        labels = nothing if self.decoder.embed_labels is None else labels_of(state)[:, None]
        return Views(
            torch.from_numpy(grid.spread_array(state.stack_mask())),
            torch.from_numpy(grid.spread_array(state.buffer_mask())),
            torch.from_numpy(front),
            torch.from_numpy(labels),
        )


def _together(parts: Sequence[Tensor]) -> Tensor:
    """From (sentences, words, ...) each to all sentences, with zeros where others have more words."""
    longest = max(part.shape[1] for part in parts)
    whole = parts[0].new_zeros(sum(map(len, parts)), longest, *parts[0].shape[2:])
    start = 0
    for part in parts:
        whole[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return whole
