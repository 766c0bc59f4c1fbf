"""A picture of how a run, or several side by side, went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discoseq.errors import MissingExtraError


def draw_curves(runs: Mapping[str, Sequence[Mapping[str, Any]]], path: Path, against: str = "epoch") -> None:
    """Loss and dev scores of every run (see metrics.py) over its epochs, or over `seconds` of training."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("pictures of curves need matplotlib: pip install 'discoseq[plots]'") from None
    figure = Figure(figsize=(12, 4), layout="constrained")
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
