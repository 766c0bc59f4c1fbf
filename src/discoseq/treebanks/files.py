"""Reading and writing treebank files of any format: the functions that everyone calls."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.formats import format_named, format_of_path, guess_format
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output, open_source
from discoseq.trees.tree import Tree

__all__ = ["atomic_output", "read_trees", "write_trees"]

OnBad = Callable[[TreebankError], None]


def read_trees(
    path: str | Path, format: str | None = None, encoding: str | None = None, on_bad: OnBad | None = None
) -> Iterator[Tree]:
    """The trees of a file (`-`: standard input) or of all files in a folder, one at a time.

    A sentence that can't be read raises a TreebankError, or is left out and its error given to `on_bad`.
    """
    if str(path) != STANDARD_STREAM and Path(path).is_dir():
        for file in _files_in(Path(path)):
            yield from read_trees(file, format, encoding, on_bad)
        return
    with open_source(path) as source:
        reader = format_named(format) if format else guess_format(source)
        found = False
        for reading in reader.read(source, encoding):
            found = True
            if isinstance(reading, Tree):
                yield reading if reading.id else replace(reading, id=Path(source.name).stem)
            elif on_bad is None:
                raise reading
            else:
                on_bad(TreebankError(reading.reason, source.name, reading.line))
        if not found:
            raise TreebankError(f"there are no sentences in this file (read as {reader.name})")


def write_trees(trees: Iterable[Tree], path: str | Path, format: str | None = None) -> int:
    """Write a file (`-`: standard output) that appears only when it is complete; the number of trees in it."""
    writer = format_named(format) if format else format_of_path(path)
    if writer is None:
        raise TreebankError("can't tell the format from this name; say it with --to", str(path))
    count = 0

    def counted() -> Iterator[Tree]:
        nonlocal count
        for tree in trees:
            count += 1
            yield tree

    with atomic_output(path) as out:
        for text in writer.write(counted()):
            out.write(text)
    return count


def _files_in(folder: Path) -> list[Path]:
    """The treebank files of a folder and those below it, numbers in names counted as numbers."""
    files = [file for file in folder.rglob("*") if file.is_file() and format_of_path(file) is not None]
    if not files:
        raise TreebankError("there are no treebank files in this folder", str(folder))
    return sorted(files, key=lambda file: [_natural(part) for part in file.relative_to(folder).parts])


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
