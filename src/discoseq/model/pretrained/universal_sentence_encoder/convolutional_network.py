"""The network of the Universal Sentence Encoder up to its subword states.

It covers sixteen languages, German and Dutch among them. The state of a subword is its embedding, concatenated with
convolutions over two, three and five subwords.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

UNIVERSAL = "use-multilingual"
SPANS = ((2, 0), (3, 1), (5, 2))  # of a convolution: its kernel size, and how much of the kernel is to the left


class UniversalSentenceEncoder(nn.Module):
    """One state per subword: its embedding and the convolutions, concatenated and normalized."""

    embeddings: Tensor  # (subwords, 3/4 width) six-bit numbers, four in three bytes
    chunk: Tensor  # (subwords,) the index of a subword's scale
    scale: Tensor  # (chunks,)
    lowest: Tensor  # (chunks,)

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        subwords, chunks, width, channels = (config[name] for name in ("pieces", "chunks", "embedding", "channels"))
        self.register_buffer("embeddings", torch.zeros(subwords, width // 4 * 3, dtype=torch.uint8))
        self.register_buffer("chunk", torch.zeros(subwords, dtype=torch.uint8))
        self.register_buffer("scale", torch.ones(chunks))
        self.register_buffer("lowest", torch.zeros(chunks))
        self.project = nn.Linear(width, channels * len(SPANS))
        self.norm = nn.LayerNorm(channels * len(SPANS), eps=config["epsilon"])
        self.convolutions = nn.ModuleList(_Convolutions(channels, *span) for span in SPANS)
        self.out_norm = nn.LayerNorm(width + channels * len(SPANS), eps=config["epsilon"])

    def forward(self, ids: Tensor, is_subword: Tensor) -> list[Tensor]:
        """The state (rows, length, width of embedding and convolutions)."""
        chunk = self.chunk[ids].long()
        scale, lowest = self.scale[chunk][..., None], self.lowest[chunk][..., None]
        embedded = unpack_six_bits(self.embeddings[ids]).to(scale.dtype) * scale + lowest
        parts = self.norm(self.project(embedded)).chunk(len(SPANS), dim=-1)
        convolved = [convolve(x, is_subword) for convolve, x in zip(self.convolutions, parts, strict=True)]
        return [self.out_norm(torch.cat([embedded, *convolved], dim=-1))]

    def blocks(self) -> list[nn.Module]:
        """Empty: there are no layers."""
        return []

    def subword_tables(self) -> list[str]:
        """The embeddings, and what they are scaled by."""
        return ["embeddings", "chunk"]


def pack_six_bits(numbers: Tensor) -> Tensor:
    """Numbers below 64 (..., width), four in three bytes (..., 3/4 width), the first in the lowest bits."""
    one, two, three, four = numbers.view(*numbers.shape[:-1], -1, 4).unbind(-1)
    packed = [one | (two & 3) << 6, two >> 2 | (three & 15) << 4, three >> 4 | four << 2]
    return torch.stack(packed, dim=-1).flatten(-2)


def unpack_six_bits(packed: Tensor) -> Tensor:
    """Undo `pack_six_bits`."""
    low, middle, high = packed.view(*packed.shape[:-1], -1, 3).unbind(-1)
    numbers = [low & 63, low >> 6 | (middle & 15) << 2, middle >> 4 | (high & 3) << 4, high >> 2]
    return torch.stack(numbers, dim=-1).flatten(-2)


class _Convolutions(nn.Module):
    """Two convolutions, each with a residual connection and with zeros outside the sentence."""

    def __init__(self, channels: int, span: int, left: int) -> None:
        super().__init__()
        self.ends = (left, span - 1 - left)
        self.both = nn.ModuleList(nn.Conv1d(channels, channels, span) for _ in range(2))

    def forward(self, x: Tensor, is_subword: Tensor) -> Tensor:
        """From (rows, length, channels) to the same."""
        x = x.transpose(1, 2)
        is_inside = is_subword[:, None, :].to(x.dtype)
        for convolve in self.both:
            x = convolve(pad(x * is_inside, self.ends)).relu() + x
        return x.transpose(1, 2)
