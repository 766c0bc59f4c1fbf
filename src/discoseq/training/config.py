"""Configurations as TOML files, with settings from the command line on top; mistakes are named with the nearest key."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from discoseq.errors import ConfigError
from discoseq.linearization.registry import linearization
from discoseq.training.settings import ENCODER_TRAININGS, PRECISIONS, SCHEDULES, VECTOR_PRECISIONS, Config

Settings = TypeVar("Settings")
# settings that are files or folders, or lists of them, by their table
PATHS = {"data": ("train", "dev", "train_vectors", "dev_vectors"), "training": ("teachers", "start")}
_SINGLE = ("start",)  # one folder, not a list


def read_config(path: str | Path, assignments: Iterable[str] = ()) -> Config:
    """A TOML file; `assignments` like `training.epochs=5` win over it. Paths in it are relative to the file."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from None
    _resolve_paths(table, Path(path).parent)
    for assignment in assignments:
        _assign(table, assignment)
    config = config_from_dict(table, str(path))
    _check(config, str(path))
    return config


def config_from_dict(table: dict[str, Any], place: str = "config") -> Config:
    """Undo `config_as_dict`."""
    return _settings(Config, table, place, "")


def config_as_dict(config: Config) -> dict[str, Any]:
    """Plain values, for JSON."""
    return asdict(config)


def _check(config: Config, place: str) -> None:
    """What is wrong is best found before anything else is done."""
    linearization(config.linearization)
    training = config.training
    kinds = {
        "schedule": SCHEDULES,
        "precision": PRECISIONS,
        "encoder_training": ENCODER_TRAININGS,
        "vector_precision": VECTOR_PRECISIONS,
    }
    for name, choices in kinds.items():
        if getattr(training, name) not in choices:
            raise ConfigError(
                f"{place}: there is no {name} {getattr(training, name)!r}; there are {', '.join(choices)}"
            )
    for name in ("epochs", "batch_tokens", "averaged", "beam", "lora_rank"):
        if getattr(training, name) < 1:
            raise ConfigError(f"{place}: training.{name} is {getattr(training, name)}; the least is 1")
    if training.encoder_unfreeze_epochs < 0:
        raise ConfigError(f"{place}: training.encoder_unfreeze_epochs can't be negative")
    if not 0 <= training.teacher_weight <= 1:
        raise ConfigError(f"{place}: training.teacher_weight is {training.teacher_weight}, and it must be in [0, 1]")
    if config.data.varied < 0:
        raise ConfigError(f"{place}: data.varied can't be negative")
    if not 0 <= config.data.varied_rate <= 1:
        raise ConfigError(f"{place}: data.varied_rate is {config.data.varied_rate}, and it must be in [0, 1]")
    if config.data.varied and config.data.train_vectors:
        raise ConfigError(f"{place}: data.varied makes new sentences, for which data.train_vectors has no vectors")


def _settings(kind: type[Settings], table: Any, place: str, prefix: str) -> Settings:
    if not isinstance(table, dict):
        raise ConfigError(f"{place}: {prefix.rstrip('.')} is {table!r} where a table was expected")
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    values = {}
    for key, value in table.items():
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"; did you mean {prefix}{near[0]}?" if near else f"; there are {', '.join(names)}"
            raise ConfigError(f"{place}: there is no setting {prefix}{key}{hint}")
        values[key] = _value(hints[key], value, place, f"{prefix}{key}")
    return kind(**values)


def _value(kind: Any, value: Any, place: str, name: str) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return _settings(kind, value, place, f"{name}.")
    if kind is float and type(value) is int:
        return float(value)
    if get_origin(kind) is list:
        inner = get_args(kind)[0]
        if isinstance(value, list) and all(type(item) is inner for item in value):
            return value
        items = {str: "strings", int: "whole numbers"}[inner]
        raise ConfigError(f"{place}: {name} is {value!r} where a list of {items} was expected")
    if type(value) is not kind:
        raise ConfigError(f"{place}: {name} is {value!r} where {_KINDS[kind]} was expected")
    return value


_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}


def _assign(table: dict[str, Any], assignment: str) -> None:
    name, separator, text = assignment.partition("=")
    if not separator:
        raise ConfigError(f"--set {assignment}: expected KEY=VALUE")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text  # a string without its quotes
    *path, last = name.strip().split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {assignment}: {part} is no table")
    table[last] = value


def _resolve_paths(table: dict[str, Any], folder: Path) -> None:
    for name, keys in PATHS.items():
        part = table.get(name, {})
        for key in keys:
            value = part.get(key) if isinstance(part, dict) else None
            if key in _SINGLE and isinstance(value, str) and value:
                part[key] = str(folder / value)
            elif isinstance(value, list):
                part[key] = [str(folder / path) if isinstance(path, str) else path for path in value]
