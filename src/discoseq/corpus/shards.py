"""How a corpus is cut into shards: by its lines alone, so that the number of workers makes no difference.

A line is a sentence, and so is a row of a Parquet file. A file is cut into pieces of at most so many lines, and
neighbouring pieces form a shard as long as they fit into it.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from discoseq.corpus.remote_files import CorpusFile, open_content
from discoseq.errors import TreebankError, first_line
from discoseq.treebanks.streams import Buffered

_BLOCK = 1 << 20  # bytes that are looked at together
_LINE_BREAK = ord("\n")
_THREADS = 8  # files that are counted side by side; hashing and unpacking let go of Python's lock
_UTF_16_AND_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")


class CorpusFormat(StrEnum):
    """How the sentences of a file are written."""

    TEXT = "text"
    JSON = "json"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a file that follow each other."""

    file: str
    url: str
    format: str
    first_line: int  # counted from 1
    line_count: int
    start: int  # of the first line, in bytes of the content; 0 in Parquet


@dataclass(frozen=True, slots=True)
class Shard:
    """What a worker parses at a time; its trees are one file."""

    number: int
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        return f"part-{self.number:06}"

    @property
    def line_count(self) -> int:
        return sum(piece.line_count for piece in self.pieces)

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Shard:
        """What `dataclasses.asdict` made of it."""
        return cls(table["number"], tuple(Piece(**piece) for piece in table["pieces"]))


@dataclass(frozen=True, slots=True)
class CountedFile:
    """A file whose lines were counted, and where in its content every piece begins."""

    file: CorpusFile
    format: CorpusFormat
    line_count: int
    byte_count: int  # of the content, unpacked
    checksum: str  # of the content, unpacked
    starts: tuple[int, ...] = field(repr=False)


def count_files(files: Sequence[CorpusFile], format: CorpusFormat | None, longest_piece: int) -> list[CountedFile]:
    """Read all files once, side by side; the format is that of the suffix unless one is given."""
    with ThreadPoolExecutor(_THREADS) as pool:
        found = [pool.submit(_count, file, format or _format_of(file.name), longest_piece) for file in files]
        return [future.result() for future in found]


def make_shards(files: Iterable[CountedFile], longest: int) -> list[Shard]:
    """Shards of at most so many lines, as few as neighbours allow."""
    shards: list[Shard] = []
    waiting: list[Piece] = []
    line_count = 0
    for piece in (piece for file in files for piece in _pieces(file, longest)):
        if waiting and line_count + piece.line_count > longest:
            shards.append(Shard(len(shards), tuple(waiting)))
            waiting, line_count = [], 0
        waiting.append(piece)
        line_count += piece.line_count
    return [*shards, Shard(len(shards), tuple(waiting))] if waiting else shards


def _format_of(name: str) -> CorpusFormat:
    plain = name.removesuffix(".gz")
    if plain.endswith(".parquet"):
        return CorpusFormat.PARQUET
    return CorpusFormat.JSON if plain.endswith(_JSON_SUFFIXES) else CorpusFormat.TEXT


def _pieces(file: CountedFile, longest: int) -> Iterable[Piece]:
    for number, start in enumerate(file.starts):
        done = number * longest
        yield Piece(file.file.name, file.file.url, file.format, done + 1, min(longest, file.line_count - done), start)


def _count(file: CorpusFile, format: CorpusFormat, longest: int) -> CountedFile:
    digest = hashlib.sha256()
    with open_content(file.url) as stream:
        if format is CorpusFormat.PARQUET:
            line_count = _row_count(stream)
            starts = [0] * -(-line_count // longest)
            stream.seek(0)
            while block := stream.read(_BLOCK):
                digest.update(block)
        else:
            line_count, starts = _count_lines(stream, digest, longest)
        byte_count = stream.tell()
    return CountedFile(file, format, line_count, byte_count, digest.hexdigest(), tuple(starts))


def _count_lines(stream: Buffered, digest: Any, longest: int) -> tuple[int, list[int]]:
    """How many lines there are, and where each of those begins that is the first of a piece."""
    line_count, position, starts = 0, 0, []
    ends_in_break = True
    while block := stream.read(_BLOCK):
        if not position and block.startswith(_UTF_16_AND_32):
            raise TreebankError("this text is not UTF-8 but UTF-16 or UTF-32; convert it first")
        digest.update(block)
        if not position:
            starts.append(0)
        breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == _LINE_BREAK)
        while line_count + len(breaks) >= (end := longest * len(starts)):  # a piece ends in this block
            starts.append(position + int(breaks[end - line_count - 1]) + 1)
        line_count += len(breaks)
        position += len(block)
        ends_in_break = block.endswith(b"\n")
    line_count += not ends_in_break
    return line_count, starts[: -(-line_count // longest)]  # not that of a piece after the last line


def _row_count(stream: Buffered) -> int:
    from pyarrow import ArrowException, parquet

    try:
        file = parquet.ParquetFile(stream)
    except ArrowException as error:
        raise TreebankError(f"this is no Parquet file ({first_line(error)})") from None
    if not {"text", "words"} & set(file.schema_arrow.names):
        raise TreebankError("this Parquet file has neither a column text nor a column words")
    return int(file.metadata.num_rows)
