"""Resident memory while a great many sentences are parsed, with a small network that was never trained, or a model.

    python benchmarks/memory.py [SENTENCES]
    python benchmarks/memory.py 100000 nl prepared/alpino/dev.discbracket     # its sentences, again and again

It should stay where it is after the first few thousand.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

import torch

from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearizations.linearization import linearization
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings
from discoseq.parser.parser import Parser, limit_resources
from discoseq.treebanks.files import read_trees

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "twenty.discbracket"
LINEARIZATION = "in-order+swap"
SENTENCES = 100_000
LINES = 10


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SENTENCES
    limit_resources(1)
    given: Iterator[Sequence[str]] = short_sentences(count)
    if len(sys.argv) > 2:
        parser = Parser.load(sys.argv[2])
        given = islice(cycle([tree.words for tree in read_trees(sys.argv[3])]), count)
    else:
        parser = Parser(small_model())
    print(f"        0 sentences {resident() / 2**20:8.1f} MiB")
    start = time.process_time()
    for number, _ in enumerate(parser.parse_all(given, beam_size=1), 1):
        if number % max(1, count // LINES) == 0:
            gc.collect()
            seconds = time.process_time() - start
            print(
                f"{number:9,} sentences {resident() / 2**20:8.1f} MiB {number / seconds:8,.0f} sentences/CPU s",
                flush=True,
            )


def small_model() -> Model:
    torch.manual_seed(1)
    settings = ModelSettings(
        width=16,
        heads=4,
        hidden=16,
        encoder_layers=1,
        decoder_layers=1,
        word_width=8,
        character_filters=0,
        min_word_count=1,
        positions=True,
    )
    vocabularies = Vocabularies.of(list(read_trees(EXAMPLES)), linearization(LINEARIZATION), settings.min_word_count)
    return Model.create(settings, vocabularies, LINEARIZATION, unary_limit=1)


def short_sentences(count: int) -> Iterator[list[str]]:
    """All different."""
    for number in range(count):
        yield [f"word{number}", "slept", "."][: 2 + number % 2]


def resident() -> int:
    """Bytes of memory in use, as Linux counts them."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
