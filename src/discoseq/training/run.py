"""A training run in a folder: start or resume it, and write its record, its curves, and its model with a card."""

from __future__ import annotations

import importlib.util
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from discoseq.errors import ConfigError, import_extra
from discoseq.evaluation.corpus_scores import CorpusScores
from discoseq.model.directory import save_model
from discoseq.model.model_files import check_replaceable
from discoseq.storage import atomic_file
from discoseq.training.config import Config
from discoseq.training.data import load_data
from discoseq.training.events import EpochDone, Event, Finished, Noted, Started
from discoseq.training.record import (
    Inputs,
    add_epoch,
    compare_run,
    defined_f1,
    drop_repeated_epochs,
    find_inputs,
    read_metrics,
    versions,
    write_run,
)

_CURVES = ("loss", "learning_rate", "targets_per_second", "f1", "discontinuous_f1")
_DATA = ("data.train", "data.dev", "data.silver")
_SECONDS_BETWEEN_CURVES = 5.0  # a plot takes half a second, which may be as long as an epoch of a few trees


def start_run(config: Config, folder: Path, is_resumed: bool = False) -> Iterator[Event]:
    """Train in a folder and yield every event once it is recorded; the finished model is in FOLDER/model.

    In a run of several processes, the main one yields all events and writes; the others yield nothing.
    """
    import_extra("accelerate", "train", "training")
    from discoseq.training.loop import is_main_process, train
    from discoseq.training.setup import check_config

    is_main = is_main_process()
    if is_main:
        _check_folder(folder, is_resumed)
    check_config(config)
    inputs = find_inputs(config)

    def events() -> Iterator[Event]:
        yield from map(Noted, _first_notes(config, folder, is_resumed, inputs))
        data = yield from load_data(config)
        _make_folder(folder)
        yield from train(config, data, folder, is_resumed)

    log = _Log(folder)
    for event in events():
        if not is_main:
            continue
        if isinstance(event, Started):
            write_run(folder, config, inputs)
            drop_repeated_epochs(folder, event.epoch)
        elif isinstance(event, EpochDone):
            log.add(event)
        elif isinstance(event, Finished):
            _write_model(folder, config, inputs, event)
            log.draw()
        yield event


def _first_notes(config: Config, folder: Path, is_resumed: bool, inputs: Inputs) -> Iterator[str]:
    if is_resumed:
        yield from compare_run(folder, config, inputs)
    if not _has_matplotlib():
        yield "there will be no curves.png: a plot needs matplotlib (pip install 'discoseq[plots]')"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: can't make this folder ({error.strerror})") from None


def _check_folder(folder: Path, is_resumed: bool) -> None:
    """Find out before hours of training whether a run can be written to a folder."""
    if not is_resumed and (folder / "checkpoints").exists():
        raise ConfigError(f"{folder} holds a run: resume it by discoseq train --resume, or choose another folder")
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise ConfigError(f"{folder}: can't make this folder ({existing} is a file)")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: can't write there (no permission for {existing})")
    check_replaceable(folder / "model")


class _Log:
    """Metrics, TensorBoard and curves, where the packages for them are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.board: Any = None
        self.last_drawn = float("-inf")

    def add(self, done: EpochDone) -> None:
        add_epoch(self.folder, done)
        self.board = self.board or _tensorboard(self.folder)
        if self.board is not None:
            for name in _CURVES:
                if getattr(done, name) is not None:
                    self.board.add_scalar(name, getattr(done, name), done.epoch)
            self.board.flush()
        if time.monotonic() - self.last_drawn > _SECONDS_BETWEEN_CURVES:
            self.draw()

    def draw(self) -> None:
        """The record has all the figures, so a plot may be missing."""
        if _has_matplotlib():
            draw_curves({"": read_metrics(self.folder)}, self.folder / "curves.png")
            self.last_drawn = time.monotonic()


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
    with atomic_file(path) as partial:
        figure.savefig(partial, dpi=110, format="png")


def summarize_scores(scores: CorpusScores) -> str:
    """F1 and discontinuous F1 as text, and the accuracy of the tags where the model predicts them.

    EVALB's rules know no discontinuous trees, and tags are given there.
    """
    f1, discontinuous = (defined_f1(x) for x in (scores.counts.brackets, scores.discontinuous))
    text = f"F1 {'undefined (dev has no constituents)' if f1 is None else f'{f1:.2f}'}"
    if scores.is_evalb:
        return f"{text} by EVALB's rules"
    text += ", discontinuous F1 "
    text += "undefined (dev has no discontinuous constituents)" if discontinuous is None else f"{discontinuous:.2f}"
    return f"{text}, tag accuracy {scores.pos_accuracy:.2f}" if scores.pos_accuracy else text


def _has_matplotlib() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def _tensorboard(folder: Path) -> Any:
    """A TensorBoard writer, or None where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))


def _write_model(folder: Path, config: Config, inputs: Inputs, finished: Finished) -> None:
    checksums = {_short(path): digest for name in _DATA for path, digest in inputs.get(name, [])}
    extra: dict[str, object] = {
        "language": finished.language,
        "score": config.search.score,
        "training": with_short_paths(asdict(config)),
        "data": checksums,
        "versions": versions(),
        "scores": {"f1": finished.scores.f1, "discontinuous_f1": finished.scores.discontinuous.f1},
        "card": _card(config, checksums, finished),
    }
    save_model(finished.model, folder / "model", extra, config.training.compact)


def _card(config: Config, checksums: Mapping[str, str], finished: Finished) -> str:
    data = "\n".join(f"- {path} (sha256 {digest})" for path, digest in checksums.items())
    epochs = ", ".join(map(str, sorted(finished.averaged_epochs)))
    rules = "evalb" if finished.scores.is_evalb else "disco"
    return f"""# A discoseq model

- linearization: {config.linearization}
- on dev, beam {finished.beam}: {summarize_scores(finished.scores)} (rules {rules})
- weights: average of epochs {epochs}
- training: {finished.seconds / 60:.0f} minutes, seed {config.training.seed}, {platform.machine()}
- all settings: config.json

Trained and scored on:

{data}
"""


def with_short_paths(config: dict[str, Any]) -> dict[str, Any]:
    """Without the folders of the user's machine: a model may be given away."""
    data, training = config["data"], config["training"]
    paths = {key: [_short(path) for path in data[key]] for key in ("train", "dev", "silver")}
    models = {key: training[key] and _short(training[key]) for key in ("initialise_from", "vocabularies_from")}
    return config | {"data": data | paths, "training": training | models}


def _short(path: str) -> str:
    """The file and its folder."""
    return "/".join(Path(path).parts[-2:])
