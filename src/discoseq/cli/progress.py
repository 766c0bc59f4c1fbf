"""How far `discoseq parse` has come, on standard error: a bar on a terminal, else a line every half minute."""

import sys
import threading
import time
from collections.abc import Generator, Iterable
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_SECONDS = 30.0  # between two lines

Item = TypeVar("Item")


class Countable(Protocol):
    """What is being read: how many sentences so far, and the share of all bytes, if it is known."""

    @property
    def count(self) -> int: ...

    @property
    def share(self) -> float | None: ...


def expected_total(source: Countable) -> int | None:
    """How many sentences there will be, if the rest is like what has been read; exact when all has been read."""
    return round(source.count / source.share) if source.share else None


def with_bar(results: Iterable[Item], source: Countable) -> Generator[Item]:
    """The results, with a bar that shows their share and the time left."""
    speed = TextColumn("{task.fields[speed]:,.1f} sentences/s")
    columns = [TextColumn("parsing"), BarColumn(), TaskProgressColumn(), MofNCompleteColumn(), speed]
    times = [TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn()]
    with Progress(*columns, *times, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("parsing", total=None, speed=0.0)
        start = time.monotonic()
        for done, result in enumerate(results, 1):
            yield result
            rate = done / max(time.monotonic() - start, 1e-9)
            progress.update(task, completed=done, total=expected_total(source), speed=rate)


def with_lines(results: Iterable[Item], source: Countable, seconds: float = _SECONDS) -> Generator[Item]:
    """The results, with a line on standard error from time to time, also while a chunk of them is being parsed.

    There are none on a terminal, where someone looks at the trees, and none while a stream is idle.
    """
    is_finished = threading.Event()
    start = time.monotonic()
    state: tuple[int, int | None] = (0, None)
    has_total = source.share is not None  # asked here, because the file may be closed while the thread asks

    def print_lines() -> None:
        printed = 0
        while not is_finished.wait(seconds):
            if has_total or state[0] > printed:
                print(progress_line(*state, time.monotonic() - start), file=sys.stderr, flush=True)
            printed = state[0]

    thread = threading.Thread(target=print_lines, daemon=True)
    if not sys.stderr.isatty():
        thread.start()
    try:
        for done, result in enumerate(results, 1):
            yield result
            state = done, expected_total(source)
    finally:
        is_finished.set()


def progress_line(done: int, total: int | None, seconds: float) -> str:
    """What has been done, how fast, and how long the rest will take, as far as it is known."""
    rate = done / max(seconds, 1e-9)
    if total is None or not done:
        return f"parsed {done:,} sentences, {rate:,.1f} a second"
    left = duration(max(0, total - done) / rate)
    return f"parsed {done:,} of about {total:,} sentences ({done / total:.0%}), {rate:,.1f} a second, {left} left"


def duration(seconds: float) -> str:
    """About how long something takes, in the unit that people would use."""
    for size, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"about {seconds / size:,.0f} {name}"
    return f"about {seconds:.0f} seconds"
