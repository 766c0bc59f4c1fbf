"""The paper's analysis figure: F1 by span length, sentence length and label, a line for each linearization.

Beside all constituents it has the discontinuous ones alone, and gap degrees. Lines differ in markers and dashes, so
that they can be told apart in print without colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from discoseq.errors import import_extra
from discoseq.evaluation.breakdown import DISCONTINUOUS, By, Row, add_groups, make_rows
from discoseq.experiments.paper_tables import Runs
from discoseq.experiments.plan import ALL, SCORED_SPLITS
from discoseq.experiments.results import Evaluation
from discoseq.storage import atomic_file

_SPAN_BINS = (2, 4, 6, 8, 10, 15, 20, 30, 40)
_MOST_LABELS = 9
_FEWEST = 10  # gold constituents of a point; with fewer, its place is chance
_TITLES = {By.SPAN: "span length", By.LENGTH: "sentence length", By.LABEL: "label", By.GAP: "gap degree"}
_AXES = {
    By.SPAN: "tokens in the span; gold constituents",
    By.LENGTH: "sentences of up to so many tokens; their number",
    By.LABEL: "label, average span in brackets; gold constituents",
    By.GAP: "gaps; gold constituents",
}
_NOTE = f"Points of fewer than {_FEWEST} gold constituents are left out."
# Okabe & Ito's colours also differ in lightness; 7, 8 and 5 have no common divisor, so no two lines look alike
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
# text as outlines and names without random parts, so that the same results give the same file everywhere
_SETTINGS = {"svg.hashsalt": "discoseq", "svg.fonttype": "path", "font.size": 8, "axes.titlesize": 8}


@dataclass(frozen=True, slots=True)
class AnalysisFigure:
    """What is in one figure: by linearization, the parses of all its seeds."""

    name: str  # of the files
    caption: str
    lines: Mapping[str, Sequence[Evaluation]]
    gold: Sequence[Evaluation]  # one of each treebank, for the number of gold constituents

    @property
    def has_gaps(self) -> bool:
        return any(one.discontinuous_f1 is not None for found in self.lines.values() for one in found)


@dataclass(frozen=True, slots=True)
class _Panel:
    """What a panel groups constituents by, all or the discontinuous ones alone."""

    by: By
    is_gapped: bool

    def rows(self, evaluations: Sequence[Evaluation]) -> list[Row]:
        """The counts of these evaluations together."""
        groups = ((one.discontinuous_groups if self.is_gapped else one.groups)[self.by] for one in evaluations)
        return make_rows(add_groups(groups), self.by, _SPAN_BINS if self.by is By.SPAN else ())


def plan_figures(runs: Sequence[Runs]) -> list[AnalysisFigure]:
    """A figure for each treebank and variant, and for each variant one of all treebanks together, as in the paper."""
    planned = []
    for variant in dict.fromkeys(one.variant for one in runs):
        of_variant = [one for one in runs if one.variant == variant]
        treebanks = list(dict.fromkeys(one.treebank for one in of_variant))
        for treebank in treebanks:
            planned.append(_plan([one for one in of_variant if one.treebank == treebank], treebank, variant))
        if len(treebanks) > 1:
            planned.append(_plan(_on_all_treebanks(of_variant), ALL, variant))
    return [figure for figure in planned if figure]


def draw_figure(analysis: AnalysisFigure, folder: Path) -> tuple[Path, Path]:
    """Write the figure as SVG and as PNG."""
    matplotlib = import_extra("matplotlib", "plots", "a figure")
    figure_class = import_extra("matplotlib.figure", "plots", "a figure").Figure
    panels = _panels(analysis)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # the figure does not depend on a style of the user
        matplotlib.rcParams.update(_SETTINGS)
        rows = (len(panels) + 2) // 2  # the last place is that of the legend
        figure = figure_class((7.2, 2.3 * rows), layout="constrained")
        axes = list(figure.subplots(rows, 2).flat)
        for letter, axis, panel in zip(ascii_lowercase, axes, panels, strict=False):
            _draw_panel(axis, analysis, panel)
            axis.set_title(f"({letter}) F1 by {_TITLES[panel.by]}{', discontinuous' if panel.is_gapped else ''}")
        _draw_legend(axes[-1], analysis)
        figure.suptitle(analysis.caption, fontsize=9)
        svg, png = (folder / f"{analysis.name}.{suffix}" for suffix in ("svg", "png"))
        for path, nothing in ((svg, "Date"), (png, "Software")):
            with atomic_file(path) as partial:
                figure.savefig(partial, format=path.suffix[1:], dpi=200, metadata={nothing: None})
    return svg, png


def _on_all_treebanks(runs: Sequence[Runs]) -> list[Runs]:
    """What can be added up over treebanks: the linearizations that all of them have, and the seeds that these have.

    Treebanks of continuous trees are left aside if there are others.
    """
    chosen = [one for one in runs if not one.is_continuous] or list(runs)
    treebanks = {one.treebank for one in chosen}
    common = []
    for name in dict.fromkeys(one.linearization for one in chosen):
        of_name = [one for one in chosen if one.linearization == name]
        seeds = set.intersection(*({result.seed for result in one.results} for one in of_name))
        if seeds and len(of_name) == len(treebanks) > 1:
            common += [replace(one, results=tuple(x for x in one.results if x.seed in seeds)) for one in of_name]
    return common


def _plan(runs: Sequence[Runs], treebank: str, variant: str) -> AnalysisFigure | None:
    """Dev, as in the paper, or test where dev was not parsed; with the widest beam that all have."""
    split = next((split for split in SCORED_SPLITS if all(split in one.splits() for one in runs)), "")
    beams = set.intersection(*(set(one.beams(split)) for one in runs)) if runs else set()
    if not beams:
        return None
    lines: dict[str, list[Evaluation]] = {}
    gold: dict[str, Evaluation] = {}
    for one in runs:
        found = one.evaluations(split, max(beams))
        lines.setdefault(one.linearization, []).extend(found)
        gold.setdefault(one.treebank, found[0])
    name = "-".join(part for part in ("analysis", treebank, variant) if part)
    of_treebank = ", ".join(gold) if treebank == ALL else treebank
    caption = ", ".join(part for part in (of_treebank, variant, split, f"beam {max(beams)}") if part)
    return AnalysisFigure(name, caption, lines, list(gold.values()))


def _panels(analysis: AnalysisFigure) -> list[_Panel]:
    kinds = (By.SPAN, By.LENGTH, By.LABEL)
    if not analysis.has_gaps:
        return [_Panel(by, is_gapped=False) for by in kinds]
    return [*(_Panel(by, is_gapped) for by in kinds for is_gapped in (False, True)), _Panel(By.GAP, is_gapped=False)]


def _draw_panel(axis: Any, analysis: AnalysisFigure, panel: _Panel) -> None:
    rows = [row for row in panel.rows(analysis.gold) if row.counts.gold >= _FEWEST and row.name != DISCONTINUOUS]
    rows = rows[:_MOST_LABELS] if panel.by is By.LABEL else rows
    places = {row.name: place for place, row in enumerate(rows)}
    for number, (name, evaluations) in enumerate(analysis.lines.items()):
        points = sorted(
            (places[row.name], row.counts.f1 or 0.0) for row in panel.rows(evaluations) if row.name in places
        )
        colour, marker, dashes = _style(number)
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
    axis.set_xticks(range(len(rows)), [_tick(row, panel.by) for row in rows], fontsize=6.5)
    axis.set_xlabel(_AXES[panel.by], fontsize=7)
    axis.set_ylabel("F1", fontsize=7)
    axis.grid(axis="y", alpha=0.3, linewidth=0.5)
    axis.margins(x=0.04)
    lowest, highest = axis.get_ylim()
    if highest - lowest < 1:  # nothing is found at all, or all
        axis.set_ylim(lowest - 5, highest + 5)
    if not rows:
        axis.set_yticks([])
        axis.text(0.5, 0.5, f"fewer than {_FEWEST} in each group", transform=axis.transAxes, ha="center", va="center")


def _draw_legend(axis: Any, analysis: AnalysisFigure) -> None:
    axis.axis("off")
    for number, name in enumerate(analysis.lines):
        colour, marker, dashes = _style(number)
        axis.plot([], [], color=colour, marker=marker, linestyle=dashes, label=name, markerfacecolor="white")
    axis.legend(loc="center", frameon=False, handlelength=4.5, fontsize=9)
    axis.text(0.5, 0, _NOTE, transform=axis.transAxes, ha="center", va="bottom", fontsize=7)


def _tick(row: Row, by: By) -> str:
    name = row.name.removeprefix("<= ").replace(">= ", "≥")
    number = row.counts.gold if row.sentences is None else row.sentences
    return f"{name}\n({row.average_span:.1f})\n{number:,}" if by is By.LABEL else f"{name}\n{number:,}"


def _style(number: int) -> tuple[str, str, Any]:
    """The colour, marker and dashes of a line."""
    return _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)], _DASHES[number % len(_DASHES)]
