"""Dropout from raw random bits: the same thing as torch's, several times faster on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_DRAWS = 1 << 16  # how finely a rate is kept: each number takes 16 of the 64 bits of a draw


class Dropout(nn.Module):
    """In training, set values to zero at the rate and scale the others up; else leave them as they are."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        return x * _noise(x, self.rate) if self.training and self.rate else x


def _noise(like: Tensor, rate: float) -> Tensor:
    """Zeros at that rate and 1 / (1 - rate) elsewhere, in the shape given."""
    count = like.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=like.device).random_(-(1 << 63), None)
    numbers = bits.view(torch.int16)[:count].view(like.shape)
    kept = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    torch.ge(numbers, round(rate * _DRAWS) - _DRAWS // 2, out=kept)
    return kept.mul_(1 / (1 - rate))
