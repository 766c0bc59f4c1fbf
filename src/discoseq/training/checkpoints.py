"""Where a run can be taken up again: weights, optimizer and position, in files that are complete or not there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from discoseq.errors import CheckpointError

_KEPT = 2  # so that one good checkpoint is there while the next is written


@dataclass(slots=True)
class Position:
    """How far a run has come. With the seed this says all about the data and the random numbers that follow."""

    epoch: int = 0  # the one under way, counted from 0
    batch: int = 0  # of that epoch, the next
    step: int = 0  # updates made
    epoch_loss: float = 0.0  # summed over the targets of the epoch so far
    epoch_targets: int = 0
    seconds: float = 0.0  # of training
    scores: list[list[float]] = field(default_factory=list)  # epoch, dev F1, for every scored epoch


def save_checkpoint(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer, position: Position) -> None:
    """Write a checkpoint named after its step, then remove those that are older than the one before."""
    target = folder / f"step-{position.step:08}"
    partial = folder / f".{target.name}.partial"
    try:
        partial.mkdir(parents=True, exist_ok=True)
        save_file(_contiguous(network.state_dict()), partial / "model.safetensors")
        save_file(_flat(optimizer), partial / "optimizer.safetensors")
        (partial / "position.json").write_text(json.dumps(asdict(position)))
        _sync(partial)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(partial, target)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise CheckpointError(f"{target}: can't write the checkpoint ({error})") from None
    for old in _checkpoints(folder)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def load_checkpoint(
    folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[Position, list[CheckpointError]]:
    """Take up the newest checkpoint that can be read, and what is wrong with newer ones."""
    found = _checkpoints(folder)
    if not found:
        raise CheckpointError(f"{folder}: there is no checkpoint to resume from")
    errors: list[CheckpointError] = []
    for path in reversed(found):
        try:
            position = Position(**json.loads((path / "position.json").read_text()))
            weights = load_file(path / "model.safetensors")
            moments = load_file(path / "optimizer.safetensors")
            network.load_state_dict(weights)
            _unflatten(optimizer, moments)
        except (OSError, SafetensorError, ValueError, TypeError, RuntimeError, KeyError) as error:
            errors.append(CheckpointError(f"{path}: the checkpoint can't be read ({str(error).splitlines()[0]})"))
            continue
        return position, errors
    raise errors[0]


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*"))


def _contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _flat(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimizer's state as named tensors: `3.exp_avg` belongs to parameter 3."""
    state = optimizer.state_dict()["state"]
    return {f"{index}.{name}": tensor for index, moments in state.items() for name, tensor in moments.items()}


def _unflatten(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _sync(folder: Path) -> None:
    """See to it that the files are on the disk before their folder gets its name."""
    for path in folder.iterdir():
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
