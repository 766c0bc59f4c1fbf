"""Checkpoints to resume from, and the weights of the best epochs with their average (the paper: the three best)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from discoseq.errors import CheckpointError
from discoseq.model.averaging import mean_weights
from discoseq.storage import atomic_file, atomic_folder

_KEPT = 2  # so that one good checkpoint is there while the next is written
_VERSION = 2


@dataclass(slots=True)
class Position:
    """How far a run has come; with the seed this determines the data and the random numbers that follow."""

    epoch: int = 0  # the current one, counted from 0
    batch: int = 0  # the next one of that epoch
    step: int = 0  # updates made
    epoch_loss: float = 0.0  # summed over the targets of the epoch so far
    epoch_targets: int = 0
    seconds: float = 0.0  # of training
    cpu_seconds: float = 0.0  # the same, of all threads together
    scores: list[list[float]] = field(default_factory=list)  # epoch and dev F1 of every scored epoch


def save_checkpoint(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer, position: Position) -> None:
    """Write a checkpoint named after its step, then remove all but the last two."""
    target = folder / f"step-{position.step:08}"
    try:
        with atomic_folder(target) as partial:
            save_file(_contiguous(network.state_dict()), partial / "model.safetensors")
            save_file(_flatten(optimizer), partial / "optimizer.safetensors")
            (partial / "position.json").write_text(json.dumps(asdict(position) | {"version": _VERSION}))
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{target}: can't write the checkpoint ({error})") from None
    for old in _checkpoints(folder)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def load_checkpoint(
    folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[Position, list[CheckpointError]]:
    """Load the newest checkpoint that can be read; the errors are those of newer ones."""
    found = _checkpoints(folder)
    if not found:
        raise CheckpointError(f"{folder}: there is no checkpoint to resume from")
    errors: list[CheckpointError] = []
    for path in reversed(found):
        try:
            table = json.loads((path / "position.json").read_text())
            if table.pop("version", 1) != _VERSION:
                raise CheckpointError(f"{path}: another version of discoseq wrote this run; start it again")
            position = Position(**table)
            weights = load_file(path / "model.safetensors")
            moments = load_file(path / "optimizer.safetensors")
            _check_fit(path, weights, network)
            network.load_state_dict(weights)
            _unflatten(optimizer, moments)
        except (OSError, SafetensorError, ValueError, TypeError, RuntimeError, KeyError, AttributeError) as error:
            errors.append(CheckpointError(f"{path}: the checkpoint can't be read ({str(error).splitlines()[0]})"))
            continue
        return position, errors
    raise errors[0]


def newest_checkpoint(folder: Path) -> Path | None:
    """The last one that was written."""
    return next(reversed(_checkpoints(folder)), None)


def keep_if_best(folder: Path, network: nn.Module, scores: Sequence[Sequence[float]], count: int) -> None:
    """Write the weights of the last scored epoch if it is among the best; remove those that no longer are.

    The best before this epoch stay: a run that is killed before its next checkpoint goes on with their scores.
    """
    best = best_epochs(scores, count)
    latest = int(scores[-1][0])
    folder.mkdir(parents=True, exist_ok=True)
    if latest in best:
        path = _epoch_path(folder, latest)
        try:
            with atomic_file(path) as partial:
                save_file(_contiguous(network.state_dict()), partial)
        except (OSError, SafetensorError) as error:
            raise CheckpointError(f"{path}: can't write the weights ({error})") from None
    for path in folder.glob("epoch-*.safetensors"):
        if path not in {_epoch_path(folder, epoch) for epoch in (*best, *best_epochs(scores[:-1], count))}:
            path.unlink()


def best_epochs(scores: Sequence[Sequence[float]], count: int) -> list[int]:
    """The epochs with the highest scores; of equals, the later ones."""
    ranked = sorted(scores, key=lambda pair: (pair[1], pair[0]), reverse=True)
    return [int(epoch) for epoch, _ in ranked[:count]]


def average_weights(folder: Path, epochs: Sequence[int]) -> dict[str, Tensor]:
    """The mean of the weights of several epochs."""
    return mean_weights([load_file(_epoch_path(folder, epoch)) for epoch in epochs])


def _check_fit(path: Path, weights: Mapping[str, Tensor], network: nn.Module) -> None:
    """A complete checkpoint of another network is no damaged one: the configuration or the data has changed."""
    wanted = network.state_dict()
    for name in sorted(weights.keys() | wanted.keys()):
        shapes = [tuple(x[name].shape) if name in x else None for x in (weights, wanted)]
        if shapes[0] != shapes[1]:
            found, expected = ("missing" if shape is None else f"of the shape {shape}" for shape in shapes)
            raise CheckpointError(
                f"{path}: this run has another network than the configuration makes: {name} is {found} in the run and "
                f"{expected} in the configuration; resume it with the settings and the data that it began with"
            )


def _epoch_path(folder: Path, epoch: int) -> Path:
    return folder / f"epoch-{epoch:04}.safetensors"


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*"))


def _contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _flatten(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimizer's state as named tensors: `3.exp_avg` belongs to parameter 3."""
    state = optimizer.state_dict()["state"]
    return {f"{index}.{name}": tensor for index, moments in state.items() for name, tensor in moments.items()}


def _unflatten(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
