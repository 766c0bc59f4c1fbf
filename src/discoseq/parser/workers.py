"""Parsing in several processes: each loads the models, the order is kept, and little is read ahead."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context

from discoseq.decoding.decode import Candidate
from discoseq.errors import ParserError
from discoseq.parser.parser import DEFAULT_BEAM, Parser, Sentence, chunks, limit_threads

_CHUNKS_AHEAD = 2  # for every process: one that it works on, and one so that it need not wait


@dataclass(frozen=True, slots=True)
class Job:
    """What every process needs to know."""

    model: Sequence[str]  # the names that Parser.load takes
    language: str | None = None
    device: str | None = None
    nbest: int = 1
    beam_size: int = DEFAULT_BEAM
    threads: int = 1
    abbreviations: Sequence[str] = ()


def parse_in_processes(job: Job, sentences: Iterable[Sentence], processes: int) -> Generator[list[Candidate]]:
    """The candidates of every sentence, in order; the same as one process finds."""
    if processes < 1:
        raise ParserError(f"the number of processes must be at least 1, not {processes}")
    # spawned: torch's threads do not survive a fork
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _start, (job,))
    waiting: deque[Future[list[list[Candidate]]]] = deque()
    is_complete = False
    try:
        for chunk in chunks(sentences):
            waiting.append(pool.submit(_parse, chunk))
            if len(waiting) > _CHUNKS_AHEAD * processes:
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
    """Don't wait for what no one will read; Python 3.14 has `terminate_workers` for this."""
    for process in list((pool._processes or {}).values()):
        process.terminate()


_JOBS: list[tuple[Parser, Job]] = []  # of a process that was started here; one at most


def _start(job: Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the process ends it
    limit_threads(job.threads)
    _JOBS.append((Parser.load(job.model, job.language, job.device, job.abbreviations), job))


def _parse(sentences: list[Sentence]) -> list[list[Candidate]]:
    parser, job = _JOBS[0]
    return list(parser.nbest_all(sentences, job.nbest, job.beam_size))
