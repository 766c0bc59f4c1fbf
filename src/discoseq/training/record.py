"""The record of a run in its folder: what it was started with (run.json), and a row for every epoch (metrics.jsonl).

A resumed run must have begun with the same settings and the same data. What differs is named.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Container, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from discoseq.errors import CheckpointError, ConfigError
from discoseq.evaluation.counts import BracketCounts
from discoseq.storage import atomic_file, checksum
from discoseq.training.config import Config, config_from_table, setting
from discoseq.training.events import EpochDone

RUN, METRICS = "run.json", "metrics.jsonl"
_VERSIONS = ("discoseq", "torch", "numpy", "accelerate", "safetensors")
# settings that change nothing that is learnt: only what the finished model says or how it is stored
_FREE_SETTINGS = ("language", "search.score", "training.pretrained_stored", "training.compact")
_PATHS = (
    *("data.train", "data.dev", "data.silver"),
    *("training.initialise_from", "training.vocabularies_from", "model.pretrained"),
)

Inputs: TypeAlias = dict[str, list[list[str]]]  # by the name of a setting: path and sha256 of each file or folder


def find_inputs(config: Config) -> Inputs:
    """Everything that the configuration reads, with checksums; a name on the hub is no path."""
    inputs: Inputs = {}
    for name in _PATHS:
        value = setting(config, name)
        paths = value if isinstance(value, list) else [path for path in [value] if path and Path(path).exists()]
        if missing := next((path for path in paths if not Path(path).exists()), None):
            raise ConfigError(f"{missing}: no such file")
        if paths:
            inputs[name] = [[path, _checksum(path)] for path in paths]
    return inputs


def versions() -> dict[str, str]:
    """Of the packages that training depends on."""
    return {name: importlib.metadata.version(name) for name in _VERSIONS}


def write_run(folder: Path, config: Config, inputs: Inputs) -> None:
    """Write run.json; its paths are absolute, so that a run can be resumed from any folder."""
    table, absolute = asdict(config), _absolute(inputs)
    for name, files in absolute.items():
        kind, _, key = name.partition(".")
        paths = [path for path, _ in files]
        table[kind][key] = paths if isinstance(table[kind][key], list) else paths[0]
    contents = {"config": table, "inputs": absolute, "versions": versions()}
    with atomic_file(folder / RUN) as partial:
        partial.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def read_run_config(folder: Path, assignments: list[str]) -> Config:
    """The configuration that a run was started with."""
    table = _read_run(folder)
    if table is None:
        raise ConfigError(f"{folder}: there is no {RUN}, so name the configuration that this run was started with")
    return config_from_table(table["config"], assignments, str(folder / RUN))


def compare_run(folder: Path, config: Config, inputs: Inputs) -> list[str]:
    """Raise a ConfigError that names what differs from the beginning of the run; notes about harmless differences."""
    table = _read_run(folder)
    if table is None:
        return [f"{folder} has no {RUN}: whether settings and data are those that the run began with is not known"]
    settings = list(different_settings(table["config"], asdict(config), table["inputs"].keys() & inputs.keys()))
    wrong = [text for name, text in settings if name not in _FREE_SETTINGS]
    notes = [f"{text}; this changes nothing that is learnt" for name, text in settings if name in _FREE_SETTINGS]
    for name, files in _absolute(inputs).items():
        before = table["inputs"].get(name, files)
        if [digest for _, digest in before] != [digest for _, digest in files]:
            wrong.append(_other_contents(name, before, files))
        elif before != files:
            was, now = (", ".join(path for path, _ in x) for x in (before, files))
            notes.append(f"{name} was {was} when the run began and is {now} now, with the same contents")
    if wrong:
        advice = "undo this, or start another run in another folder"
        raise ConfigError(f"{folder}: the run can't be resumed: {'; '.join(wrong)}; {advice}")
    for name, version in versions().items():
        if table["versions"].get(name) != version:
            was = table["versions"].get(name)
            notes.append(f"{name} was {was} when the run began and is {version} now; the last digits may differ")
    return notes


def different_settings(
    before: dict[str, Any], now: dict[str, Any], compared_by_contents: Container[str], prefix: str = ""
) -> Iterator[tuple[str, str]]:
    """The name of each setting that differs, and a text that says so."""
    for key, value in now.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from different_settings(before.get(key, {}), value, compared_by_contents, f"{name}.")
        elif name not in compared_by_contents and key in before and before[key] != value:
            yield name, f"{name} is {json.dumps(before[key])} in this run and {json.dumps(value)} in the configuration"


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """A row for every epoch of a run, without one that was being written when the run was interrupted."""
    path = folder / METRICS
    rows: list[dict[str, Any]] = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def drop_repeated_epochs(folder: Path, first_epoch: int) -> None:
    """A resumed run repeats the epoch in which it was interrupted."""
    kept = [row for row in read_metrics(folder) if row["epoch"] < first_epoch]
    (folder / METRICS).write_text("".join(json.dumps(row) + "\n" for row in kept))


def add_epoch(folder: Path, done: EpochDone) -> None:
    """Append a row to metrics.jsonl."""
    with (folder / METRICS).open("a") as out:
        out.write(json.dumps(asdict(done)) + "\n")


def defined_f1(brackets: BracketCounts) -> float | None:
    """The F1, which is 0 if nothing matches, and undefined if there is nothing to match in gold."""
    return None if not brackets.gold else brackets.f1 or 0.0


def _read_run(folder: Path) -> dict[str, Any] | None:
    path = folder / RUN
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(table[key], dict) for key in ("config", "inputs", "versions")):
            raise TypeError("a table is missing")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path}: the record of this run can't be read ({error})") from None
    return table


def _absolute(inputs: Inputs) -> Inputs:
    return {name: [[str(Path(path).resolve()), digest] for path, digest in files] for name, files in inputs.items()}


def _other_contents(name: str, before: list[list[str]], now: list[list[str]]) -> str:
    if len(before) != len(now):
        return f"{name} has {len(before)} files in this run and {len(now)} in the configuration"
    path = next(path for (_, old), (path, new) in zip(before, now, strict=True) if old != new)
    return f"{path} in {name} has other contents than when the run began"


def _checksum(path: str) -> str:
    try:
        return checksum(Path(path))
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: can't be read ({error.strerror})") from None
