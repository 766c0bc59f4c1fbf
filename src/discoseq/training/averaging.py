"""The weights of the best epochs, and their average (the paper: the three best on dev)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn


def keep_if_best(folder: Path, network: nn.Module, scores: Sequence[Sequence[float]], count: int) -> None:
    """Write the weights of the last scored epoch if it is among the best; remove those that no longer are."""
    best = best_epochs(scores, count)
    latest = int(scores[-1][0])
    folder.mkdir(parents=True, exist_ok=True)
    if latest in best:
        partial = folder / ".partial"
        save_file({name: tensor.contiguous() for name, tensor in network.state_dict().items()}, partial)
        partial.replace(_path(folder, latest))
    for path in folder.glob("epoch-*.safetensors"):
        if path not in {_path(folder, epoch) for epoch in best}:
            path.unlink()


def best_epochs(scores: Sequence[Sequence[float]], count: int) -> list[int]:
    """The epochs with the highest scores; of equals, the later ones."""
    ranked = sorted(scores, key=lambda pair: (pair[1], pair[0]), reverse=True)
    return [int(epoch) for epoch, _ in ranked[:count]]


def average(folder: Path, epochs: Sequence[int]) -> dict[str, Tensor]:
    """The mean of the weights of several epochs."""
    weights = [load_file(_path(folder, epoch)) for epoch in epochs]
    return {name: torch.stack([x[name].double() for x in weights]).mean(dim=0).float() for name in weights[0]}


def _path(folder: Path, epoch: int) -> Path:
    return folder / f"epoch-{epoch:04}.safetensors"
