"""`discoseq train`: fit a model to a treebank."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:  # torch is imported only when training begins
    from discoseq.training.config import Config
    from discoseq.training.events import Embedding, EpochDone, Started

Item = TypeVar("Item")

_FIRST_LINE, _NEXT_LINES = 10.0, 60.0  # seconds between lines about the steps, where there is no bar


def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the model, checkpoints and metrics.")],
    config: Annotated[
        str | None,
        typer.Argument(help="A TOML file, or a name from `discoseq config list`. Default: small, or the run's own."),
    ] = None,
    train_files: Annotated[
        list[str] | None,
        typer.Option(
            "--train", help="A treebank file or folder to learn from; may be repeated. Default: data.train in CONFIG."
        ),
    ] = None,
    dev_files: Annotated[
        list[str] | None,
        typer.Option(
            "--dev",
            help="A treebank file or folder to choose the best epochs by; may be repeated. Default: every tenth tree "
            "of --train or, without --train, data.dev in CONFIG.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="By whose rules the model will tokenize raw text. Default: that in CONFIG, else guessed."),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change a setting, e.g. training.epochs=5; may be repeated. Default: the file as it is."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="The same as --set training.seed=N. Default: the seed in the file.")
    ] = None,
) -> None:
    """Train a model; interrupt it at any time and go on with --resume. The model is in OUT/model when it is done.

    Example: `discoseq train --train train.mrg --dev dev.mrg --out runs/mine`

    Example: `discoseq train examples/tiny.toml --out runs/tiny --set training.epochs=20`

    Example: `discoseq train --resume --out runs/tiny`
    """
    from discoseq.training.events import Finished
    from discoseq.training.run import start_run, summarize_scores

    changes = list(assignments or [])
    if train_files:  # the dev files of a configuration belong to its own training files
        changes += [f"data.train={_as_toml(train_files)}", f"data.dev={_as_toml(dev_files or [])}"]
    elif dev_files:
        changes.append(f"data.dev={_as_toml(dev_files)}")
    changes += [] if language is None else [f"language={_as_toml(language)}"]
    changes += [] if seed is None else [f"training.seed={seed}"]
    settings = _read_settings(config, out, resume and not train_files, changes)
    try:
        for event in show_events(start_run(settings, out, resume)):
            if isinstance(event, Finished):
                print(f"{out / 'model'}: {summarize_scores(event.scores)} on dev with beam {event.beam}")
    except KeyboardInterrupt:
        print_lines("interrupted: resume from the last checkpoint with --resume")
        raise


def _read_settings(config: str | None, out: Path, is_recorded: bool, changes: list[str]) -> Config:
    from discoseq.training.config import DEFAULT_CONFIG, read_config
    from discoseq.training.record import read_run_config

    if config is None and is_recorded:
        return read_run_config(out, changes)
    if config is None and not any(change.startswith("data.train=") for change in changes):
        raise typer.BadParameter("name a treebank with --train, or a configuration")
    return read_config(config or DEFAULT_CONFIG, changes)


def _as_toml(value: object) -> str:
    """Strings and lists of strings are written in TOML as in JSON."""
    return json.dumps(value, ensure_ascii=False)


def show_events(events: Iterator[Item]) -> Iterator[Item]:
    """The events as they come: a bar where someone is looking, else lines; a line an epoch in any case.

    Events of another kind than those of training are passed on.
    """
    from discoseq.training.events import Embedding, EpochDone, Noted, Stage, Started, StepDone

    console = Console(stderr=True, highlight=False)
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=None)
        start, targets, announced = time.monotonic(), 0, set[str]()
        next_line = float("inf")
        for event in events:
            if isinstance(event, Stage):
                if not console.is_terminal and event.name not in announced:
                    print_lines(event.name)
                announced.add(event.name)
                progress.update(task, completed=event.done, total=event.total, description=event.name)
            elif isinstance(event, Noted):
                print_lines(f"note: {event.text}")
            elif isinstance(event, Embedding):
                if not event.done:
                    print_lines(_announcement(event))
                progress.update(task, completed=event.done, total=event.words, description="vectors")
            elif isinstance(event, Started):
                start, targets = time.monotonic(), 0
                next_line = start + _FIRST_LINE
                print_lines(*_describe(event))
            elif isinstance(event, StepDone):
                targets += event.targets
                rate = targets / (time.monotonic() - start)
                text = f"epoch {event.epoch} loss {event.loss:.3f} {rate:,.0f} actions/s"
                progress.update(task, completed=event.progress, total=1.0, description=text)
                if not console.is_terminal and time.monotonic() > next_line:
                    next_line = time.monotonic() + _NEXT_LINES
                    print_lines(f"{text}, {event.progress:.1%} of the training")
            elif isinstance(event, EpochDone):
                print_lines(_epoch_line(event))
            yield event


def _announcement(embedding: Embedding) -> str:
    size = f"{embedding.size / 2**20:,.1f} MiB"
    return f"computing the vectors of {embedding.words:,} words, once for all runs: {size} in {embedding.path}"


def _describe(started: Started) -> Iterator[str]:
    silver = f"{started.silver_sentences:,} silver sentences, " if started.silver_sentences else ""
    yield (
        f"{started.train_sentences:,} training sentences, {silver}{started.dev_sentences:,} dev sentences; "
        f"{started.actions:,} actions, {started.parameters:,} parameters"
    )
    if started.too_long:
        yield f"left out {started.too_long:,} trees: their action sequences are too long"
    if started.unknown:
        yield f"left out {started.unknown:,} trees: the vocabularies of another model do not have their actions"
    verb = "resuming in" if started.epoch > 1 else "beginning with"
    if started.epoch <= started.epochs:
        yield f"{verb} epoch {started.epoch} of {started.epochs}"


def _epoch_line(done: EpochDone) -> str:
    line = f"epoch {done.epoch:3}  loss {done.loss:.4f}  {done.targets_per_second:,.0f} actions/s"
    if done.is_scored:
        line += f"  dev F1 {format_f1(done.f1)}  discontinuous {format_f1(done.discontinuous_f1)}"
    return line + ("  *" if done.is_best else "")


def format_f1(value: float | None) -> str:
    """An F1; undefined if gold has no such constituents."""
    return "undefined" if value is None else f"{value:.2f}"


def print_lines(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
