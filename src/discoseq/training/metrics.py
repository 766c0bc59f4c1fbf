"""The record of a run: a line of JSON for every epoch, and TensorBoard where it is installed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from discoseq.training.events import EpochDone

_CURVES = ("loss", "learning_rate", "targets_per_second", "f1", "discontinuous_f1")


class Record:
    """Appends to metrics.jsonl; a resumed run drops the lines of epochs that it does again."""

    def __init__(self, folder: Path, first_epoch: int) -> None:
        self.path = folder / "metrics.jsonl"
        kept = [row for row in read_record(folder) if row["epoch"] < first_epoch]
        self.path.write_text("".join(json.dumps(row) + "\n" for row in kept))
        self._board = _tensorboard(folder)

    def add(self, done: EpochDone) -> None:
        with self.path.open("a") as out:
            out.write(json.dumps(asdict(done)) + "\n")
        if self._board is not None:
            for name in _CURVES:
                value = getattr(done, name)
                if value is not None:
                    self._board.add_scalar(name, value, done.epoch)
            self._board.flush()


def read_record(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run, without one that was being written when it was interrupted."""
    path = folder / "metrics.jsonl"
    rows: list[dict[str, Any]] = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
