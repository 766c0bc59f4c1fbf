"""What every language model here can do, whoever wrote its network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor, nn


class Body(Protocol):
    """A module whose states grow layer by layer."""

    def __call__(self, ids: Tensor, is_piece: Tensor) -> Sequence[Tensor]:
        """From pieces (rows, length) to the states (rows, length, width) of the embeddings and of every layer."""

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first; none where they can't be told apart."""

    def save_memory(self) -> None:
        """In training, forget what is inside the layers and compute it once more on the way back."""
