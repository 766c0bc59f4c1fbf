"""Memory that a batch leaves to the next one: on a CPU, pages that are new cost more than what is computed in them."""

from __future__ import annotations

import math

from torch import Tensor


class Workspace:
    """For one cache at a time; what is in it when it is asked for is of no meaning."""

    def __init__(self) -> None:
        self._buffers: list[Tensor] = []

    def tensors(self, count: int, shape: tuple[int, ...], like: Tensor) -> list[Tensor]:
        """So many tensors of that shape, of the kind and on the device of the one given."""
        size = math.prod(shape)
        if any(buffer.dtype != like.dtype or buffer.device != like.device for buffer in self._buffers):
            self._buffers = []
        small = [buffer for buffer in self._buffers if len(buffer) < size]
        if small or len(self._buffers) < count:
            self._buffers = []  # the old ones are given back before the new ones are asked for
            self._buffers = [like.new_empty(size) for _ in range(count)]
        return [buffer[:size].view(shape) for buffer in self._buffers[:count]]
