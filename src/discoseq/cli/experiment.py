"""`discoseq experiment`: train, parse and score all cells of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discoseq.cli.config import first_sentence
from discoseq.cli.reading import track
from discoseq.cli.score_report import JsonObject, dump_json
from discoseq.cli.tables import format_table
from discoseq.cli.train import format_f1, print_lines, show_events
from discoseq.errors import TrainingError, import_extra

if TYPE_CHECKING:  # torch is imported only when training begins
    from discoseq.experiments.plan import Cell, NamedPlan, Plan
    from discoseq.experiments.results import CellResult


def experiment(
    plan: Annotated[
        str | None, typer.Argument(help="A TOML file, or a name from --list, which needs no arguments.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for runs and results. Default: runs/ and the name of the plan."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs of every cell. Default: as in PLAN.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Cells of this treebank, variant or linearization; may be repeated. Default: all cells.",
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Change the plan, e.g. treebanks.negra.source=FILE, or a setting of all cells, e.g. "
            "training.epochs=5; may be repeated. Default: the plan as it is.",
        ),
    ] = None,
    redo: Annotated[
        bool, typer.Option("--redo", help="Do cells again that were done with other settings, data or versions.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the plan, list its cells and which are done, and do nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object about all cells.")] = False,
    shows_list: Annotated[bool, typer.Option("--list", help="List the plans that come with discoseq.")] = False,
) -> None:
    """Do the experiments of a plan: prepare treebanks, train every cell, parse, score and time; then `discoseq report`.

    Interrupt it at any time and go on with the same command: what is done is not done again.

    Example: `discoseq experiment open --out runs/open --only alpino --seeds 1`

    Example: `discoseq experiment paper-discontinuous --only negra --set treebanks.negra.source=negra-corpus.export`
    """
    from discoseq.experiments.plan import select_cells
    from discoseq.experiments.plan_file import named_plans, read_plan

    if shows_list:
        print(
            format_table(["plan", "for"], [[name, first_sentence(path)] for name, path in named_plans().items()], "ll")
        )
        return
    if plan is None:
        raise typer.BadParameter("name a PLAN, or use --list")
    named = read_plan(plan, assignments or [], seeds)
    cells = select_cells(named.cells(), only or [])
    folder = out or Path("runs") / named.name
    if dry_run:
        _list_cells(named, cells, folder, as_json)
        return
    import_extra("accelerate", "train", "training")
    try:
        done, failed = _run(named, cells, folder, redo)
    except KeyboardInterrupt:
        print_lines("interrupted: the same command goes on")
        raise
    except OSError as error:
        error.filename = error.filename or str(folder)  # a full disk does not say where
        raise
    _report(done, failed, folder, as_json)


def _list_cells(named: NamedPlan, cells: Sequence[Cell], folder: Path, as_json: bool) -> None:
    rows = [[cell.name, _state(named.plan, cell, folder)] for cell in cells]
    print(dump_json({"cells": dict(rows)}) if as_json else format_table(["cell", "state"], rows, "ll"))


def _state(plan: Plan, cell: Cell, folder: Path) -> str:
    from discoseq.experiments.results import cell_path, read_results

    path = cell_path(folder, cell.name)
    if not path.exists():
        return "begun" if (folder / "runs" / cell.name).exists() else "to do"
    result = read_results(path)[0]
    splits = [split for split in plan.splits if split in result.data]  # a treebank may have no test part
    return "begun" if result.missing(splits, plan.beams) else "done"


def _run(named: NamedPlan, cells: Sequence[Cell], folder: Path, redo: bool) -> tuple[list[CellResult], dict[str, str]]:
    """The results of the cells, and the reasons of those that failed."""
    from discoseq.experiments.run_plan import CellDone, CellFailed, CellStarted, run_plan

    done: list[CellResult] = []
    failed: dict[str, str] = {}
    old = 0
    for event in show_events(run_plan(named, cells, folder, redo, track)):
        if isinstance(event, CellStarted):
            print_lines(f"cell {event.number} of {event.total}: {event.cell.name}")
        elif isinstance(event, CellFailed):
            failed[event.cell.name] = event.reason
            print_lines(f"{event.cell.name} failed: {event.reason}")
        elif isinstance(event, CellDone):
            done.append(event.result)
            old += not event.is_new
            if event.is_new:
                print_lines(*_lines(event.cell.name, event.result))
    if old:
        print_lines(f"{old} of {len(cells)} cells were done before")
    return done, failed


def _lines(name: str, result: CellResult) -> Iterator[str]:
    for one in result.evaluations:
        rate = len(one.counts) / max(one.seconds, 1e-9)
        yield (
            f"{name}, {one.split}, beam {one.beam}: F1 {format_f1(one.f1)}, discontinuous F1 "
            f"{format_f1(one.discontinuous_f1)}, {rate:,.1f} sentences a second"
        )


def _report(done: Sequence[CellResult], failed: dict[str, str], folder: Path, as_json: bool) -> None:
    from discoseq.experiments.results import WHOLE

    path = folder / WHOLE
    if as_json:
        print(dump_json({"results": str(path), "cells": [*map(_cell_json, done)], "failed": failed}))
    else:
        print(f"{path}: {len(done)} cells; discoseq report {folder} makes tables of them")
    if failed:
        raise TrainingError(f"{len(failed)} of {len(done) + len(failed)} cells failed: {', '.join(failed)}")


def _cell_json(result: CellResult) -> JsonObject:
    return {
        "treebank": result.treebank,
        "variant": result.variant,
        "linearization": result.linearization,
        "seed": result.seed,
        "training_cpu_seconds": result.training.cpu_seconds,
        "evaluations": [
            {
                "split": one.split,
                "beam": one.beam,
                "rules": one.rules,
                "sentences": len(one.counts),
                "f1": one.f1,
                "discontinuous_f1": one.discontinuous_f1,
                "seconds": one.seconds,
                "cpu_seconds": one.cpu_seconds,
                "repaired": one.repaired,
            }
            for one in result.evaluations
        ],
    }
