"""`discoseq train`: fit a model to a treebank."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:  # torch is imported only when training begins
    from discoseq.training.events import Embedding, EpochDone, Event, Started


def train(
    config: Annotated[Path, typer.Argument(help="A TOML file; configs/ has examples.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the model, checkpoints and metrics.")],
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

    Example: `discoseq train configs/tiny.toml --out runs/tiny --set training.epochs=20`
    """
    from discoseq.training.config import read_config
    from discoseq.training.events import Finished
    from discoseq.training.run import start_run, summarize_scores

    settings = read_config(config, assignments or [])
    if seed is not None:
        settings = replace(settings, training=replace(settings.training, seed=seed))
    try:
        for event in _shown(start_run(settings, out, resume)):
            if isinstance(event, Finished):
                print(f"{out / 'model'}: {summarize_scores(event.scores)} on dev with beam {event.beam}")
    except KeyboardInterrupt:
        _print("interrupted: resume from the last checkpoint with --resume")
        raise


def _shown(events: Iterator[Event]) -> Iterator[Event]:
    """The events as they come: a bar where someone is looking, a line an epoch in any case."""
    from discoseq.training.events import Embedding, EpochDone, Started, StepDone

    console = Console(stderr=True, highlight=False)
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=1.0)
        start, targets = time.monotonic(), 0
        for event in events:
            if isinstance(event, Embedding):
                if not event.done:
                    _print(_announcement(event))
                progress.update(task, completed=event.done / event.words, description="vectors")
            elif isinstance(event, Started):
                start = time.monotonic()
                _print(*_describe(event))
            elif isinstance(event, StepDone):
                targets += event.targets
                rate = targets / (time.monotonic() - start)
                text = f"epoch {event.epoch} loss {event.loss:.3f} {rate:,.0f} actions/s"
                progress.update(task, completed=event.progress, description=text)
            elif isinstance(event, EpochDone):
                _print(_epoch_line(event))
            yield event


def _announcement(embedding: Embedding) -> str:
    size = f"{embedding.size / 2**20:,.1f} MiB"
    return f"computing the vectors of {embedding.words:,} words, once for all runs: {size} in {embedding.path}"


def _describe(started: Started) -> Iterator[str]:
    yield from started.notes
    yield (
        f"{started.train_sentences:,} training sentences, {started.dev_sentences:,} dev sentences; "
        f"{started.actions:,} actions, {started.parameters:,} parameters"
    )
    if started.too_long:
        yield f"left out {started.too_long:,} trees: their action sequences are too long"
    if started.unknown:
        yield f"left out {started.unknown:,} trees: the model of training.initialise_from does not have their actions"
    if started.epoch > 1:
        yield f"resuming in epoch {started.epoch}"


def _epoch_line(done: EpochDone) -> str:
    line = f"epoch {done.epoch:3}  loss {done.loss:.4f}  {done.targets_per_second:,.0f} actions/s"
    if done.f1 is not None:
        line += f"  dev F1 {done.f1:.2f}  discontinuous {done.discontinuous_f1 or 0.0:.2f}"
    return line + ("  *" if done.is_best else "")


def _print(*lines: str) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
