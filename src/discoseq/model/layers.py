"""Transformer layers: attention with a mask for each head, residual connections, feed-forward networks, positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode

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


@dataclass(frozen=True, slots=True, eq=False)
class HeadMask:
    """What each head may see. A head that may see nothing contributes zeros."""

    bias: Tensor  # (batch or 1, heads or 1, steps or 1, keys) 0 where visible, else minus infinity; see `of`
    sees_something: Tensor | None  # the same with 1 for keys: 1 or 0; None where every head sees something

    @classmethod
    def of(cls, visible: Tensor, like: Tensor) -> HeadMask:
        """From True where visible. Softmax over nothing is undefined: an empty row is opened, its result dropped."""
        sees_something = visible.any(dim=-1, keepdim=True)
        return cls(_bias(visible | ~sees_something, like), sees_something.to(like.dtype))

    @classmethod
    def of_padding(cls, is_word: Tensor, like: Tensor) -> HeadMask:
        """Every head sees all the words (batch, words) of its sentence, which has at least one."""
        return cls(_bias(is_word[:, None, None, :], like), None)


def _bias(visible: Tensor, like: Tensor) -> Tensor:
    """Made once for all layers; from a boolean mask, SDPA would make it in each."""
    return like.new_zeros(visible.shape).masked_fill_(~visible, -torch.inf)


class SelfAttention(nn.Module):
    """Queries, keys and values from one sequence, by one matrix product."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        _initialise(self.project, parts=3)
        _initialise(self.out)

    def forward(self, x: Tensor, mask: HeadMask | None) -> Tensor:
        """Attend (batch, length, width) under the mask; without one, each position to itself and those before it."""
        queries, keys, values = (split_heads(part, self.heads) for part in self.project(x).chunk(3, dim=-1))
        if mask is not None:
            return self.out(attend(queries, keys, values, mask))
        attended = scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.out(attended.transpose(1, 2).flatten(2))


class CrossAttention(nn.Module):
    """Queries from one sequence; keys and values from another, computed once and used at every step."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project_query = nn.Linear(width, width)
        self.project_source = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        _initialise(self.project_query)
        _initialise(self.project_source, parts=2)
        _initialise(self.out)

    def keys_and_values(self, source: Tensor) -> Tensor:
        """Of the source (batch, words, width): (2, batch, heads, words, head width)."""
        projected = self.project_source(source)
        return projected.view(*projected.shape[:2], 2, self.heads, -1).permute(2, 0, 3, 1, 4).contiguous()

    def forward(self, x: Tensor, keys_and_values: Tensor, mask: HeadMask) -> Tensor:
        """Attend (batch, steps, width) to the source under the mask."""
        queries = split_heads(self.project_query(x), self.heads)
        return self.out(attend(queries, keys_and_values[0], keys_and_values[1], mask))


def attend(queries: Tensor, keys: Tensor, values: Tensor, mask: HeadMask | None) -> Tensor:
    """From queries (batch, heads, steps, head width) and keys and values alike to (batch, steps, width)."""
    bias = None if mask is None else mask.bias
    if queries.shape[2] > 1:
        attended = scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    else:
        attended = _attend_with_one_query(queries, keys, values, bias)
    if mask is not None and mask.sees_something is not None:
        attended = attended * mask.sees_something
    return attended.transpose(1, 2).flatten(2)


def _attend_with_one_query(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> Tensor:
    """Two batched products, which are faster than SDPA for a single query, at least on a CPU."""
    batch, heads, _, width = queries.shape
    scaled = (queries * width**-0.5).reshape(batch * heads, 1, width)
    weights = torch.bmm(scaled, keys.flatten(0, 1).transpose(1, 2)).view(batch, heads, 1, -1)
    weights = (weights if bias is None else weights + bias).softmax(dim=-1)
    return torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).view(batch, heads, 1, width)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, length, width) as (batch, heads, length, head width)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def _initialise(linear: nn.Linear, parts: int = 1) -> None:
    """Glorot for each of the matrices stacked in one; stacked ones have half the variance, as in fairseq."""
    gain = 1.0 if parts == 1 else 2.0**-0.5
    with torch.no_grad():
        for part in linear.weight.chunk(parts):
            nn.init.xavier_uniform_(part, gain)
        nn.init.zeros_(linear.bias)


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


def frequencies(count: int) -> Tensor:
    """Those of the sines and of the cosines (count,)."""
    return torch.exp(torch.arange(count) * (-math.log(10000.0) / (count - 1)))


@lru_cache(maxsize=8)
def _position_table(length: int, width: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    with torch.inference_mode(False):  # the table may be used in training later
        angles = torch.arange(length, device=device)[:, None] * frequencies(width // 2).to(device)
        return torch.cat([angles.sin(), angles.cos()], dim=1).to(dtype)


def _noise(like: Tensor, rate: float) -> Tensor:
    """Zeros at that rate and 1 / (1 - rate) elsewhere, in the shape of the tensor given."""
    count = like.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=like.device).random_(-(1 << 63), None)
    numbers = bits.view(torch.int16)[:count].view(like.shape)
    kept = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    torch.ge(numbers, round(rate * _DRAWS) - _DRAWS // 2, out=kept)
    return kept.mul_(1 / (1 - rate))
