"""A training run in a folder: start or resume it, and write its record, its model with a card, and its curves."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from discoseq.errors import ConfigError, MissingExtraError, import_extra
from discoseq.evaluation.corpus_scores import CorpusScores
from discoseq.model.directory import save_model
from discoseq.training.config import Config
from discoseq.training.data import load_data
from discoseq.training.events import EpochDone, Event, Finished, Started

RECORD = "metrics.jsonl"
_CURVES = ("loss", "learning_rate", "targets_per_second", "f1", "discontinuous_f1")
_VERSIONS = ("discoseq", "torch", "numpy", "accelerate", "safetensors")


def start_run(config: Config, folder: Path, is_resumed: bool = False) -> Iterator[Event]:
    """Train in a folder and yield every event once it is recorded; the finished model is in FOLDER/model.

    In a run of several processes, the main one yields all events and writes; the others yield nothing.
    """
    import_extra("accelerate", "train", "training")
    from discoseq.training.loop import is_main_process, train

    is_main = is_main_process()
    if is_main and not is_resumed and (folder / "checkpoints").exists():
        raise ConfigError(f"{folder} holds a run: resume it by discoseq train --resume, or choose another folder")
    data = load_data(config.data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: can't make this folder ({error.strerror})") from None
    board = None
    for event in train(config, data, folder, is_resumed):
        if not is_main:
            continue
        if isinstance(event, Started):
            _drop_repeated_epochs(folder, event.epoch)
            board = _tensorboard(folder)
        elif isinstance(event, EpochDone):
            _record(folder, event, board)
        elif isinstance(event, Finished):
            _write_model(folder, config, data.checksums, event)
        yield event


def read_record(folder: Path) -> list[dict[str, Any]]:
    """A row for every epoch of a run, without one that was being written when the run was interrupted."""
    path = folder / RECORD
    rows: list[dict[str, Any]] = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def draw_curves(runs: Mapping[str, Sequence[Mapping[str, Any]]], path: Path, against: str = "epoch") -> None:
    """Plot loss and dev scores of every run's record over its epochs, or over `seconds` of training."""
    figure = import_extra("matplotlib.figure", "plots", "a plot of training curves").Figure(
        (12, 4), layout="constrained"
    )
    panels = figure.subplots(1, 3)
    titles = {"loss": "training loss", "f1": "dev F1", "discontinuous_f1": "dev discontinuous F1"}
    for panel, (key, title) in zip(panels, titles.items(), strict=True):
        for name, rows in runs.items():
            points = [(row[against], row[key]) for row in rows if row[key] is not None]
            if points:
                panel.plot(*zip(*points, strict=True), marker=".", label=name)
        panel.set_title(title)
        panel.set_xlabel(against)
        panel.grid(alpha=0.3)
    if len(runs) > 1:
        panels[-1].legend(fontsize="small")
    figure.savefig(path, dpi=110)


def summarize_scores(scores: CorpusScores) -> str:
    """F1 and discontinuous F1 as text, and the accuracy of the tags where the model predicts them."""
    discontinuous = 0.0 if scores.discontinuous.f1 is None else scores.discontinuous.f1
    text = f"F1 {scores.f1 or 0.0:.2f}, discontinuous F1 {discontinuous:.2f}"
    return f"{text}, tag accuracy {scores.pos_accuracy:.2f}" if scores.pos_accuracy else text


def _drop_repeated_epochs(folder: Path, first_epoch: int) -> None:
    """A resumed run repeats the epoch in which it was interrupted."""
    kept = [row for row in read_record(folder) if row["epoch"] < first_epoch]
    (folder / RECORD).write_text("".join(json.dumps(row) + "\n" for row in kept))


def _record(folder: Path, done: EpochDone, board: Any) -> None:
    with (folder / RECORD).open("a") as out:
        out.write(json.dumps(asdict(done)) + "\n")
    if board is not None:
        for name in _CURVES:
            if getattr(done, name) is not None:
                board.add_scalar(name, getattr(done, name), done.epoch)
        board.flush()


def _tensorboard(folder: Path) -> Any:
    """A TensorBoard writer, or None where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))


def _write_model(folder: Path, config: Config, checksums: Mapping[str, str], finished: Finished) -> None:
    extra: dict[str, object] = {
        "language": config.language,
        "training": _with_short_paths(asdict(config)),
        "data": {_short(path): digest for path, digest in checksums.items()},
        "versions": {name: importlib.metadata.version(name) for name in _VERSIONS},
        "scores": {"f1": finished.scores.f1, "discontinuous_f1": finished.scores.discontinuous.f1},
        "card": _card(config, checksums, finished),
    }
    save_model(finished.model, folder / "model", extra, config.training.compact)
    with suppress(MissingExtraError):  # the record has all the figures
        draw_curves({"": read_record(folder)}, folder / "curves.png")


def _card(config: Config, checksums: Mapping[str, str], finished: Finished) -> str:
    data = "\n".join(f"- {_short(path)} (sha256 {digest})" for path, digest in checksums.items())
    epochs = ", ".join(map(str, sorted(finished.averaged_epochs)))
    return f"""# A discoseq model

- linearization: {config.linearization}
- on dev, beam {finished.beam}: {summarize_scores(finished.scores)} (rules disco)
- weights: average of epochs {epochs}
- training: {finished.seconds / 60:.0f} minutes, seed {config.training.seed}, {platform.machine()}
- all settings: config.json

Trained and scored on:

{data}
"""


def _with_short_paths(config: dict[str, Any]) -> dict[str, Any]:
    """Without the folders of the user's machine: a model may be given away."""
    data, training = config["data"], config["training"]
    paths = {key: [_short(path) for path in data[key]] for key in ("train", "dev")}
    start = training["initialise_from"]
    return config | {
        "data": data | paths,
        "training": training | {"initialise_from": _short(start) if start else ""},
    }


def _short(path: str) -> str:
    """The file and its folder."""
    return "/".join(Path(path).parts[-2:])
