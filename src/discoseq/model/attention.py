"""Multi-head attention over PyTorch's scaled_dot_product_attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from discoseq.model.cache import Block
from discoseq.model.grid import Grid


@dataclass(frozen=True, slots=True, eq=False)
class HeadMask:
    """What each head may see. A head that may see nothing contributes zeros."""

    bias: Tensor  # (batch or 1, heads or 1, steps or 1, keys) 0 where visible, else minus infinity; see `of`
    sees_something: Tensor | None  # the same with 1 for keys: 1 or 0; None where every head sees something

    @classmethod
    def of(cls, visible: Tensor, like: Tensor) -> HeadMask:
        """From True where visible. Softmax over nothing is not a number: an empty row is opened, its result dropped."""
        sees_something = visible.any(dim=-1, keepdim=True)
        return cls(_bias(visible | ~sees_something, like), sees_something.to(like.dtype))

    @classmethod
    def of_padding(cls, is_word: Tensor, like: Tensor) -> HeadMask:
        """Every head sees all the words (batch, words), of which every sentence has one."""
        return cls(_bias(is_word[:, None, None, :], like), None)


def _bias(visible: Tensor, like: Tensor) -> Tensor:
    """Made once for all layers: SDPA would do it in each from a boolean mask."""
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
        """Attend (batch, length, width) under the mask, or to what came before where there is none."""
        queries, keys, values = self.split(x)
        return self.out(_attend(queries, keys, values, mask))

    def split(self, x: Tensor) -> tuple[Tensor, ...]:
        """Queries, keys and values, each (batch, heads, length, head width)."""
        return tuple(_by_head(part, self.heads) for part in self.project(x).chunk(3, dim=-1))

    def step(self, grid: Grid, queries: Tensor, memory: Tensor, blocks: Sequence[Block]) -> Tensor:
        """Attend with one query a row (rows, width) to the memory (2, sentences, heads, places, head width)."""
        spread = _by_head(grid.spread(queries), self.heads)
        attended = queries.new_empty(grid.sentences, grid.beam, *spread.shape[1::2])  # heads, head width
        for block in blocks:
            part = spread[block.sentences, :, : block.beam]
            seen = memory[:, block.sentences, :, : block.reach]
            attended[block.sentences, : block.beam] = _attend_in_search(part, seen, block.bias)
        return self.out(grid.gather(attended))


class CrossAttention(nn.Module):
    """Queries from one sequence, keys and values from another, which are made once and used at every step."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project_query = nn.Linear(width, width)
        self.project_source = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        _initialise(self.project_query)
        _initialise(self.project_source, parts=2)
        _initialise(self.out)

    def source(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (batch, heads, words, head width) of the encoded words."""
        keys, values = (_by_head(part, self.heads) for part in self.project_source(x).chunk(2, dim=-1))
        return keys, values

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: HeadMask) -> Tensor:
        """Attend (batch, steps, width) to the source under the mask."""
        queries = _by_head(self.project_query(x), self.heads)
        return self.out(_attend(queries, keys, values, mask))

    def source_for_search(self, x: Tensor) -> Tensor:
        """Keys and values together (2, batch, heads, words, head width), in the order in which search reads them."""
        return torch.stack(self.source(x))

    def step(self, grid: Grid, source: Tensor, mask: HeadMask, x: Tensor) -> Tensor:
        """Attend with one query a row (rows, width) to the words of its sentence."""
        queries = _by_head(grid.spread(self.project_query(x)), self.heads)
        attended = _attend_in_search(queries, source, mask.bias)
        if mask.sees_something is not None:
            attended = attended * mask.sees_something.transpose(1, 2)
        return self.out(grid.gather(attended))


def _attend(queries: Tensor, keys: Tensor, values: Tensor, mask: HeadMask | None) -> Tensor:
    if mask is None:
        attended = scaled_dot_product_attention(queries, keys, values, is_causal=True)
    else:
        attended = scaled_dot_product_attention(queries, keys, values, attn_mask=mask.bias)
        if mask.sees_something is not None:
            attended = attended * mask.sees_something
    return attended.transpose(1, 2).flatten(2)  # (batch, steps, width)


def _attend_in_search(queries: Tensor, source: Tensor, bias: Tensor | None) -> Tensor:
    """With queries (batch, heads, n, head width) to keys and values (2, batch, heads, m, head width).

    The result is (batch, n, heads, head width).
    """
    keys, values = source
    batch, heads, count, width = queries.shape
    if count > 1:
        attended = scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    else:  # a single query is faster by two batched products, at least on a CPU
        scaled = (queries * width**-0.5).reshape(batch * heads, 1, width)
        weights = torch.bmm(scaled, keys.flatten(0, 1).transpose(1, 2)).view(batch, heads, 1, -1)
        weights = (weights if bias is None else weights + bias).softmax(dim=-1)
        attended = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).view(batch, heads, 1, width)
    return attended.transpose(1, 2)


def _by_head(x: Tensor, heads: int) -> Tensor:
    """(batch, length, width) as (batch, heads, length, head width)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def _initialise(linear: nn.Linear, parts: int = 1) -> None:
    """Glorot for each of the matrices that are stacked in one; they are smaller by half in variance, as in fairseq."""
    gain = 1.0 if parts == 1 else 2.0**-0.5
    with torch.no_grad():
        for part in linear.weight.chunk(parts):
            nn.init.xavier_uniform_(part, gain)
        nn.init.zeros_(linear.bias)
