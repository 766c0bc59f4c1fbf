"""The network as a scorer for search (see search/scorer.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from discoseq.batching.sentences import Sentences
from discoseq.batching.views import views_of
from discoseq.linearization.state import Ints, ParserState
from discoseq.model.network import ParserNetwork


class NetworkScorer:
    """Encodes the sentences once, then follows the search with the decoder's cache."""

    def __init__(self, network: ParserNetwork, sentences: Sentences) -> None:
        self.network = network
        self.device = next(network.parameters()).device
        sentences = sentences.to(self.device)
        self.cache = network.decoder.start(network.encode(sentences), sentences.is_word)
        self._sentence_of_row = np.arange(len(sentences.words))

    def step(self, state: ParserState, parents: Ints, last_actions: Ints) -> NDArray[np.floating[Any]]:
        """Scores (rows, actions)."""
        self._follow(parents)
        sentences = len(self.cache.is_word)
        views = views_of(state).beams(sentences).to(self.device)
        given = torch.as_tensor(last_actions, dtype=torch.long, device=self.device).view(sentences, -1)
        scores: NDArray[np.floating[Any]] = (
            self.network.decoder.step(given, views, self.cache).flatten(0, 1).float().cpu().numpy()
        )
        return scores

    def _follow(self, parents: Ints) -> None:
        """Bring the cache to the rows that search goes on with."""
        before = self._sentence_of_row
        after = before[parents]
        if len(parents) != len(before) or (parents != np.arange(len(before))).any():
            self.cache.select(torch.as_tensor(parents, dtype=torch.long, device=self.device))
        is_left = np.isin(np.unique(before), after)
        if not is_left.all():
            self.cache.keep_sentences(torch.as_tensor(np.flatnonzero(is_left), device=self.device))
        self._sentence_of_row = np.unique(after, return_inverse=True)[1]
