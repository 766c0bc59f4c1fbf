"""`discoseq parse-corpus`: files of any size -> a folder of trees, on a Ray cluster or on this machine."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from discoseq.cli.parse_options import DEFAULT_MODEL, BeamOption, LanguageOption, TokenizedOption
from discoseq.cli.progress import duration, progress_line
from discoseq.corpus.shard_output import TreeFormat
from discoseq.corpus.shards import CorpusFormat

if TYPE_CHECKING:
    from rich.progress import Progress

    from discoseq.integrations.ray import CorpusCounts, CorpusProgress

_SECONDS = 30.0  # between two lines where standard error is no terminal


def parse_corpus(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="Files, folders, globs and URLs. A line is a sentence: text, or JSON with `text` or `words` and "
            "perhaps `id`; so is a row of Parquet. Plain or gzipped.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="The folder of the trees, or its URL.")],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="A model's name or directory; given again: several models as one. Default: en."
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            help="A Ray cluster: HOST:PORT, or auto for the one that this machine is in. Default: this machine alone.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers, each with the models. Default: as many as there are CPUs or GPUs for."),
    ] = None,
    gpus_per_worker: Annotated[
        float, typer.Option(min=0, metavar="F", help="GPUs of a worker; 0.5: two workers share one. 0: the CPU.")
    ] = 0.0,
    threads: Annotated[int, typer.Option(min=1, help="CPUs of a worker; more pay for large models.")] = 1,
    to_format: Annotated[TreeFormat, typer.Option("--to", help="Format of the trees.")] = TreeFormat.DISCBRACKET,
    from_format: Annotated[
        CorpusFormat | None,
        typer.Option("--from", help="Format of the input. Default: by the suffix; text if it says nothing."),
    ] = None,
    tokenized: TokenizedOption = False,
    beam: BeamOption = None,
    language: LanguageOption = None,
    longest: Annotated[
        int, typer.Option(min=1, help="Words that a sentence may have; longer ones are listed in OUT/bad.")
    ] = 500,
    shard_lines: Annotated[
        int, typer.Option(min=1, help="Lines that a worker parses at a time, and the trees of an output file.")
    ] = 2000,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only: no progress, no notes, no summary.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Also print the counts as JSON to standard output.")] = False,
) -> None:
    """Parse a corpus on a Ray cluster or on all cores. Interrupt it at any time; the same command goes on.

    Example: `discoseq parse-corpus 'news/*.jsonl.gz' --out trees --to parquet --model nl --beam 1`
    """
    with _quiet_ray(), _shown(quiet) as show:
        from discoseq.integrations.ray import CorpusOptions, RayCluster
        from discoseq.integrations.ray import parse_corpus as parse_on_cluster

        options = CorpusOptions(
            tuple(models or [DEFAULT_MODEL]), language, beam, tokenized, from_format, to_format, longest, shard_lines
        )
        reported: list[CorpusProgress] = []

        def report(progress: CorpusProgress) -> None:
            reported[:] = [progress]
            show(progress)

        start = time.monotonic()
        try:
            counts = parse_on_cluster(
                inputs, out, options, RayCluster(address, workers, gpus_per_worker, threads), report
            )
        except KeyboardInterrupt:
            if reported:
                done = reported[0]
                print(
                    f"interrupted: {done.finished_shards:,} of {done.shard_count:,} shards are finished; the same "
                    "command goes on",
                    file=sys.stderr,
                )
            raise
    if not quiet:
        parsed = counts.line_count - reported[0].earlier_lines
        print(_summary(counts, out, parsed, time.monotonic() - start), file=sys.stderr)
    if as_json:
        print(json.dumps(asdict(counts), indent=2))


@contextmanager
def _shown(is_quiet: bool) -> Iterator[Callable[[CorpusProgress], None]]:
    """A function that shows how far a run has come: a bar on a terminal, else a line from time to time."""
    if is_quiet:
        yield lambda progress: None
    elif not sys.stderr.isatty():
        yield _Lines().show
    else:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = [BarColumn(bar_width=12), TaskProgressColumn(), TextColumn("{task.description}")]
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield _Bar(bar).show


class _Lines:
    """A line when a run begins, and then one every half minute at most."""

    def __init__(self) -> None:
        self._clock = _Clock()
        self._next = 0.0

    def show(self, progress: CorpusProgress) -> None:
        line = self._clock.line(progress)
        if time.monotonic() >= self._next and progress.finished_shards < progress.shard_count:
            print(line, file=sys.stderr, flush=True)
            self._next = time.monotonic() + _SECONDS


class _Bar:
    """The share of all lines, and in few words what a line says."""

    def __init__(self, bar: Progress) -> None:
        self._clock = _Clock()
        self._bar = bar
        self._task = bar.add_task("counting sentences", total=None)

    def show(self, progress: CorpusProgress) -> None:
        text = self._clock.short_line(progress)
        self._bar.update(self._task, completed=progress.finished_lines, total=progress.line_count, description=text)


class _Clock:
    """The time since the first report, when everything was counted and nothing parsed."""

    def __init__(self) -> None:
        self._start: float | None = None

    def line(self, progress: CorpusProgress) -> str:
        """Shards, sentences, speed, and the time that is left if the rest is like what this run has parsed."""
        if self._start is None:
            return self._first_line(progress)
        earlier, seconds = progress.earlier_lines, time.monotonic() - self._start
        line = progress_line(progress.finished_lines - earlier, progress.line_count - earlier, seconds)
        return f"{progress.finished_shards:,} of {progress.shard_count:,} shards: {line}"

    def short_line(self, progress: CorpusProgress) -> str:
        """The same where a bar says the share."""
        if self._start is None:
            return self._first_line(progress)
        speed = (progress.finished_lines - progress.earlier_lines) / max(time.monotonic() - self._start, 1e-9)
        left = duration((progress.line_count - progress.finished_lines) / max(speed, 1e-9))
        shards = f"{progress.finished_shards:,}/{progress.shard_count:,} shards"
        return f"{shards}, {progress.finished_lines:,} sentences, {speed:,.1f}/s, {left} left"

    def _first_line(self, progress: CorpusProgress) -> str:
        self._start = time.monotonic()
        going_on = f", {progress.finished_shards:,} of them finished" if progress.finished_shards else ""
        return f"{progress.line_count:,} sentences in {progress.shard_count:,} shards{going_on}"


def _summary(counts: CorpusCounts, out: str, parsed_lines: int, seconds: float) -> str:
    """What is in the folder, and what this run has done for it."""
    lines = [f"{out}: {counts.sentence_count:,} trees in {counts.shard_count:,} shards"]
    if parsed_lines:
        lines[0] += f", {parsed_lines / max(seconds, 1e-9):,.1f} sentences a second"
    not_parsed = {"lines that can't be parsed": counts.bad_count, "sentences that are too long": counts.too_long_count}
    listed = ", ".join(f"{count:,} {what}" for what, count in not_parsed.items() if count)
    return "\n".join([*lines, *([f"not parsed: {listed}; {out}/bad says why"] if listed else [])])


@contextmanager
def _quiet_ray() -> Iterator[None]:
    """Ray speaks on both standard streams and by file number 2; none of it is for those who parse a corpus.

    What goes wrong is raised in this process. Our own messages go to a copy of standard error.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray Data may ask once more when our cluster has ended, and Ray would start another one for the answer
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")  # all lines that it would copy from workers
    try:
        number = sys.stderr.fileno()
    except (OSError, ValueError):  # a stream of a test
        yield
        return
    before, copy = sys.stderr, os.dup(number)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    sys.stderr = open(copy, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    os.dup2(nowhere, number)
    try:
        yield
    finally:
        os.dup2(copy, number)
        os.close(nowhere)
        sys.stderr.close()
        sys.stderr = before
