"""Sentences of many requests are parsed together, in turns, and no further than they are wanted."""

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, wait

import pytest

from discoseq.errors import DiscoseqError
from discoseq.web.batcher import Batcher, Search
from web.serving import small_parser

SEARCH = Search("small", 1, 1, 1)
BATCH_WORDS = 12


class Started:
    """A batcher, the sizes of its batches, and a way to hold it up."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.batcher = Batcher({"small": small_parser()}, lambda _, size: self.batches.append(size), BATCH_WORDS)
        self._may_go_on = threading.Event()
        self.batcher.call(self._may_go_on.wait)

    def release(self) -> None:
        self._may_go_on.set()


@pytest.fixture
def started() -> Iterator[Started]:
    """What is asked for waits until `release`, so that it waits together."""
    one = Started()
    yield one
    one.release()
    one.batcher.stop()


def test_what_waits_together_is_parsed_together_and_answers_are_not_swapped(started: Started) -> None:
    futures = [started.batcher.parse(SEARCH, [[f"w{i}", "x"]]) for i in range(6)]
    assert started.batcher.queue_length == 6
    started.release()
    assert [future.result()[0][0].tree.words[0] for future in futures] == [f"w{i}" for i in range(6)]
    assert started.batches == [6]
    assert started.batcher.queue_length == 0


def test_other_settings_are_parsed_apart(started: Started) -> None:
    wider = Search("small", 3, 2, 2)
    first, second = started.batcher.parse(SEARCH, [["a"]]), started.batcher.parse(wider, [["a"]])
    third = started.batcher.parse(SEARCH, [["b"]])
    started.release()
    assert [len(future.result()[0]) for future in (first, second, third)] == [1, 2, 1]
    assert started.batches == [2, 1]


def test_a_large_request_does_not_hold_up_a_small_one(started: Started) -> None:
    large = started.batcher.parse(SEARCH, [["a", "b", "c"]] * 40)
    small = started.batcher.parse(SEARCH, [["d"]])
    other = started.batcher.parse(Search("small", 2, 1, 1), [["e"]])
    order: list[object] = []
    for future in (large, small, other):
        future.add_done_callback(order.append)
    started.release()
    wait([large, small, other])
    assert order == [small, other, large]
    assert [found[0].tree.words for found in large.result()] == [("a", "b", "c")] * 40


def test_a_sentence_longer_than_a_batch_is_a_batch(started: Started) -> None:
    future = started.batcher.parse(SEARCH, [["a"] * (BATCH_WORDS + 1), ["b"]])
    started.release()
    assert [len(found[0].tree.words) for found in future.result()] == [BATCH_WORDS + 1, 1]


def test_the_wider_the_beam_the_smaller_the_batch(started: Started) -> None:
    future = started.batcher.parse(Search("small", 40, 1, 1), [["a"]] * 7)
    started.release()
    assert len(future.result()) == 7
    assert started.batches == [3, 3, 1]


def test_what_is_cancelled_is_not_parsed(started: Started) -> None:
    dropped = started.batcher.parse(SEARCH, [["a"]] * 50)
    kept = started.batcher.parse(SEARCH, [["b"]])
    assert dropped.cancel()
    assert started.batcher.queue_length == 1
    started.release()
    assert kept.result()[0][0].tree.words == ("b",)
    assert started.batches == [1]
    with pytest.raises(CancelledError):
        dropped.result()


def test_an_error_is_that_of_one_request_alone(started: Started) -> None:
    good = [started.batcher.parse(SEARCH, [[word]]) for word in "ab"]
    bad = started.batcher.parse(SEARCH, [["c"], [""]])
    started.release()
    assert [future.result()[0][0].tree.words for future in good] == [("a",), ("b",)]
    with pytest.raises(DiscoseqError, match="empty word"):
        bad.result()


def test_at_its_end_it_finishes_what_waits() -> None:
    started = Started()
    parsed = started.batcher.parse(SEARCH, [["a", "b"]] * 20)
    called = started.batcher.call(lambda: "called")
    started.release()
    started.batcher.stop()
    assert parsed.done()
    assert called.done()
    assert (len(parsed.result()), called.result()) == (20, "called")


def test_calls_are_made_in_the_thread_that_parses(started: Started) -> None:
    names = [started.batcher.call(lambda: threading.current_thread().name) for _ in range(2)]
    failing = started.batcher.call(lambda: 1 // 0)
    started.release()
    assert {future.result() for future in names} == {"parsing"}
    with pytest.raises(ZeroDivisionError):
        failing.result()
