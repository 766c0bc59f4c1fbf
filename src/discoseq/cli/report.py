"""`discoseq report`: the paper's tables and figures for the results of experiments."""

from __future__ import annotations

import importlib.util
import sys
from base64 import b64encode
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discoseq.cli.reading import track
from discoseq.cli.tables import escape_latex, format_html, format_latex, format_markdown
from discoseq.errors import EvaluationError
from discoseq.storage import atomic_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discoseq.experiments.paper_tables import Runs, Table
    from discoseq.experiments.results import CellResult


class ReportFormat(StrEnum):
    """What a report is written in."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


_SUFFIXES = {ReportFormat.MARKDOWN: ".md", ReportFormat.LATEX: ".tex", ReportFormat.HTML: ".html"}


def report(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="Folders of `discoseq experiment`, or files of results.")
    ],
    to: Annotated[ReportFormat, typer.Option(help="Format of the report.")] = ReportFormat.MARKDOWN,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the report and its figures. Default: print it, without figures."),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Number of bootstrap samples.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
) -> None:
    """Make tables of results, with the paper's figures beside them, tests of the differences, and figures.

    Example: `discoseq report runs/open --out report`

    Example: `discoseq report runs/paper-continuous runs/paper-discontinuous --to latex > tables.tex`
    """
    from discoseq.experiments.comparisons import compare_runs
    from discoseq.experiments.paper_tables import group_runs, make_tables
    from discoseq.experiments.results import read_results

    cells = [cell for path in results for cell in read_results(path)]
    if not cells:
        raise EvaluationError(f"{', '.join(map(str, results))}: no cell is done yet")
    runs = group_runs(cells)
    tables = [*make_tables(runs), *compare_runs(runs, samples, seed)]
    if out is None:
        print(_write(to, cells, tables, []), end="")
        return
    out.mkdir(parents=True, exist_ok=True)
    figures = _draw(runs, out)
    path = out / f"report{_SUFFIXES[to]}"
    with atomic_file(path) as partial:
        partial.write_text(_write(to, cells, tables, figures), "utf-8")
    print(path)


@dataclass(frozen=True, slots=True)
class _DrawnFigure:
    """The files of a figure, and what is written under it."""

    svg: Path
    png: Path
    caption: str


def _draw(runs: Sequence[Runs], folder: Path) -> list[_DrawnFigure]:
    """All figures; none without matplotlib."""
    from discoseq.experiments.figures import draw_figure, plan_figures

    if importlib.util.find_spec("matplotlib") is None:
        print("there will be no figures: they need matplotlib (pip install 'discoseq[plots]')", file=sys.stderr)
        return []
    planned = plan_figures(runs)
    return [_DrawnFigure(*draw_figure(one, folder), one.caption) for one in track(planned, "drawing", len(planned))]


def _write(
    to: ReportFormat, cells: Sequence[CellResult], tables: Sequence[Table], figures: Sequence[_DrawnFigure]
) -> str:
    plans = ", ".join(dict.fromkeys(cell.plan for cell in cells))
    versions = ", ".join(dict.fromkeys(cell.versions["discoseq"] for cell in cells))
    about = f"{len(cells)} training runs by discoseq {versions}."
    return _WRITERS[to](f"Results: {plans}", about, tables, figures)


def _markdown(title: str, about: str, tables: Sequence[Table], figures: Sequence[_DrawnFigure]) -> str:
    parts = [f"# {title}", about]
    for table in tables:
        parts += [f"## {table.title}", format_markdown(table.header, table.rows, _align(table))]
        parts += [f"({table.note})"] if table.note else []
    parts += ["## Figures"] if figures else []
    parts += [f"![{figure.caption}]({figure.svg.name})" for figure in figures]
    return "\n\n".join(parts) + "\n"


def _latex(title: str, about: str, tables: Sequence[Table], figures: Sequence[_DrawnFigure]) -> str:
    """Tables and figures that are as wide and as high as the page at most."""
    parts = [f"% {title}; {about} Needs the packages booktabs and graphicx."]
    for table in tables:
        caption = f"{table.title} ({table.note})." if table.note else f"{table.title}."
        body = format_latex(table.header, table.rows, _align(table))
        box = "\\resizebox{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}{!}{%\n" + body + "}"
        parts.append(_latex_float("table*", f"\\small\n{box}", caption))
    for figure in figures:
        size = r"width=\textwidth,height=.9\textheight,keepaspectratio"
        parts.append(_latex_float("figure*", rf"\includegraphics[{size}]{{{figure.png.name}}}", f"{figure.caption}."))
    return "\n\n".join(parts) + "\n"


def _latex_float(kind: str, body: str, caption: str) -> str:
    lines = [rf"\begin{{{kind}}}", r"\centering", body, rf"\caption{{{escape_latex(caption)}}}", rf"\end{{{kind}}}"]
    return "\n".join(lines)


_HTML_STYLE = (
    "body{font:16px/1.4 sans-serif;max-width:75em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}th,td{padding:.2em .6em;border-bottom:1px solid #ccc}"
    "td{white-space:nowrap}img{max-width:45em;width:100%}"
)


def _html(title: str, about: str, tables: Sequence[Table], figures: Sequence[_DrawnFigure]) -> str:
    """One file: the figures are in it."""
    parts = [
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>',
        f"<style>{_HTML_STYLE}</style>\n<h1>{escape(title)}</h1>\n<p>{escape(about)}</p>",
    ]
    for table in tables:
        parts += [f"<h2>{escape(table.title)}</h2>", format_html(table.header, table.rows, _align(table))]
        parts += [f"<p>({escape(table.note)})</p>"] if table.note else []
    parts += ["<h2>Figures</h2>"] if figures else []
    for figure in figures:
        caption, data = escape(figure.caption), b64encode(figure.svg.read_bytes()).decode()
        picture = f'<img src="data:image/svg+xml;base64,{data}" alt="{caption}">'
        parts.append(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    return "\n".join([*parts, "</html>"]) + "\n"


_WRITERS = {ReportFormat.MARKDOWN: _markdown, ReportFormat.LATEX: _latex, ReportFormat.HTML: _html}


def _align(table: Table) -> str:
    return "l" * table.name_columns + "r" * (len(table.header) - table.name_columns)
