"""The decoder: at each step scores for the next action, with heads that see only the stack or only the buffer."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor, nn

from discoseq.batching.views import Views
from discoseq.model.attention import HeadMask
from discoseq.model.cache import DecoderCache
from discoseq.model.dropout import Dropout
from discoseq.model.layers import DecoderLayer
from discoseq.model.positions import sinusoids

FRONT = 3  # the words in front: top and second of the stack, first of the buffer


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
    ) -> None:
        super().__init__()
        self.free_heads = heads - buffer_heads - stack_heads
        self.buffer_heads = buffer_heads
        self.stack_heads = stack_heads
        self.scale = math.sqrt(width)
        self.embed = nn.Embedding(actions, width)
        self.point = nn.Linear(FRONT * width, width, bias=False) if is_pointed else None
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, hidden, dropout, is_pre_norm) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if is_pre_norm else nn.Identity()
        self.out = nn.Linear(width, actions, bias=False)
        nn.init.normal_(self.embed.weight, std=width**-0.5)
        nn.init.normal_(self.out.weight, std=width**-0.5)

    def forward(self, given: Tensor, encoded: Tensor, is_word: Tensor, views: Views) -> Tensor:
        """Scores (batch, steps, actions) after the actions given (batch, steps), a whole sequence at once."""
        x = self._embed(given, 0, encoded, views)
        mask = self.head_mask(is_word, views, encoded)
        for layer in self._layers():
            look_back = partial(layer.self_attention, mask=None)
            x = layer(x, look_back, layer.cross_attention.source(encoded), mask)
        return self.out(self.norm(x))

    def start(self, encoded: Tensor, is_word: Tensor) -> DecoderCache:
        """What stays the same for all steps and hypotheses of a sentence, computed once."""
        return DecoderCache(encoded, is_word, [layer.cross_attention.source(encoded) for layer in self._layers()])

    def step(self, given: Tensor, views: Views, cache: DecoderCache) -> Tensor:
        """Scores (sentences, beam, actions) after one more action (sentences, beam); the cache grows by a step."""
        # rows are hypotheses; in self-attention each is a sequence, in cross-attention a step of its sentence
        x = self._embed(given, cache.length, cache.encoded, views, is_beam=True)
        mask = self.head_mask(cache.is_word, views, cache.encoded)
        for number, layer in enumerate(self._layers()):
            x = layer(x, partial(self._look_back, cache, number, layer), cache.sources[number], mask)
        cache.length += 1
        return self.out(self.norm(x))

    def head_mask(self, is_word: Tensor, views: Views, like: Tensor) -> HeadMask:
        """What every head sees at every step: (batch, heads, steps, words)."""
        if not self.buffer_heads and not self.stack_heads:
            return HeadMask.of_padding(is_word, like)
        everything = is_word[:, None, :].expand_as(views.stack)
        masks = [views.buffer] * self.buffer_heads + [views.stack] * self.stack_heads + [everything] * self.free_heads
        return HeadMask.of(torch.stack(masks, dim=1), like)

    def _layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]

    def _embed(self, given: Tensor, start: int, encoded: Tensor, views: Views, is_beam: bool = False) -> Tensor:
        x = self.embed(given) * self.scale
        x = x + sinusoids(start, 1 if is_beam else given.shape[1], x)
        if self.point is not None:
            x = x + self.point(_words_at(encoded, views.front))
        return self.dropout(x)

    @staticmethod
    def _look_back(cache: DecoderCache, number: int, layer: DecoderLayer, x: Tensor) -> Tensor:
        sentences, beam, width = x.shape
        queries, keys, values = layer.self_attention.split(x.reshape(sentences * beam, 1, width))
        attended: Tensor = layer.self_attention.step(queries, *cache.extend(number, keys, values))
        return attended.view(sentences, beam, width)


def _words_at(encoded: Tensor, places: Tensor) -> Tensor:
    """The encoded words (batch, words, width) at the places (batch, steps, n), side by side; zeros where it is -1."""
    batch, steps, count = places.shape
    index = places.clamp(min=0).view(batch, steps * count, 1).expand(-1, -1, encoded.shape[-1])
    found = encoded.gather(1, index).view(batch, steps, count, -1)
    return found.masked_fill((places < 0)[..., None], 0.0).flatten(2)
