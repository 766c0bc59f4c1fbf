import tracemalloc
from pathlib import Path

import pytest

from discoseq.treebanks.files import FORMATS, read_trees, write_trees
from discoseq.trees.tree import Constituent, Token, Tree

TREE = Tree(Constituent("ROOT", (Constituent("NP", (0, 1)), 2)), tuple(Token(f"word{i}", "NN") for i in range(3)))


def peak_of_copying(source: Path, target: Path, format: str) -> int:
    tracemalloc.start()
    write_trees(read_trees(source), target, format)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("format", FORMATS)
def test_memory_does_not_grow_with_the_file(tmp_path: Path, format: str) -> None:
    peaks = []
    for count in (300, 300, 3000):  # the first run warms the caches
        source = tmp_path / f"{count}{FORMATS[format].suffixes[0]}"
        write_trees((TREE for _ in range(count)), source, format)
        peaks.append(peak_of_copying(source, tmp_path / "copy", format))
    assert peaks[2] < peaks[1] + 200_000
