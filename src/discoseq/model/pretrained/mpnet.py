"""MPNet (Song et al., 2020) with the layers of this package: a BERT whose heads also know how far apart subwords are.

It computes the same as MPNetModel of transformers, which a saved model then does not need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from discoseq.model.layers import HeadMask
from discoseq.model.pretrained.bert import BertFamily, Places

_PADDING = 1  # a subword of this number has this position; the others are counted from the next one on
_FARTHEST = 128  # subwords: all that is farther away is equally far


class MPNet(BertFamily):
    """An MPNet without a head, which returns the states of all its layers."""

    def __init__(self, config: Mapping[str, Any], layers: int) -> None:
        super().__init__(config, layers)
        self.distances = nn.Embedding(config["relative_attention_num_buckets"], config["num_attention_heads"])

    def forward(self, ids: Tensor, is_subword: Tensor) -> list[Tensor]:
        """States (rows, length, width) of the embeddings and of every layer."""
        places = Places.of(is_subword)
        is_counted = (ids != _PADDING).long()
        positions = is_counted.cumsum(dim=1) * is_counted + _PADDING
        x = self.words(places.pack(ids)) + self.positions(places.pack(positions))
        classes = _distance_classes(ids.shape[1], self.distances.num_embeddings).to(ids.device)
        by_distance = self.distances(classes).permute(2, 0, 1)  # (heads, length, length)
        return self.run_layers(x, HeadMask(HeadMask.of_padding(is_subword, x).bias + by_distance, None), places)


@lru_cache(maxsize=64)
def _distance_classes(length: int, classes: int) -> Tensor:
    """For each subword (row) the class of its distance to each subword (column).

    Half of the classes are for subwords to the right. Of each half, the first half are distances one by one, the
    others become wider with the logarithm of the distance, as in T5 (Raffel et al., 2020).
    """
    half, exact = classes // 2, classes // 4
    with torch.inference_mode(False):  # they may be used in training later
        place = torch.arange(length)
        distance = place[None, :] - place[:, None]
        size = distance.abs()
        ratio = (size.clamp(min=1).float() / exact).log() / math.log(_FARTHEST / exact)
        wide = (exact + (ratio * (half - exact)).long()).clamp(max=half - 1)
        return torch.where(size < exact, size, wide) + half * (distance > 0)


def is_mpnet(config: Mapping[str, Any]) -> bool:
    """Whether `MPNet` computes the same as the model that a configuration of transformers describes."""
    return config.get("model_type") == "mpnet" and config.get("hidden_act") == "gelu"


def mpnet_weights(weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The weights of an MPNetModel of transformers under the names of `MPNet`."""
    renamed = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "positions.weight": weights["embeddings.position_embeddings.weight"],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
        "distances.weight": weights["encoder.relative_attention_bias.weight"],
    }
    parts = {
        "attention.out": "attention.attn.o",
        "residuals.0.norm": "attention.LayerNorm",
        "feed_forward.0": "intermediate.dense",
        "feed_forward.2": "output.dense",
        "residuals.1.norm": "output.LayerNorm",
    }
    for layer in range(layers):
        for kind in ("weight", "bias"):
            theirs = [weights[f"encoder.layer.{layer}.attention.attn.{x}.{kind}"] for x in "qkv"]
            renamed[f"layers.{layer}.attention.project.{kind}"] = torch.cat(theirs)
            for name, other in parts.items():
                renamed[f"layers.{layer}.{name}.{kind}"] = weights[f"encoder.layer.{layer}.{other}.{kind}"]
    return renamed
