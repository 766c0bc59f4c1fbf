"""Sinusoidal positions (Vaswani et al., 2017), sines in the first half and cosines in the second, as in fairseq."""

import math
from functools import lru_cache

import torch
from torch import Tensor

_CHUNK = 1024  # positions; a table has a multiple of this, so that there are few of them


def sinusoids(start: int, length: int, like: Tensor) -> Tensor:
    """Positions start, start + 1, ... as vectors (length, width), of the kind and width of the tensor given."""
    chunks = math.ceil((start + length) / _CHUNK)
    return _table(chunks * _CHUNK, like.shape[-1], like.device, like.dtype)[start : start + length]


@lru_cache(maxsize=8)
def _table(length: int, width: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    """All positions below the length: made once, and looked at in every step of search."""
    half = width // 2
    with torch.inference_mode(False):  # training may be the next to use it
        frequencies = torch.exp(torch.arange(half, device=device) * (-math.log(10000.0) / (half - 1)))
        angles = torch.arange(length, device=device)[:, None] * frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=1).to(dtype)
