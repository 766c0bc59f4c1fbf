"""Sinusoidal positions (Vaswani et al., 2017), sines in the first half and cosines in the second, as in fairseq."""

import math

import torch
from torch import Tensor


def sinusoids(start: int, length: int, like: Tensor) -> Tensor:
    """Positions start, start + 1, ... as vectors (length, width), of the kind and width of the tensor given."""
    half = like.shape[-1] // 2
    frequencies = torch.exp(torch.arange(half, device=like.device) * (-math.log(10000.0) / (half - 1)))
    angles = torch.arange(start, start + length, device=like.device)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1).to(like.dtype)
