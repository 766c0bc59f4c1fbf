"""Weights in fewer bytes: half precision, and large tables with a byte for each number and a scale for each row."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

_SCALE = "@scale"  # added to the name of a table for the scales of its rows
_LARGE = 1 << 20  # numbers; below this a byte saved is not worth the rounding
_HIGHEST = 127


def pack(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Smaller tensors; those that are tables of embeddings, far taller than wide, get a byte a number."""
    packed: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if not tensor.is_floating_point():
            packed[name] = tensor
        elif tensor.ndim == 2 and tensor.numel() >= _LARGE and tensor.shape[0] > 8 * tensor.shape[1]:
            scale = (tensor.abs().amax(dim=1) / _HIGHEST).clamp(min=1e-12)
            packed[name] = (tensor / scale[:, None]).round().to(torch.int8)
            packed[name + _SCALE] = scale
        else:
            packed[name] = tensor.half()
    return packed


def unpack(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """In full precision, whether packed or not."""
    unpacked: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if name + _SCALE in weights:
            unpacked[name] = tensor.float() * weights[name + _SCALE][:, None]
        elif not name.endswith(_SCALE):
            unpacked[name] = tensor.float() if tensor.is_floating_point() else tensor
    return unpacked
