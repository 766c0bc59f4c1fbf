"""What encoder and decoder layers are made of: residual connections, feed-forward networks, dropout, positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from discoseq.model.attention import CrossAttention, HeadMask, SelfAttention

_DRAWS = 1 << 16  # dropout rates are multiples of 1 / _DRAWS: each value takes 16 of the 64 bits of a random number
_TABLE = 1024  # positions; a table has a multiple of this, so that there are few of them


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward network."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.residuals = nn.ModuleList(Residual(width, dropout, is_pre_norm) for _ in range(2))

    def forward(self, x: Tensor, mask: HeadMask) -> Tensor:
        x = self.residuals[0](x, lambda x: self.attention(x, mask))
        return self.residuals[1](x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Self-attention to earlier actions, cross-attention to words, feed-forward network."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.self_attention = SelfAttention(width, heads)
        self.cross_attention = CrossAttention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.residuals = nn.ModuleList(Residual(width, dropout, is_pre_norm) for _ in range(3))

    def forward(
        self, x: Tensor, attend_to_actions: Callable[[Tensor], Tensor], attend_to_words: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Whole sequences (batch, steps, width) or one step (rows, width): the caller knows how these attend."""
        x = self.residuals[0](x, attend_to_actions)
        x = self.residuals[1](x, attend_to_words)
        return self.residuals[2](x, self.feed_forward)


class Residual(nn.Module):
    """Add what a function makes of x to x: norm after the sum (Vaswani et al., 2017) or before the function."""

    def __init__(self, width: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)
        self.is_pre_norm = is_pre_norm

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        if self.is_pre_norm:
            return x + self.dropout(function(self.norm(x)))
        return self.norm(x + self.dropout(function(x)))


class FeedForward(nn.Sequential):
    """Two linear maps with a ReLU between them."""

    def __init__(self, width: int, hidden: int) -> None:
        inner, outer = nn.Linear(width, hidden), nn.Linear(hidden, width)
        super().__init__(inner, nn.ReLU(inplace=True), outer)
        for linear in (inner, outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)


class Dropout(nn.Module):
    """Dropout from raw random bits: the same distribution as torch's, several times faster on a CPU."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        return x * _noise(x, self.rate) if self.training and self.rate else x


@contextmanager
def without_weights() -> Iterator[None]:
    """Modules that are made here take no memory and draw no random numbers; their weights are to be loaded."""
    with _NoInitialisation(), torch.device("meta"):
        yield


class _NoInitialisation(TorchFunctionMode):
    """Leaves tensors as they are: to draw random numbers on the meta device, torch imports its compiler (1.4 s)."""

    def __torch_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...] = (), options: dict[str, Any] | None = None
    ) -> Any:
        if function in (Tensor.normal_, Tensor.uniform_, nn.init.normal_, nn.init.uniform_):
            return arguments[0] if arguments else (options or {})["tensor"]
        return function(*arguments, **(options or {}))


def sinusoids(start: int, length: int, like: Tensor) -> Tensor:
    """Positions start, start + 1, ... as vectors (length, width), of the type, device and width of the tensor given.

    Sines in the first half and cosines in the second, as in fairseq (Vaswani et al., 2017).
    """
    end = start + length
    return _position_table(math.ceil(end / _TABLE) * _TABLE, like.shape[-1], like.device, like.dtype)[start:end]


@lru_cache(maxsize=8)
def _position_table(length: int, width: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    half = width // 2
    with torch.inference_mode(False):  # the table may be used in training later
        frequencies = torch.exp(torch.arange(half, device=device) * (-math.log(10000.0) / (half - 1)))
        angles = torch.arange(length, device=device)[:, None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=1).to(dtype)


def _noise(like: Tensor, rate: float) -> Tensor:
    """Zeros at that rate and 1 / (1 - rate) elsewhere, in the shape of the tensor given."""
    count = like.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=like.device).random_(-(1 << 63), None)
    numbers = bits.view(torch.int16)[:count].view(like.shape)
    kept = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    torch.ge(numbers, round(rate * _DRAWS) - _DRAWS // 2, out=kept)
    return kept.mul_(1 / (1 - rate))
