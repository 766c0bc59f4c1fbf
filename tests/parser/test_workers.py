"""Several processes, with a real model in each."""

import multiprocessing

import pytest

from discoseq.errors import ParserError
from discoseq.parser.parser import chunks
from discoseq.parser.workers import Job, parse_in_processes
from parser.trained import example_trees, trained_directory


@pytest.mark.slow
def test_the_order_is_kept_and_a_process_that_dies_is_one_sentence() -> None:
    job = Job([str(trained_directory())], beam_size=2)
    sentences = [tree.words for tree in example_trees()] * 2
    found = parse_in_processes(job, chunks((sentences[i % 40] for i in range(100_000)), 40), 2)
    first = [next(found)[0].tree for _ in range(40)]
    assert first == example_trees() * 2
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(ParserError, match="a parsing process was killed"):
        for _ in found:
            pass
    assert multiprocessing.active_children() == []


def test_no_process_is_an_error() -> None:
    with pytest.raises(ParserError, match="must be at least 1, not 0"):
        next(parse_in_processes(Job(["none"]), [], 0))
