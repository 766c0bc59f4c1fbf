import tracemalloc
from collections.abc import Iterator

import pytest

from discoseq.parser import parser as parser_module
from discoseq.parser.parser import Parser
from model.small import PLAIN, small_model


def sentences(count: int) -> Iterator[list[str]]:
    for number in range(count):
        yield [f"word{number}", "slept"]


def test_memory_does_not_grow_with_the_number_of_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_module, "LARGEST_CHUNK", 128)
    parser = Parser(small_model(PLAIN))
    trees = parser.parse_all(sentences(1500), beam_size=1)
    kept = []
    tracemalloc.start()
    for number, _ in enumerate(trees, 1):
        if number in (500, 1500):
            kept.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert kept[1] < kept[0] + 300_000
