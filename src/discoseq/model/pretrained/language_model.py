"""A pre-trained language model: subwords in, a vector for every word out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from discoseq.batching.batches import batches_by_length
from discoseq.batching.sentence_batch import as_read
from discoseq.batching.subwords import SubwordBatch, SubwordTokenizer
from discoseq.errors import ModelError
from discoseq.model.settings import check_size

BATCH_SUBWORDS = 1024  # padding included; larger batches lose more time on padding than a CPU gains from them
# smallest and largest sizes in a description: a number from a damaged file must not fill the memory
_SIZES = {
    "width": (1, 16_384),
    "layers": (0, 200),
    "window": (1, 1_000_000),
    "padding": (0, 5_000_000),
    "hidden_size": (1, 16_384),
    "num_hidden_layers": (0, 200),
    "num_attention_heads": (1, 1024),
    "intermediate_size": (1, 131_072),
    "vocab_size": (1, 5_000_000),
    "max_position_embeddings": (1, 1_000_000),
    "pieces": (1, 5_000_000),
    "embedding": (1, 16_384),
    "channels": (1, 16_384),
}
_LAYER_CHOICE = re.compile(r"(?:(mean|mix) )?(\d+)(?:-(\d+))?")


class LanguageModel(nn.Module):
    """Computes the vector of a word as the mean over the subwords that count for it."""

    def __init__(self, body: nn.Module, choice: LayerChoice) -> None:
        super().__init__()
        self.body = body
        self.choice = choice

    def forward(self, subwords: SubwordBatch, sentences: int, words: int) -> Tensor:
        """Vectors (sentences, words, outputs x width); zeros at padding."""
        states = self.choice.apply(self.body(subwords.ids, subwords.is_subword)).flatten(0, 1).float()
        # subwords that count for no word are summed in one more row, which is then dropped
        rows = sentences * words
        row = torch.where(subwords.word_index < 0, rows, subwords.word_index).flatten()
        sums = states.new_zeros(rows + 1, states.shape[-1]).index_add_(0, row, states)
        counts = states.new_zeros(rows + 1).index_add_(0, row, torch.ones_like(row, dtype=states.dtype))
        means = sums[:-1] / counts[:-1, None].clamp(min=1.0)
        return means.view(sentences, words, -1)

    def unused_blocks(self) -> list[nn.Module]:
        """The layers above all those that contribute to the vectors."""
        return cast(Body, self.body).blocks()[self.choice.last :]


class Body(Protocol):
    """The network of a language model, without a head."""

    def __call__(self, ids: Tensor, is_subword: Tensor) -> Sequence[Tensor]:
        """From subwords (rows, length) to the states (rows, length, width) of the embeddings and of every layer."""

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first; an empty list if the network has none."""

    def subword_tables(self) -> list[str]:
        """The names of the tensors that have a row for every subword; an empty list if not all of them are known."""


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """The layers that make the vector of a word; layer 0 is the embeddings."""

    first: int
    last: int
    is_mix: bool  # a learnt mix of the layers; otherwise their mean

    @classmethod
    def of(cls, text: str, layers: int) -> LayerChoice:
        """Parse `last`, `3`, `mean 1-24` or `mix 0-6` for a model with this number of layers."""
        if text == "last":
            return cls(layers, layers, False)
        match = _LAYER_CHOICE.fullmatch(text)
        if not match:
            raise ModelError(
                f"pretrained_layers is {text!r}; use last, a number, or layers such as mean 1-4 or mix 0-6"
            )
        kind, first = match[1], int(match[2])
        last = int(match[3] or first)
        if not first <= last <= layers:
            raise ModelError(f"pretrained_layers is {text!r}, but the language model has layers 0 to {layers}")
        return cls(first, last, kind == "mix" and last > first)

    @property
    def outputs(self) -> int:
        """The number of vectors per word before they are mixed."""
        return self.last - self.first + 1 if self.is_mix else 1

    def apply(self, layers: Sequence[Tensor]) -> Tensor:
        """From the states of all layers (..., width) to the vectors (..., outputs x width)."""
        chosen = layers[self.first : self.last + 1]
        if self.is_mix:
            return torch.cat(tuple(chosen), dim=-1)
        return chosen[0] if len(chosen) == 1 else torch.stack(tuple(chosen)).mean(dim=0)


class ScalarMix(nn.Module):
    """A weighted mean of layers with learnt weights (Peters et al., 2018)."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs
        self.weights = nn.Parameter(torch.zeros(outputs))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """From (..., outputs x width) to (..., width)."""
        shares = self.weights.softmax(dim=0) * self.scale
        return (x.view(*x.shape[:-1], self.outputs, -1) * shares[:, None]).sum(dim=-2)


@dataclass(frozen=True, slots=True, eq=False)
class Pretrained:
    """The description of a language model: all that is needed to build it and to prepare its input, without weights."""

    config: dict[str, Any]  # as transformers writes it, for all layers; or the sizes of a network of our own
    width: int
    layers: int  # that are there: those up to the highest one that is used, or all
    tokenizer: SubwordTokenizer
    fingerprint: str = ""  # of the weights, if these are not stored with the model

    def choice(self, output: str) -> LayerChoice:
        """The layers that the setting `pretrained_layers` names."""
        return LayerChoice.of(output, self.layers)

    def as_dict(self) -> dict[str, object]:
        """Plain values, for JSON; the tokenizer is saved in a file of its own."""
        return {
            "config": self.config,
            "width": self.width,
            "layers": self.layers,
            "window": self.tokenizer.window,
            "padding": self.tokenizer.padding,
            "is_causal": self.tokenizer.is_causal,
            "has_first_space": self.tokenizer.has_first_space,
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], tokenizer: str) -> Pretrained:
        """Undo `as_dict`, with the text of the tokenizer's file."""
        config = table.get("config")
        for name, value in {**table, **(config if isinstance(config, dict) else {})}.items():
            if name in _SIZES:
                check_size(f"pretrained: {name}", value, *_SIZES[name])
        try:
            # older models do not have these entries
            is_causal, has_first_space = table.get("is_causal", False), table.get("has_first_space", True)
            sizes = table["window"], table["padding"]
            subwords = SubwordTokenizer.from_json(tokenizer, *sizes, is_causal, has_first_space)
            return cls(table["config"], table["width"], table["layers"], subwords, table.get("fingerprint", ""))
        except KeyError as error:
            raise ModelError(f"the description of the language model lacks {error}") from None
        except Exception as error:  # tokenizers raises nothing more specific
            raise ModelError(f"the language model's tokenizer can't be read ({error})") from None


def embed(
    language_model: LanguageModel,
    tokenizer: SubwordTokenizer,
    sentences: Sequence[Sequence[str]],
    batch_subwords: int = BATCH_SUBWORDS,
) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
    """Yield, batch by batch, the numbers of sentences and their vectors (words, outputs x width).

    The longest sentences come first: if memory runs out, it does so at once.
    """
    device = next(language_model.parameters()).device
    subwords = tokenizer.split(list(map(as_read, sentences)))
    language_model.eval()
    for chosen in reversed(batches_by_length([sum(map(len, words)) for words in subwords], batch_subwords)):
        longest = max(len(subwords[i]) for i in chosen)
        with torch.inference_mode():
            batch = tokenizer.batch([subwords[i] for i in chosen]).to(device)
            vectors = language_model(batch, len(chosen), longest).float().cpu().numpy()
        yield chosen, [vectors[row, : len(subwords[i])] for row, i in enumerate(chosen)]
