"""Configurations of training runs: TOML files with settings from the command line on top."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discoseq.errors import ConfigError
from discoseq.linearizations.linearization import linearization
from discoseq.model.settings import ModelSettings, settings_from_table

_CHOICES = {
    "schedule": ("inverse-sqrt", "linear"),
    "pretrained_training": ("frozen", "fine-tuned", "lora"),
    "precision": ("no", "bf16", "fp16"),
}


@dataclass(frozen=True, slots=True)
class DataSettings:
    """Treebank files of any format; several are read one after the other."""

    train: list[str] = field(default_factory=list)
    dev: list[str] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)  # how often an epoch contains each file of train; empty: once
    augmented: int = 0  # copies of every training tree with constituents replaced (see augmentation.py)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the network is fitted; the defaults are the paper's."""

    seed: int = 1
    initialise_from: str = (
        ""  # directory of a model whose weights and vocabularies are the start; empty: random weights
    )
    epochs: int = 80
    batch_tokens: int = 3584  # with padding: sentences times the longer of words and actions
    learning_rate: float = 5e-4
    schedule: str = "inverse-sqrt"  # or "linear": down to zero at the last epoch
    warmup_steps: int = 4000
    pretrained_training: str = "frozen"  # the language model: "frozen", "fine-tuned", or "lora" for adapters
    pretrained_learning_rate: float = 5e-5  # of a language model that is trained
    pretrained_stored: bool = False  # the finished model contains a frozen language model, with a trimmed vocabulary
    clip_norm: float = 0.0  # 0: gradients are not clipped
    label_smoothing: float = 0.01
    masked_loss: bool = True  # actions that are not allowed get no probability in training, as in search
    tag_weight: float = 0.0  # of the auxiliary loss of a head that predicts tags; 0: no such head
    ancestor_weight: float = 0.0  # of a head that predicts the labels of parent and grandparent; 0: no such head
    precision: str = "no"  # mixed precision: "bf16" or "fp16"
    first_scored_epoch: int = 41  # dev is parsed greedily after every epoch from this one on
    averaged: int = 3  # the weights of so many best epochs on dev are averaged
    compact: bool = False  # the finished model's weights are rounded to half the size, and scored like that


@dataclass(frozen=True, slots=True)
class Config:
    """A whole training run."""

    linearization: str = "in-order+swap"
    language: str = "en"  # by whose rules the finished model tokenizes raw text
    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)


def read_config(path: str | Path, assignments: Iterable[str] = ()) -> Config:
    """Read a TOML file, whose paths are relative to it; `assignments` like `training.epochs=5` override it."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from None
    _resolve_paths(table, Path(path).parent)
    for assignment in assignments:
        _assign(table, assignment)
    config = settings_from_table(Config, table, str(path))
    _check(config, str(path))
    return config


def _check(config: Config, path: str) -> None:
    """Find mistakes before anything else is done."""
    linearization(config.linearization)
    training = config.training
    for name, choices in _CHOICES.items():
        if getattr(training, name) not in choices:
            value = getattr(training, name)
            raise ConfigError(f"{path}: training.{name} must be one of {', '.join(choices)}, not {value!r}")
    for name in ("epochs", "batch_tokens", "averaged"):
        if getattr(training, name) < 1:
            raise ConfigError(f"{path}: training.{name} must be at least 1, not {getattr(training, name)}")
    for name in ("tag_weight", "ancestor_weight"):
        if getattr(training, name) < 0:
            raise ConfigError(f"{path}: training.{name} must be at least 0, not {getattr(training, name)}")
    if config.data.augmented < 0:
        raise ConfigError(f"{path}: data.augmented must be at least 0, not {config.data.augmented}")


def _assign(table: dict[str, Any], assignment: str) -> None:
    name, separator, text = assignment.partition("=")
    if not separator:
        raise ConfigError(f"--set {assignment}: expected KEY=VALUE")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text  # a string without quotes
    *path, last = name.strip().split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {assignment}: {part} is no table")
    table[last] = value


def _resolve_paths(table: dict[str, Any], folder: Path) -> None:
    data, training = table.get("data"), table.get("training")
    if isinstance(data, dict):
        for key in ("train", "dev"):
            if isinstance(data.get(key), list):
                data[key] = [str(folder / path) if isinstance(path, str) else path for path in data[key]]
    if isinstance(training, dict) and isinstance(training.get("initialise_from"), str):
        start = training["initialise_from"]
        training["initialise_from"] = str(folder / start) if start else ""
