"""The paper's analysis figure: F1 by span length, sentence length and label, a line for each linearization.

Beside all constituents it has the discontinuous ones alone, and gap degrees. Lines differ in markers and dashes, so
that they can be told apart in print without colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discoseq.errors import import_extra
from discoseq.evaluation.breakdown import DISCONTINUOUS, By, Groups, Row, add_groups, make_rows
from discoseq.experiments.paper_tables import Runs
from discoseq.experiments.results import Evaluation
from discoseq.storage import atomic_file

_SPAN_BINS = (2, 4, 6, 8, 10, 15, 20, 30, 40)
_MOST_LABELS = 9
_FORMATS = ("svg", "png")
_STYLES = (
    # colour (Okabe & Ito's, which also differ in lightness), marker, dashes
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#000000", "D", ":"),
    ("#CC79A7", "v", (0, (6, 1, 1, 1, 1, 1))),
    ("#E69F00", "P", (0, (8, 2))),
    ("#56B4E9", "X", (0, (1, 2))),
)
# text as outlines and names without random parts, so that the same results give the same file everywhere
_SETTINGS = {"svg.hashsalt": "discoseq", "svg.fonttype": "path", "font.size": 8, "axes.titlesize": 8}


@dataclass(frozen=True, slots=True)
class AnalysisFigure:
    """What is in one figure: by linearization, the parses of all its seeds."""

    name: str  # of the files
    title: str
    lines: Mapping[str, Sequence[Evaluation]]
    gold: Sequence[Evaluation]  # one of each treebank, for the number of gold constituents

    @property
    def has_gaps(self) -> bool:
        return any(one.discontinuous_f1 is not None for found in self.lines.values() for one in found)


def plan_figures(runs: Sequence[Runs]) -> list[AnalysisFigure]:
    """A picture for each treebank and variant, and one for all treebanks together, as in the paper."""
    pictures = []
    variants = list(dict.fromkeys(one.variant for one in runs))
    for variant in variants:
        of_variant = [one for one in runs if one.variant == variant]
        treebanks = list(dict.fromkeys(one.treebank for one in of_variant))
        for treebank in [*treebanks, *(["all"] if len(treebanks) > 1 else [])]:
            chosen = [one for one in of_variant if treebank in ("all", one.treebank)]
            if picture := _picture(chosen, treebank, variant):
                pictures.append(picture)
    return pictures


def draw_figure(picture: AnalysisFigure, folder: Path) -> list[Path]:
    """Write the picture as SVG and as PNG."""
    matplotlib = import_extra("matplotlib", "plots", "a figure")
    figure_class = import_extra("matplotlib.figure", "plots", "a figure").Figure
    paths = []
    with matplotlib.rc_context(_SETTINGS):
        columns = 2
        rows = 4 if picture.has_gaps else 2
        figure = figure_class((7.2, 2.25 * rows), layout="constrained")
        axes = list(figure.subplots(rows, columns).flat)
        _draw_panels(axes, picture)
        figure.suptitle(picture.title, fontsize=9)
        figure.supxlabel(_counts_note(picture), fontsize=7)
        for suffix in _FORMATS:
            path = folder / f"{picture.name}.{suffix}"
            with atomic_file(path) as partial:
                metadata = {"Date": None} if suffix == "svg" else {"Software": None}
                figure.savefig(partial, format=suffix, dpi=200, metadata=metadata)
            paths.append(path)
    return paths


def _picture(runs: Sequence[Runs], treebank: str, variant: str) -> AnalysisFigure | None:
    """Dev, as in the paper, or test where dev was not parsed; with the widest beam that all have."""
    split = next((split for split in ("dev", "test") if all(split in one.splits() for one in runs)), None)
    if split is None:
        return None
    beams = set.intersection(*(set(one.beams(split)) for one in runs))
    if not beams:
        return None
    lines: dict[str, list[Evaluation]] = {}
    gold: dict[str, Evaluation] = {}
    for one in runs:
        found = one.evaluations(split, max(beams))
        lines.setdefault(one.linearization, []).extend(found)
        gold.setdefault(one.treebank, found[0])
    name = "-".join(part for part in ("analysis", treebank, variant) if part)
    of_treebank = "all treebanks" if treebank == "all" else treebank
    title = ", ".join(part for part in (of_treebank, variant, split, f"beam {max(beams)}") if part)
    return AnalysisFigure(name, title, lines, list(gold.values()))


def _counts_note(picture: AnalysisFigure) -> str:
    of_sentences = "(c) and (d)" if picture.has_gaps else "(b)"
    return f"the last number under a point: gold constituents, in {of_sentences} sentences"


def _draw_panels(axes: list[Any], picture: AnalysisFigure) -> None:
    panels: list[tuple[str, By, bool]] = [
        ("span length", By.SPAN, False),
        ("sentence length (up to)", By.LENGTH, False),
        ("label (average span)", By.LABEL, False),
    ]
    if picture.has_gaps:
        gapped = [(f"{title}, discontinuous", by, True) for title, by, _ in panels]
        pairs = [panel for pair in zip(panels, gapped, strict=True) for panel in pair]
        panels = [*pairs, ("gap degree", By.GAP, False)]
    for letter, axis, (title, by, is_gapped) in zip("abcdefg", axes, panels, strict=False):
        _draw_panel(axis, picture, by, is_gapped)
        axis.set_title(f"({letter}) F1 by {title}")
    handles, labels = axes[0].get_legend_handles_labels()
    last = axes[len(panels)]
    last.axis("off")
    last.legend(handles, labels, loc="center", frameon=False, handlelength=4, fontsize=9)


def _draw_panel(axis: Any, picture: AnalysisFigure, by: By, is_gapped: bool) -> None:
    groups = {name: _groups(found, by, is_gapped) for name, found in picture.lines.items()}
    bins = _SPAN_BINS if by is By.SPAN else ()
    rows = [row for row in make_rows(_groups(picture.gold, by, is_gapped), by, bins) if row.counts.gold]
    rows = [row for row in rows if row.name != DISCONTINUOUS][: _MOST_LABELS if by is By.LABEL else None]
    places = {row.name: place for place, row in enumerate(rows)}
    for (name, of_line), (colour, marker, dashes) in zip(groups.items(), _cycled(len(groups)), strict=True):
        points = list(_points(make_rows(of_line, by, bins), places))
        axis.plot(
            [x for x, _ in points],
            [y for _, y in points],
            color=colour,
            marker=marker,
            linestyle=dashes,
            label=name,
            markersize=4,
            markerfacecolor="white",
            linewidth=1,
        )
    axis.set_xticks(range(len(rows)), [_tick(row, by) for row in rows], fontsize=6.5)
    axis.grid(axis="y", alpha=0.3, linewidth=0.5)
    axis.margins(x=0.04)
    lowest, highest = axis.get_ylim()
    if highest - lowest < 1:  # nothing is found at all, or all
        axis.set_ylim(lowest - 5, highest + 5)


def _points(rows: Sequence[Row], places: Mapping[str, int]) -> Iterator[tuple[int, float]]:
    found = [(places[row.name], row.counts.f1 or 0.0) for row in rows if row.name in places and row.counts.gold]
    return iter(sorted(found))


def _tick(row: Row, by: By) -> str:
    name = row.name.removeprefix("<= ").replace(">= ", "≥")
    number = row.counts.gold if row.sentences is None else row.sentences
    return f"{name}\n({row.average_span:.1f})\n{number:,}" if by is By.LABEL else f"{name}\n{number:,}"


def _groups(evaluations: Sequence[Evaluation], by: By, is_gapped: bool) -> Groups:
    return add_groups((one.discontinuous_groups if is_gapped else one.groups)[by] for one in evaluations)


def _cycled(count: int) -> Iterator[tuple[Any, ...]]:
    return (_STYLES[number % len(_STYLES)] for number in range(count))
