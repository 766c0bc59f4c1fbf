"""What a labelling has done so far, in a file beside its output: after an interruption it goes on from there.

The first line says what the labelling was started with. Every other line has the trees of one part, and the counts of
all parts up to it; a line that is not complete is as if it were not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from discoseq.errors import TreebankError
from discoseq.parser.labelling import LabelCounts, LabelledPart
from discoseq.storage import Record, atomic_file, differences
from discoseq.treebanks.files import format_trees, parse_trees
from discoseq.trees.tree import Tree

_SUFFIX = ".partial"
_FORMAT = "discbracket"  # it has no room for ids, which are listed beside it


@dataclass(slots=True)
class Journal:
    """The file, which grows by a line a part."""

    path: Path
    record: Record
    counts: LabelCounts

    @classmethod
    def open(cls, output: str, record: Record) -> Journal:
        """Begin a journal, or go on with one that was begun with the same record; another one is refused."""
        path = Path(f"{output}{_SUFFIX}")
        return cls(path, record, _read(path, record)) if path.exists() else cls(path, record, LabelCounts())

    def add(self, part: LabelledPart) -> None:
        """Write the trees of a part; they are there if the process is killed in the next moment."""
        self.counts += part.counts
        ids, trees = [tree.id for tree in part.trees], format_trees(part.trees, _FORMAT)
        row = {"counts": asdict(self.counts), "ids": ids, "trees": trees}
        if not self.path.exists():
            with atomic_file(self.path) as partial:
                partial.write_text(json.dumps({"started_with": self.record}) + "\n", encoding="utf-8")
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    def trees(self) -> Iterator[Tree]:
        """All trees so far."""
        if not self.path.exists():
            return
        with self.path.open(encoding="utf-8") as lines:
            next(lines)
            for line in lines:
                row = json.loads(line)
                for name, tree in zip(row["ids"], parse_trees(row["trees"], _FORMAT), strict=True):
                    yield replace(tree, id=name)

    def delete(self) -> None:
        """When the output is complete."""
        self.path.unlink(missing_ok=True)


def _read(path: Path, record: Record) -> LabelCounts:
    """The counts of the last complete line; what follows it is cut off."""
    counts, end = LabelCounts(), 0
    try:
        with path.open("rb") as lines:
            _check(path, json.loads(lines.readline())["started_with"], record)
            end = lines.tell()
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                counts = _counts(json.loads(line)["counts"])
                end += len(line)
        with path.open("rb+") as file:
            file.truncate(end)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TreebankError(
            f"this file of an earlier labelling can't be read ({error}); delete it", str(path)
        ) from None
    return counts


def _counts(table: Mapping[str, Any]) -> LabelCounts:
    values: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in table.items()}
    return LabelCounts(**values)


def _check(path: Path, before: Record, now: Record) -> None:
    if found := differences(before, now):
        raise TreebankError(
            f"this labelling was begun by a command that differs in {found}; repeat that command to go on with "
            "it, or delete this file",
            str(path),
        )
