"""The decoder: scores for the next action, with heads that see only the stack or only the buffer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from discoseq.batching.state_features import LABELS, LAST_OF_TOP, MOST_CHILDREN, StateFeatures, StateMasks
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Move
from discoseq.model.beam_cache import BeamCache, BeamGrid
from discoseq.model.layers import DecoderLayer, Dropout, HeadMask, SelfAttention, sinusoids

_POINTER_WIDTH = 64  # of keys and queries
NEAR = 8  # distances from the top of the stack, to either side, that the pointer distinguishes

# self-attention of a layer: its number, the module and its input
SelfAttend: TypeAlias = Callable[[int, SelfAttention, Tensor], Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class DecoderSource:
    """What the decoder computes from the encoded words once a sentence."""

    is_word: Tensor  # (sentences, words)
    keys_and_values: list[Tensor]  # a layer: (2, sentences, heads, words, head width)
    features: (
        Tensor | None
    )  # (sentences, words + 1, feature words, width) a word's part in the input; zeros for no word
    pointer_keys: Tensor | None  # (sentences, words, pointer width)

    def select(self, sentences: Tensor) -> DecoderSource:
        """Only these sentences."""
        return DecoderSource(
            self.is_word[sentences],
            [x[:, sentences] for x in self.keys_and_values],
            None if self.features is None else self.features[sentences],
            None if self.pointer_keys is None else self.pointer_keys[sentences],
        )


class Decoder(nn.Module):
    """In cross-attention the first heads see the buffer, the next the stack, the rest everything.

    This is so in the lowest `dedicated_layers`, or in all layers if that is 0; in the others all heads see everything.
    """

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
        dedicated_layers: int,
        feature_words: int,
        feature_labels: int,
        pointer: Pointer | None,
    ) -> None:
        """`feature_words` words of the state are part of the input; `feature_labels` is 0 or the number of labels."""
        super().__init__()
        self.heads = heads
        self.buffer_heads = buffer_heads
        self.stack_heads = stack_heads
        self.dedicated_layers = dedicated_layers or layers
        self.scale = math.sqrt(width)
        self.embed = nn.Embedding(actions, width)
        self.feature_words = feature_words
        self.embed_words = nn.Linear(feature_words * width, width, bias=False) if feature_words else None
        self.embed_labels = LabelEmbedding(feature_labels, width) if feature_labels else None
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, hidden, dropout, is_pre_norm) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if is_pre_norm else nn.Identity()
        self.out = nn.Linear(width, actions, bias=False)
        self.pointer = pointer
        nn.init.normal_(self.embed.weight, std=width**-0.5)
        nn.init.normal_(self.out.weight, std=width**-0.5)

    def read(self, encoded: Tensor, is_word: Tensor) -> DecoderSource:
        """Prepare encoded words (sentences, words, width) for decoding."""
        return DecoderSource(
            is_word,
            [layer.cross_attention.keys_and_values(encoded) for layer in self._layers()],
            None if self.embed_words is None else self._project_feature_words(encoded),
            None if self.pointer is None else self.pointer.key(encoded),
        )

    def forward(self, source: DecoderSource, previous: Tensor, masks: StateMasks, features: StateFeatures) -> Tensor:
        """Scores (sentences, steps, actions) after the previous actions (sentences, steps), whole sequences at once."""
        positions = sinusoids(0, previous.shape[1], self.embed.weight)
        sentence = torch.arange(len(previous), device=previous.device)[:, None]
        x = self._embed(source, previous, positions, features, sentence)
        return self._decode(source, x, masks, features, None, lambda _, attention, x: attention(x, None))

    def step(
        self,
        source: DecoderSource,
        previous: Tensor,
        masks: StateMasks,
        features: StateFeatures,
        sentence: Tensor,
        grid: BeamGrid,
        cache: BeamCache,
    ) -> Tensor:
        """Scores (rows, actions) after one more action (rows,) of hypotheses of these sentences (rows,)."""
        positions = sinusoids(cache.length, 1, self.embed.weight)
        x = self._embed(source, previous, positions, features, sentence)
        masks = StateMasks(grid.pad(masks.stack), grid.pad(masks.buffer))
        scores = self._decode(
            source, x, masks, features, grid, lambda layer, attention, x: cache.attend(layer, attention, grid, x)
        )
        cache.length += 1
        return scores

    def _embed(
        self, source: DecoderSource, previous: Tensor, positions: Tensor, features: StateFeatures, sentence: Tensor
    ) -> Tensor:
        x = self.embed(previous) * self.scale + positions
        if source.features is not None:
            x = x + self._sum_feature_words(source.features, features.words[..., : self.feature_words], sentence)
        if self.embed_labels is not None:
            x = x + self.embed_labels(features.labels)
        return self.dropout(x)

    def _decode(
        self,
        source: DecoderSource,
        x: Tensor,
        masks: StateMasks,
        features: StateFeatures,
        grid: BeamGrid | None,
        self_attend: SelfAttend,
    ) -> Tensor:
        """From the input (sentences, steps, width), or (rows, width) with a grid that arranges the rows by sentence."""
        pad, unpad = (_same, _same) if grid is None else (grid.pad, grid.unpad)
        dedicated = self._head_mask(source.is_word, masks, x)
        plain = HeadMask.of_padding(source.is_word, x) if self.dedicated_layers < len(self.layers) else dedicated
        for number, layer in enumerate(self._layers()):
            mask = dedicated if number < self.dedicated_layers else plain
            x = layer(
                x,
                lambda x, number=number, layer=layer: self_attend(number, layer.self_attention, x),
                lambda x, number=number, layer=layer, mask=mask: unpad(
                    layer.cross_attention(pad(x), source.keys_and_values[number], mask)
                ),
            )
        x = self.norm(x)
        scores: Tensor = self.out(x)
        if self.pointer is not None and source.pointer_keys is not None:
            top = pad(features.words[..., LAST_OF_TOP])
            scores = scores + unpad(self.pointer(pad(x), source.pointer_keys, masks.buffer, top))
        return scores

    def _head_mask(self, is_word: Tensor, masks: StateMasks, like: Tensor) -> HeadMask:
        """What every head sees at every step: (sentences, heads, steps, words)."""
        if not self.buffer_heads and not self.stack_heads:
            return HeadMask.of_padding(is_word, like)
        everything = is_word[:, None, :].expand_as(masks.stack)
        dedicated = [masks.buffer] * self.buffer_heads + [masks.stack] * self.stack_heads
        visible = dedicated + [everything] * (self.heads - len(dedicated))
        return HeadMask.of(torch.stack(visible, dim=1), like)

    def _layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]

    def _project_feature_words(self, encoded: Tensor) -> Tensor:
        """Each word's part in the input (sentences, words + 1, feature words, width); the last word is no word.

        There are fewer words than steps, so projecting every word once is cheaper than projecting at every step.
        """
        assert self.embed_words is not None
        by_feature = self.embed_words.weight.view(-1, self.feature_words, encoded.shape[-1])  # (out, feature, in)
        projected = torch.einsum("bwi,oki->bwko", encoded, by_feature)
        return nn.functional.pad(projected, (0, 0, 0, 0, 0, 1))

    def _sum_feature_words(self, table: Tensor, words: Tensor, sentence: Tensor) -> Tensor:
        """The sum (..., width) over the feature words (..., feature words), -1 for no word, of each sentence (...)."""
        _, rows, count, width = table.shape
        row = sentence[..., None] * rows + words.remainder(rows)
        index = row * count + torch.arange(count, device=words.device)
        return embedding_bag(index.view(-1, count), table.view(-1, width), mode="sum").view(*words.shape[:-1], width)


class LabelEmbedding(nn.Module):
    """The sum of a vector for every label among the state features, by label and feature."""

    def __init__(self, labels: int, width: int) -> None:
        super().__init__()
        self.kinds = 1 + max(labels, MOST_CHILDREN)
        self.embed = nn.EmbeddingBag(LABELS * self.kinds, width, mode="sum")
        nn.init.normal_(self.embed.weight, std=LABELS**-0.5)

    def forward(self, labels: Tensor) -> Tensor:
        """From (..., 6) to (..., width)."""
        index = labels + torch.arange(LABELS, device=labels.device) * self.kinds
        return self.embed(index.view(-1, LABELS)).view(*labels.shape[:-1], -1)


class Pointer(nn.Module):
    """A score for every word of the buffer, added to that of the SHIFT#k that would shift it.

    SHIFT#k is a class in the paper: its number has to be learnt for every gap. Like a pointer network (Vinyals et al.,
    2015), this scores the word itself, by its vector and by its distance from the top of the stack.
    """

    def __init__(self, width: int, vocabulary: ActionVocabulary) -> None:
        super().__init__()
        self.actions = len(vocabulary)
        shifts = vocabulary.columns(Move.SHIFT)
        distances = vocabulary.distances[shifts]
        action_at = np.full(int(distances.max()) + 2, self.actions)  # a distance without an action has the dummy action
        action_at[distances] = np.arange(shifts.start, shifts.stop)
        self.action_at = torch.from_numpy(action_at)  # (longest distance + 2,) no weight: the vocabulary determines it
        self.query = nn.Linear(width, _POINTER_WIDTH)
        self.key = nn.Linear(width, _POINTER_WIDTH, bias=False)
        self.nearness = nn.Linear(width, 2 * NEAR + 1)

    def forward(self, x: Tensor, keys: Tensor, buffer: Tensor, top: Tensor) -> Tensor:
        """What is added to the scores (batch, steps, actions) of a decoder in the states x (batch, steps, width).

        `keys` are those of the words (batch, words, 64), `buffer` says which of them are in the buffer (batch, steps,
        words), `top` is the last word of the stack's top element (batch, steps), -1 if there is none.
        """
        by_word = self.query(x) @ keys.transpose(1, 2) * _POINTER_WIDTH**-0.5
        positions = torch.arange(keys.shape[1], device=x.device)
        distance = (positions - top[..., None]).clamp(-NEAR, NEAR)
        by_word = by_word + self.nearness(x).gather(-1, distance + NEAR)
        passed = (buffer.cumsum(dim=-1) - 1).clamp(0, len(self.action_at) - 1)
        action = self.action_at.to(x.device)[passed].masked_fill(~buffer, self.actions)
        by_action = by_word.new_zeros(*x.shape[:2], self.actions + 1)  # the last one is the dummy action
        return by_action.scatter(-1, action, by_word)[..., :-1]


def _same(x: Tensor) -> Tensor:
    return x
