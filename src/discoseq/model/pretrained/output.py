"""Which layers of a language model make the vector of a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from discoseq.errors import ModelError

_CHOICE = re.compile(r"(?:(mean|mix) )?(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """Layer 0 is the embeddings; layers are counted from 1 after that."""

    first: int
    last: int
    is_mix: bool  # a learnt mix; else the mean

    @classmethod
    def of(cls, text: str, layers: int) -> LayerChoice:
        """`last`, `3`, `mean 1-24` or `mix 0-6`, of a model with so many layers."""
        if text == "last":
            return cls(layers, layers, False)
        match = _CHOICE.fullmatch(text)
        if not match:
            raise ModelError(f"encoder_output is {text!r}; it can be last, a number, or like mean 1-4 or mix 0-6")
        kind, first = match[1], int(match[2])
        last = int(match[3] or first)
        if not first <= last <= layers:
            raise ModelError(f"encoder_output is {text!r}, but the encoder has layers 0 to {layers}")
        return cls(first, last, kind == "mix" and last > first)

    @property
    def outputs(self) -> int:
        """How many vectors a word has before they are mixed."""
        return self.last - self.first + 1 if self.is_mix else 1

    def apply(self, layers: Sequence[Tensor]) -> Tensor:
        """From the states of all layers (..., width) to the vectors (..., outputs x width)."""
        chosen = layers[self.first : self.last + 1]
        if self.is_mix:
            return torch.cat(tuple(chosen), dim=-1)
        return chosen[0] if len(chosen) == 1 else torch.stack(tuple(chosen)).mean(dim=0)


class Mix(nn.Module):
    """A weighted mean of several vectors, the weights learnt (Peters et al., 2018)."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs
        self.weights = nn.Parameter(torch.zeros(outputs))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """From (..., outputs x width) to (..., width)."""
        shares = self.weights.softmax(dim=0) * self.scale
        return (x.view(*x.shape[:-1], self.outputs, -1) * shares[:, None]).sum(dim=-2)
