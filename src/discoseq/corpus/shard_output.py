"""The files of a shard: its trees in one of three formats, and the lines that were not parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from discoseq.corpus.lines import BadLine, CorpusSentence
from discoseq.parser.output import Origin, Result, output_suffix, render
from discoseq.treebanks.brackets import write_discbracket
from discoseq.trees.notation import one_line

if TYPE_CHECKING:  # it needs torch, and the driver does without
    from discoseq.decoding.decode import Candidate

BAD_SUFFIX = ".jsonl"
_DIGITS = 6


class TreeFormat(StrEnum):
    """How the trees of a shard are written."""

    DISCBRACKET = "discbracket"
    JSON = "json"
    PARQUET = "parquet"

    @property
    def suffix(self) -> str:
        return ".parquet" if self is TreeFormat.PARQUET else output_suffix(self)


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence and its best tree."""

    sentence: CorpusSentence
    candidate: Candidate


Write: TypeAlias = Callable[[Sequence[ParsedSentence]], None]


def open_trees(path: Path, format: TreeFormat) -> AbstractContextManager[Write]:
    """A function that writes the next trees of a file; the file is complete when the block ends."""
    return _parquet(path) if format is TreeFormat.PARQUET else _text(path, _WRITERS[format])


def write_bad_lines(path: Path, lines: Sequence[BadLine]) -> None:
    """One object a line: where a line is, why it was not parsed, and its beginning."""
    with path.open("a", encoding="utf-8", errors="backslashreplace") as out:  # halves of surrogate pairs
        for bad in lines:
            fields = {"file": bad.file, "line": bad.line, "reason": bad.reason, "text": bad.text}
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")


def _discbracket(parsed: Sequence[ParsedSentence]) -> Iterator[str]:
    """The format has no room for ids, so they are in the comment, at its end because they may have spaces."""
    for item in parsed:
        probability = f"log_probability={round(item.candidate.log_probability, _DIGITS)}"
        yield from write_discbracket([replace(item.candidate.tree, comment=f"{probability} id={item.sentence.id}")])


def _json(parsed: Sequence[ParsedSentence]) -> Iterator[str]:
    results = [
        Result(x.sentence.id, [x.candidate], [x.candidate], Origin(x.sentence.file, x.sentence.line)) for x in parsed
    ]
    return render(results, "json", has_scores=False)


_WRITERS: Mapping[TreeFormat, Callable[[Sequence[ParsedSentence]], Iterator[str]]] = {
    TreeFormat.DISCBRACKET: _discbracket,
    TreeFormat.JSON: _json,
}


@contextmanager
def _text(path: Path, lines_of: Callable[[Sequence[ParsedSentence]], Iterator[str]]) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        yield lambda parsed: out.writelines(lines_of(parsed))


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    import pyarrow
    from pyarrow import parquet

    strings = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema(
        {
            "id": pyarrow.string(),
            "file": pyarrow.string(),
            "line": pyarrow.int64(),
            "words": strings,
            "tags": strings,
            "tree": pyarrow.string(),
            "log_probability": pyarrow.float64(),
        }
    )

    def write(parsed: Sequence[ParsedSentence]) -> None:
        columns = {
            "id": [x.sentence.id for x in parsed],
            "file": [x.sentence.file for x in parsed],
            "line": [x.sentence.line for x in parsed],
            "words": [list(x.sentence.words) for x in parsed],
            "tags": [[token.tag for token in x.candidate.tree.tokens] for x in parsed],
            "tree": [one_line(x.candidate.tree, is_indexed=True) for x in parsed],
            "log_probability": [x.candidate.log_probability for x in parsed],
        }
        writer.write_table(pyarrow.table(columns, schema))

    with path.open("wb") as out, parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        yield write
