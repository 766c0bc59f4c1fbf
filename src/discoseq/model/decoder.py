"""The decoder: at each step scores for the next action, with heads that see only the stack or only the buffer."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor, nn

from discoseq.batching.state_features import (
    FRONT,
    FRONT_WITH_CORNERS,
    FRONT_WITH_NEXT,
    LABELS,
    LAST_OF_TOP,
    MOST_CHILDREN,
    Views,
)
from discoseq.model.attention import HeadMask, SelfAttention
from discoseq.model.cache import DecoderCache
from discoseq.model.dropout import Dropout
from discoseq.model.fetching import Fetching
from discoseq.model.layers import DecoderLayer
from discoseq.model.positions import sinusoids
from discoseq.model.workspace import Workspace

# how long a sequence is, by a rough guess, for the memory to begin with
_ACTIONS_A_WORD = 4
_ACTIONS_MORE = 16


class Decoder(nn.Module):
    """In every layer's cross-attention the first heads see the buffer, the next the stack, the rest everything."""

    def __init__(
        self,
        actions: int,
        layers: int,
        width: int,
        heads: int,
        hidden: int,
        dropout: float,
        is_pre_norm: bool,
        buffer_heads: int,
        stack_heads: int,
        is_pointed: bool,
        sees_corners: bool,
        labels: int,
        fetching: Fetching | None,
    ) -> None:
        super().__init__()
        self.free_heads = heads - buffer_heads - stack_heads
        self.buffer_heads = buffer_heads
        self.stack_heads = stack_heads
        self.scale = math.sqrt(width)
        self.embed = nn.Embedding(actions, width)
        # words in front that the input is made of
        self.front = FRONT_WITH_NEXT if fetching is not None else FRONT_WITH_CORNERS if sees_corners else FRONT
        self.point = nn.Linear(self.front * width, width, bias=False) if is_pointed else None
        self.embed_labels = LabelEmbedding(labels, width) if labels else None
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, hidden, dropout, is_pre_norm) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if is_pre_norm else nn.Identity()
        self.out = nn.Linear(width, actions, bias=False)
        self.fetching = fetching
        nn.init.normal_(self.embed.weight, std=width**-0.5)
        nn.init.normal_(self.out.weight, std=width**-0.5)

    def forward(self, given: Tensor, encoded: Tensor, is_word: Tensor, views: Views) -> Tensor:
        """Scores (batch, steps, actions) after the actions given (batch, steps), a whole sequence at once."""
        x = self.embed(given) * self.scale
        x = x + sinusoids(0, given.shape[1], x)
        if self.point is not None:
            x = x + self.point(_words_at(encoded, views.front[..., : self.front]))
        if self.embed_labels is not None:
            x = x + self.embed_labels(views.labels)
        x = self.dropout(x)
        mask = self.head_mask(is_word, views, encoded)
        for layer in self._layers():
            x = layer(x, layer.cross_attention.source(encoded), mask)
        x = self.norm(x)
        scores: Tensor = self.out(x)
        if self.fetching is not None:
            scores = scores + self.fetching(x, self.fetching.key(encoded), views.buffer, views.front[..., LAST_OF_TOP])
        return scores

    def start(
        self, encoded: Tensor, is_word: Tensor, beam_size: int = 1, workspace: Workspace | None = None
    ) -> DecoderCache:
        """What stays the same for all steps and hypotheses of a sentence, computed once.

        The beam says how much memory to begin with; it grows where that is too little.
        """
        sources = [layer.cross_attention.source_for_search(encoded) for layer in self._layers()]
        capacity = (_ACTIONS_A_WORD * encoded.shape[1] + _ACTIONS_MORE) * (1 + beam_size // 4)
        fetch_keys = None if self.fetching is None else self.fetching.key(encoded)
        return DecoderCache(is_word, sources, self._point_from(encoded), fetch_keys, workspace or Workspace(), capacity)

    def step(self, given: Tensor, views: Views, cache: DecoderCache) -> Tensor:
        """Scores (rows, actions) after one more action (rows,), for which the cache has made room.

        Views of stack and buffer are by its grid (sentences, beam, words), the rest by row (rows, 1, ...).
        """
        x = self.embed(given) * self.scale
        x = x + sinusoids(cache.length, 1, x)
        if cache.front is not None:
            x = x + cache.words_in_front(views.front[:, 0, : self.front])
        if self.embed_labels is not None:
            x = x + self.embed_labels(views.labels)[:, 0]
        mask = self.head_mask(cache.is_word, views, x)
        for number, layer in enumerate(self._layers()):
            look_back = partial(self._look_back, cache, number, layer.self_attention)
            look_at_words = partial(layer.cross_attention.step, cache.grid, cache.sources[number], mask)
            x = layer.step(x, look_back, look_at_words)
        cache.length += 1
        x = self.norm(x)
        scores: Tensor = self.out(x)
        if self.fetching is not None and cache.fetch_keys is not None:
            grid, top = cache.grid, views.front[..., LAST_OF_TOP]
            fetched = self.fetching(grid.spread(x), cache.fetch_keys, views.buffer, grid.spread(top)[..., 0])
            scores = scores + grid.gather(fetched)
        return scores

    def head_mask(self, is_word: Tensor, views: Views, like: Tensor) -> HeadMask:
        """What every head sees at every step: (batch, heads, steps, words)."""
        if not self.buffer_heads and not self.stack_heads:
            return HeadMask.of_padding(is_word, like)
        everything = is_word[:, None, :].expand_as(views.stack)
        masks = [views.buffer] * self.buffer_heads + [views.stack] * self.stack_heads + [everything] * self.free_heads
        return HeadMask.of(torch.stack(masks, dim=1), like)

    def _layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]

    def _point_from(self, encoded: Tensor) -> Tensor | None:
        """What every word adds to the input where it is in front (batch, words + 1, front, width); zeros for no word.

        The words are fewer than the steps they are looked at, so the product is made once for each.
        """
        if self.point is None:
            return None
        by_place = self.point.weight.view(-1, self.front, encoded.shape[-1])  # (width, front, width)
        moved = torch.einsum("bwi,oki->bwko", encoded, by_place)
        return nn.functional.pad(moved, (0, 0, 0, 0, 0, 1))

    @staticmethod
    def _look_back(cache: DecoderCache, number: int, attention: SelfAttention, x: Tensor) -> Tensor:
        width = x.shape[-1]
        queries, keys_and_values = attention.project(x).split([width, 2 * width], dim=-1)
        return attention.step(cache.grid, queries, cache.remember(number, keys_and_values), cache.blocks)


class LabelEmbedding(nn.Module):
    """The sum of a vector for every label that is looked at, by label and place."""

    def __init__(self, labels: int, width: int) -> None:
        super().__init__()
        self.kinds = 1 + max(labels, MOST_CHILDREN)
        self.embed = nn.EmbeddingBag(LABELS * self.kinds, width, mode="sum")
        nn.init.normal_(self.embed.weight, std=LABELS**-0.5)

    def forward(self, labels: Tensor) -> Tensor:
        """From (batch, steps, 6) to (batch, steps, width)."""
        index = labels + torch.arange(LABELS, device=labels.device) * self.kinds
        return self.embed(index.flatten(0, 1)).view(*labels.shape[:2], -1)


def _words_at(encoded: Tensor, places: Tensor) -> Tensor:
    """The encoded words (batch, words, width) at the places (batch, steps, n), side by side; zeros where it is -1."""
    batch, steps, count = places.shape
    index = places.clamp(min=0).view(batch, steps * count, 1).expand(-1, -1, encoded.shape[-1])
    found = encoded.gather(1, index).view(batch, steps, count, -1)
    return found.masked_fill((places < 0)[..., None], 0.0).flatten(2)
