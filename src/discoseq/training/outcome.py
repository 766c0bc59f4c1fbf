"""What is left of a run: its record, the model with its card, and a picture of its curves."""

from __future__ import annotations

import importlib.metadata
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from discoseq.errors import MissingExtraError
from discoseq.evaluation import CorpusScores
from discoseq.model.directory import save_model
from discoseq.training.config import PATHS, config_as_dict
from discoseq.training.curves import draw_curves
from discoseq.training.events import EpochDone, Event, Finished, Started
from discoseq.training.metrics import Record, read_record
from discoseq.training.settings import Config

_VERSIONS = ("discoseq", "torch", "numpy", "accelerate", "safetensors")


class Outcome:
    """Writes as the events come in."""

    def __init__(self, folder: Path, config: Config, checksums: dict[str, str]) -> None:
        self.folder = folder
        self.config = config
        self.checksums = checksums
        self.record: Record | None = None
        self.finished: Finished | None = None

    def note(self, event: Event) -> None:
        """Take what is to be kept of an event."""
        if isinstance(event, Started):
            self.record = Record(self.folder, event.epoch)
        elif isinstance(event, EpochDone) and self.record is not None:
            self.record.add(event)
        elif isinstance(event, Finished):
            self.finished = event
            self._write(event)

    def summary(self) -> str:
        """One line with the figures and where the model is."""
        assert self.finished is not None
        return f"{self.folder / 'model'}: {_figures(self.finished.scores)} on dev with beam {self.finished.beam}"

    def _write(self, finished: Finished) -> None:
        extra: dict[str, object] = {
            "language": self.config.language,
            "training": _with_short_paths(config_as_dict(self.config)),
            "data": {_short(path): digest for path, digest in self.checksums.items()},
            "versions": {name: importlib.metadata.version(name) for name in _VERSIONS},
            "scores": {"f1": finished.scores.f1, "discontinuous_f1": finished.scores.discontinuous.f1},
            "card": self._card(finished),
        }
        save_model(finished.model, self.folder / "model", extra, self.config.training.compact)
        with suppress(MissingExtraError):  # the figures are all in the record
            draw_curves({"": read_record(self.folder)}, self.folder / "curves.png")

    def _card(self, finished: Finished) -> str:
        data = "\n".join(f"- {_short(path)} (sha256 {digest})" for path, digest in self.checksums.items())
        epochs = ", ".join(map(str, sorted(finished.averaged_epochs)))
        return f"""# A discoseq model

- linearization: {self.config.linearization}
- on dev, beam {finished.beam}: {_figures(finished.scores)} (rules disco)
- weights: average of epochs {epochs}
- training: {finished.seconds / 60:.0f} minutes, seed {self.config.training.seed}, {platform.machine()}
- all settings: config.json

Trained and scored on:

{data}
"""


def _with_short_paths(config: dict[str, Any]) -> dict[str, Any]:
    """A model may be given away, and where its data was is nobody's business."""
    short = {}
    for name, keys in PATHS.items():
        short[name] = dict(config[name])
        for key in keys:
            paths = config[name][key]
            short[name][key] = _short(paths) if isinstance(paths, str) else [_short(path) for path in paths]
    return config | short


def _short(path: str) -> str:
    """The file and its folder."""
    return "/".join(Path(path).parts[-2:])


def _figures(scores: CorpusScores) -> str:
    discontinuous = scores.discontinuous.f1
    return f"F1 {scores.f1 or 0.0:.2f}, discontinuous F1 {0.0 if discontinuous is None else discontinuous:.2f}"
