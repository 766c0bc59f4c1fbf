"""Parsing in several processes: each has the models, the order is kept, and little is read ahead."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process

from discoseq.decoding.decode import Candidate
from discoseq.errors import ParserError
from discoseq.parser.parser import DEFAULT_BEAM, Parser, Sentence, limit_resources
from discoseq.search.beam import Score

_CHUNKS_AHEAD = 2  # for every process: one that it works on, and one so that it need not wait


@dataclass(frozen=True, slots=True)
class Job:
    """What every process needs to know."""

    model: Sequence[str]  # the names that Parser.load takes
    language: str | None = None
    device: str | None = None
    nbest: int = 1
    required: int = 1  # of the n best
    beam_size: int = DEFAULT_BEAM
    threads: int = 1
    abbreviations: Sequence[str] = ()
    score: Score | None = None  # None: that of the model


def parse_in_processes(
    job: Job, chunks: Iterable[Sequence[Sentence]], processes: int, parser: Parser | None = None
) -> Generator[list[Candidate]]:
    """The candidates of every sentence, in order; the same as one process finds.

    A process parses a chunk. An empty chunk says that more has to be waited for, so all results are delivered first.
    The processes are started at once. If this one has loaded the parser of the job and has no other threads, they are
    forked from it and need not load anything.
    """
    if processes < 1:
        raise ParserError(f"the number of processes must be at least 1, not {processes}")
    is_forked = parser is not None and job.device is None and job.threads == 1 and _can_fork()
    inherited = parser if is_forked else None
    context = get_context("fork" if is_forked else "spawn")
    pool = ProcessPoolExecutor(processes, context, _start, (job, inherited))
    with _signals_held_back():  # the processes that are started here inherit this
        pool.submit(os.getpid)
    return _results(pool, chunks, processes)


def _can_fork() -> bool:
    """Threads do not survive a fork, and the locks that they hold are never released."""
    return sys.platform == "linux" and threading.active_count() == 1


def _results(
    pool: ProcessPoolExecutor, chunks: Iterable[Sequence[Sentence]], processes: int
) -> Generator[list[Candidate]]:
    waiting: deque[Future[list[list[Candidate]]]] = deque()
    is_complete = False
    try:
        for chunk in chunks:
            if chunk:
                with _signals_held_back():  # a process may be started here too
                    waiting.append(pool.submit(_parse, chunk))
            while len(waiting) > (_CHUNKS_AHEAD * processes if chunk else 0):
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
        is_complete = True
    except BrokenProcessPool:
        raise ParserError("a parsing process was killed; it may have run out of memory") from None
    finally:
        if not is_complete:
            _end(pool)
        pool.shutdown(cancel_futures=True)


def _end(pool: ProcessPoolExecutor) -> None:
    """Don't wait for what no one will read; Python 3.14 has `kill_workers` for this."""
    for process in list((pool._processes or {}).values()):
        process.kill()


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Interruptions come when the block has ended, on systems that can do this."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_JOBS: list[tuple[Parser, Job]] = []  # of a process that was started here; one at most


def _start(job: Job, inherited: Parser | None) -> None:
    # a terminal sends interruptions to all processes; the parent, which receives them too, ends this one
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    limit_resources(job.threads)
    parser = inherited or Parser.load(job.model, job.language, job.device, job.abbreviations, job.score)
    _JOBS.append((parser, job))


def _die_with_the_parent() -> None:
    """The parent may be killed, and then it can't end this process."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _parse(sentences: Sequence[Sentence]) -> list[list[Candidate]]:
    parser, job = _JOBS[0]
    return list(parser.nbest_all(sentences, job.nbest, job.beam_size, required=job.required))
