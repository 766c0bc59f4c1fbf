"""The multilingual Universal Sentence Encoder (Yang et al., 2020), version 3: the vectors that it has for pieces.

Sixteen languages, German and Dutch among them. A piece has an embedding, and next to it what convolutions over two,
three and five pieces make of its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

UNIVERSAL = "use-multilingual"
SPANS = ((2, 0), (3, 1), (5, 2))  # of a convolution: the pieces that it sees, and how many of them are to the left


class UniversalBody(nn.Module):
    """One state a piece: its embedding and the convolutions, side by side and normed."""

    embeddings: Tensor  # (pieces, 3/4 width) numbers of six bits, four in three bytes
    chunk: Tensor  # (pieces,) which scale a piece has
    scale: Tensor  # (chunks,)
    lowest: Tensor  # (chunks,)

    def __init__(self, config: Mapping[str, Any], layers: int) -> None:
        """There are no layers to choose from."""
        assert layers == 0
        super().__init__()
        pieces, chunks, width, channels = (config[name] for name in ("pieces", "chunks", "embedding", "channels"))
        self.register_buffer("embeddings", torch.zeros(pieces, width // 4 * 3, dtype=torch.uint8))
        self.register_buffer("chunk", torch.zeros(pieces, dtype=torch.uint8))
        self.register_buffer("scale", torch.ones(chunks))
        self.register_buffer("lowest", torch.zeros(chunks))
        self.project = nn.Linear(width, channels * len(SPANS))
        self.norm = nn.LayerNorm(channels * len(SPANS), eps=config["epsilon"])
        self.convolutions = nn.ModuleList(Convolutions(channels, *span) for span in SPANS)
        self.out_norm = nn.LayerNorm(width + channels * len(SPANS), eps=config["epsilon"])

    def forward(self, ids: Tensor, is_piece: Tensor) -> list[Tensor]:
        """The state (rows, length, width of embedding and convolutions)."""
        chunk = self.chunk[ids].long()
        scale, lowest = self.scale[chunk][..., None], self.lowest[chunk][..., None]
        embedded = unpack_sixes(self.embeddings[ids]).to(scale.dtype) * scale + lowest
        parts = self.norm(self.project(embedded)).chunk(len(SPANS), dim=-1)
        convolved = [convolve(x, is_piece) for convolve, x in zip(self.convolutions, parts, strict=True)]
        return [self.out_norm(torch.cat([embedded, *convolved], dim=-1))]

    def blocks(self) -> list[nn.Module]:
        """There is one state, so there are no layers."""
        return []

    def save_memory(self) -> None:
        """There is little to be saved: the network is two convolutions deep."""


class Convolutions(nn.Module):
    """Two convolutions over a few pieces, each with a residual connection; outside a sentence there are zeros."""

    def __init__(self, channels: int, span: int, left: int) -> None:
        super().__init__()
        self.ends = (left, span - 1 - left)
        self.both = nn.ModuleList(nn.Conv1d(channels, channels, span) for _ in range(2))

    def forward(self, x: Tensor, is_piece: Tensor) -> Tensor:
        """From (rows, length, channels) to the same."""
        x = x.transpose(1, 2)
        is_inside = is_piece[:, None, :].to(x.dtype)
        for convolve in self.both:
            x = convolve(pad(x * is_inside, self.ends)).relu() + x
        return x.transpose(1, 2)


def pack_sixes(numbers: Tensor) -> Tensor:
    """Bytes below 64 (..., width), four in three bytes (..., 3/4 width): the first in the lowest bits."""
    one, two, three, four = numbers.view(*numbers.shape[:-1], -1, 4).unbind(-1)
    packed = [one | (two & 3) << 6, two >> 2 | (three & 15) << 4, three >> 4 | four << 2]
    return torch.stack(packed, dim=-1).flatten(-2)


def unpack_sixes(packed: Tensor) -> Tensor:
    """Undo `pack_sixes`."""
    low, middle, high = packed.view(*packed.shape[:-1], -1, 3).unbind(-1)
    numbers = [low & 63, low >> 6 | (middle & 15) << 2, middle >> 4 | (high & 3) << 4, high >> 2]
    return torch.stack(numbers, dim=-1).flatten(-2)
