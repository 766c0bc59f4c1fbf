"""BERT (Devlin et al., 2019) with the layers of this package.

It computes the same as BertModel of transformers, but faster, and a saved model that contains a BERT does not need to
import transformers, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from discoseq.model.layers import Dropout, HeadMask, Residual, SelfAttention, attend, split_heads


class BertFamily(nn.Module):
    """What BERT and its relatives share: embeddings of subwords and positions, and the layers above them."""

    def __init__(self, config: Mapping[str, Any], layers: int) -> None:
        super().__init__()
        width, dropout, epsilon = config["hidden_size"], config["hidden_dropout_prob"], config["layer_norm_eps"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.norm = nn.LayerNorm(width, eps=epsilon)
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(
            BertLayer(width, config["num_attention_heads"], config["intermediate_size"], dropout, epsilon)
            for _ in range(layers)
        )

    def run_layers(self, embedded: Tensor, mask: HeadMask, places: Places) -> list[Tensor]:
        """From embeddings (subwords, width) to states (rows, length, width): of the embeddings and of every layer."""
        states = [self.dropout(self.norm(embedded))]
        for layer in self.layers:
            states.append(layer(states[-1], mask, places))
        return [places.pad(state) for state in states]

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first."""
        return list(self.layers)

    def subword_tables(self) -> list[str]:
        """The embeddings of subwords."""
        return ["words.weight"]


class Bert(BertFamily):
    """A BERT without a head, which returns the states of all its layers."""

    def __init__(self, config: Mapping[str, Any], layers: int) -> None:
        super().__init__(config, layers)
        self.segment = nn.Parameter(torch.zeros(config["hidden_size"]))  # of the first segment, the only one used

    def forward(self, ids: Tensor, is_subword: Tensor) -> list[Tensor]:
        """States (rows, length, width) of the embeddings and of every layer."""
        places = Places.of(is_subword)
        positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        x = self.words(places.pack(ids)) + self.positions(places.pack(positions)) + self.segment
        return self.run_layers(x, HeadMask.of_padding(is_subword, x), places)


class BertLayer(nn.Module):
    """A post-norm Transformer layer with GELU."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, epsilon: float) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.feed_forward = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.residuals = nn.ModuleList(Residual(width, dropout, is_pre_norm=False) for _ in range(2))
        for residual in self.residuals:
            residual.norm = nn.LayerNorm(width, eps=epsilon)

    def forward(self, x: Tensor, mask: HeadMask, places: Places) -> Tensor:
        """From the subwords of a batch without padding (subwords, width) to the same."""
        x = self.residuals[0](x, lambda x: self._attend(x, mask, places))
        return self.residuals[1](x, self.feed_forward)

    def _attend(self, x: Tensor, mask: HeadMask, places: Places) -> Tensor:
        projected = places.pad(self.attention.project(x))
        queries, keys, values = (split_heads(part, self.attention.heads) for part in projected.chunk(3, dim=-1))
        return self.attention.out(places.pack(attend(queries, keys, values, mask)))


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the subwords of a batch are. Attention needs rows of one length; all else is computed without padding.

    A quarter of a batch is padding: sentences of as many words have different numbers of subwords.
    """

    shape: torch.Size  # (rows, length)
    numbers: Tensor  # (subwords,) in the flattened batch

    @classmethod
    def of(cls, is_subword: Tensor) -> Places:
        return cls(is_subword.shape, is_subword.flatten().nonzero().flatten())

    def pack(self, x: Tensor) -> Tensor:
        """From (rows, length, ...) to (subwords, ...)."""
        return x.flatten(0, 1)[self.numbers]

    def pad(self, x: Tensor) -> Tensor:
        """From (subwords, width) to (rows, length, width), with zeros at padding."""
        return x.new_zeros(self.shape.numel(), x.shape[-1]).index_copy(0, self.numbers, x).view(*self.shape, -1)


def is_plain_bert(config: Mapping[str, Any]) -> bool:
    """Whether `Bert` computes the same as the model that a configuration of transformers describes."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
    )


def bert_weights(weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The weights of a BertModel of transformers under the names of `Bert`."""
    embeddings = {"words": "word_embeddings", "positions": "position_embeddings", "norm": "LayerNorm"}
    renamed = {
        f"{ours}.{kind}": weights[f"embeddings.{theirs}.{kind}"]
        for ours, theirs in embeddings.items()
        for kind in (("weight", "bias") if ours == "norm" else ("weight",))
    }
    renamed["segment"] = weights["embeddings.token_type_embeddings.weight"][0]
    parts = {
        "attention.out": "attention.output.dense",
        "residuals.0.norm": "attention.output.LayerNorm",
        "feed_forward.0": "intermediate.dense",
        "feed_forward.2": "output.dense",
        "residuals.1.norm": "output.LayerNorm",
    }
    for layer in range(layers):
        for kind in ("weight", "bias"):
            theirs = [weights[f"encoder.layer.{layer}.attention.self.{x}.{kind}"] for x in ("query", "key", "value")]
            renamed[f"layers.{layer}.attention.project.{kind}"] = torch.cat(theirs)
            for name, other in parts.items():
                renamed[f"layers.{layer}.{name}.{kind}"] = weights[f"encoder.layer.{layer}.{other}.{kind}"]
    return renamed
