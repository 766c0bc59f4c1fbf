"""One thread parses for all requests: what waits at the same time is parsed together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any, TypeAlias, TypeVar

from discoseq.decoding.decode import Candidate
from discoseq.parser.parser import DEFAULT_BEAM, Parser

WINDOW = 0.004  # seconds that an idle server waits for more
BATCH_WORDS = 1000  # parsed at once with the usual beam, fewer with a wider one; other requests wait for so long

OnBatch: TypeAlias = Callable[[str, int], None]
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Search:
    """How sentences are parsed; those of equal settings can be parsed together."""

    model: str
    beam: int
    nbest: int  # candidates that are kept where they are found
    required: int  # candidates that are searched for in any case


@dataclass(slots=True, eq=False)
class _Job:
    """The sentences of one request."""

    search: Search
    sentences: Sequence[Sequence[str]]
    future: Future[list[list[Candidate]]] = field(default_factory=Future)
    taken: int = 0
    found: dict[int, list[Candidate]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Call:
    """Something else that needs a parser."""

    function: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)


_Pick: TypeAlias = tuple[_Job, int]  # one of the sentences of a job


class Batcher:
    """Holds the parsers; no other thread may use them, because a network has one mode and one cache at a time.

    A request is cancelled by cancelling its future: what has not been parsed by then never is. A batch takes sentences
    of equal settings in turns from all requests that wait, so that a large request does not hold up a small one.
    """

    def __init__(self, parsers: Mapping[str, Parser], on_batch: OnBatch, batch_words: int = BATCH_WORDS) -> None:
        self.parsers = parsers
        self._on_batch = on_batch
        self._batch_words = batch_words
        self._waiting: deque[_Job | _Call] = deque()
        self._changed = Condition()
        self._is_ending = False
        self._thread = Thread(target=self._work, name="parsing", daemon=True)
        self._thread.start()

    @property
    def queue_length(self) -> int:
        """The number of sentences that wait."""
        with self._changed:
            return sum(len(x.sentences) - x.taken for x in self._waiting if isinstance(x, _Job) and _is_wanted(x))

    def parse(self, search: Search, sentences: Sequence[Sequence[str]]) -> Future[list[list[Candidate]]]:
        """The candidates of every sentence."""
        job = _Job(search, sentences)
        self._add(job)
        return job.future

    def call(self, function: Callable[[], Outcome]) -> Future[Outcome]:
        """What the function returns, which may use the parsers."""
        call = _Call(function)
        self._add(call)
        return call.future

    def stop(self) -> None:
        """Finish what waits, accept nothing more."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        self._thread.join()

    def _add(self, item: _Job | _Call) -> None:
        with self._changed:
            assert not self._is_ending  # the server stops when all requests are answered
            self._waiting.append(item)
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                was_idle = not self._waiting
                self._changed.wait_for(lambda: self._waiting or self._is_ending)
            if was_idle and not self._is_ending:
                time.sleep(WINDOW)
            with self._changed:
                item = self._next()
                picks = self._picks(item) if isinstance(item, _Job) else []
                if item is None and self._is_ending:
                    return
            if picks:
                self._parse(picks)
            elif isinstance(item, _Call):
                _run(item)

    def _next(self) -> _Job | _Call | None:
        """The first that is still wanted; a call is taken out, a job when all its sentences are."""
        self._waiting = deque(item for item in self._waiting if _is_wanted(item))
        if not self._waiting:
            return None
        first = self._waiting[0]
        if isinstance(first, _Call):
            self._waiting.popleft()
        return first

    def _picks(self, first: _Job) -> list[_Pick]:
        """A sentence of each job that can be parsed together with the first, and again, until the batch is full."""
        jobs = deque(x for x in self._waiting if isinstance(x, _Job) and x.search == first.search)
        picks: list[_Pick] = []
        words = 0
        most_words = self._batch_words * DEFAULT_BEAM // max(DEFAULT_BEAM, first.search.beam, first.search.nbest)
        while jobs:
            job = jobs[0]
            words += len(job.sentences[job.taken])
            if picks and words > most_words:
                break
            picks.append((job, job.taken))
            job.taken += 1
            jobs.popleft()
            if job.taken < len(job.sentences):
                jobs.append(job)
        picked = dict.fromkeys(job for job, _ in picks)
        others = (item for item in self._waiting if item not in picked)
        unfinished = (job for job in picked if job.taken < len(job.sentences))
        self._waiting = deque([*others, *unfinished])  # the others have their turn first
        return picks

    def _parse(self, picks: Sequence[_Pick]) -> None:
        search = picks[0][0].search
        sentences = [job.sentences[number] for job, number in picks]
        try:
            found = list(
                self.parsers[search.model].nbest_all(sentences, search.nbest, search.beam, required=search.required)
            )
        except Exception as error:
            jobs = {id(job): job for job, _ in picks}
            if len(jobs) == 1:
                _fail(picks[0][0].future, error)
            else:  # only one of them is to blame
                for job in jobs.values():
                    self._parse([pick for pick in picks if pick[0] is job])
            return
        self._on_batch(search.model, len(picks))
        for (job, number), candidates in zip(picks, found, strict=True):
            job.found[number] = candidates
            if len(job.found) == len(job.sentences) and job.future.set_running_or_notify_cancel():
                job.future.set_result([job.found[i] for i in range(len(job.sentences))])


def _is_wanted(item: _Job | _Call) -> bool:
    return not item.future.done()  # it is cancelled, or one of its sentences has failed


def _run(call: _Call) -> None:
    if not call.future.set_running_or_notify_cancel():
        return
    try:
        call.future.set_result(call.function())
    except Exception as error:
        call.future.set_exception(error)


def _fail(future: Future[Any], error: Exception) -> None:
    if not future.done() and future.set_running_or_notify_cancel():
        future.set_exception(error)
