"""The layers of encoder and decoder: attention and feed-forward, each with a residual connection and a norm."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from discoseq.model.attention import CrossAttention, HeadMask, SelfAttention
from discoseq.model.dropout import Dropout


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


class EncoderLayer(nn.Module):
    """Words look at each other."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.residuals = nn.ModuleList(Residual(width, dropout, is_pre_norm) for _ in range(2))

    def forward(self, x: Tensor, mask: HeadMask) -> Tensor:
        x = self.residuals[0](x, lambda x: self.attention(x, mask))
        return self.residuals[1](x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Actions look at the actions before them, then at the words."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.self_attention = SelfAttention(width, heads)
        self.cross_attention = CrossAttention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.residuals = nn.ModuleList(Residual(width, dropout, is_pre_norm) for _ in range(3))

    def forward(self, x: Tensor, source: tuple[Tensor, Tensor], mask: HeadMask) -> Tensor:
        """A whole sequence at once (batch, steps, width)."""
        return self.step(x, lambda x: self.self_attention(x, None), lambda x: self.cross_attention(x, *source, mask))

    def step(
        self, x: Tensor, look_back: Callable[[Tensor], Tensor], look_at_words: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """Whatever the axes of x (..., width), with self-attention and cross-attention as they are given."""
        x = self.residuals[0](x, look_back)
        x = self.residuals[1](x, look_at_words)
        return self.residuals[2](x, self.feed_forward)
