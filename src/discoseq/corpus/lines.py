"""The sentences of a shard: lines of text, of JSON objects, or rows of Parquet; what can't be parsed has a reason."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from discoseq.corpus.remote_files import open_content
from discoseq.corpus.shards import CorpusFormat, Piece, Shard
from discoseq.errors import TreebankError
from discoseq.text.tokenization import Language, tokenize
from discoseq.treebanks.streams import Buffered

LONGEST_LINE = 1 << 20  # bytes; a longer line is passed over and never in memory as a whole
_EXCERPT = 200  # characters of a bad line that are shown
_BLANKS = re.compile(r"[ \t\r\n]+")  # as in `discoseq parse --tokenized`: a no-break space is part of a word
_ROWS = 1024  # of a Parquet file that are read together
_COLUMNS = ("id", "text", "words")
_SHORTER = "the file has become shorter since its lines were counted"


@dataclass(frozen=True, slots=True)
class CorpusSentence:
    """Words to parse, and where they are from."""

    id: str
    file: str
    line: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not parsed."""

    file: str
    line: int
    reason: str
    text: str  # its beginning
    is_too_long: bool = False  # a sentence as any other, but longer than allowed


@dataclass(frozen=True, slots=True)
class LineReader:
    """How lines become sentences."""

    language: Language
    is_tokenized: bool
    longest: int  # words of a sentence

    def read(self, shard: Shard) -> Iterator[CorpusSentence | BadLine]:
        """Every line of a shard, in order, as a sentence or as a bad line."""
        for piece in shard.pieces:
            with open_content(piece.url) as stream:
                if piece.format == CorpusFormat.PARQUET:
                    yield from self._of_rows(stream, piece)
                else:
                    yield from self._of_lines(stream, piece)

    def _of_lines(self, stream: Buffered, piece: Piece) -> Iterator[CorpusSentence | BadLine]:
        stream.seek(piece.start)
        for number in range(piece.first_line, piece.first_line + piece.line_count):
            line = _read_line(stream)
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            shown = line[: 4 * _EXCERPT].decode("utf-8", "replace")
            try:
                yield self._sentence(_entry(line, piece.format), piece, number)
            except _BadLineError as error:
                yield BadLine(piece.file, number, error.reason, _excerpt(shown), error.is_too_long)

    def _of_rows(self, stream: Buffered, piece: Piece) -> Iterator[CorpusSentence | BadLine]:
        for number, entry in _read_rows(stream, piece):
            try:
                yield self._sentence(entry, piece, number)
            except _BadLineError as error:
                shown = " ".join(map(str, entry.get("words") or [entry.get("text")]))
                yield BadLine(piece.file, number, error.reason, _excerpt(shown), error.is_too_long)

    def _sentence(self, entry: Mapping[str, object], piece: Piece, number: int) -> CorpusSentence:
        words = self._words(entry)
        if not words:
            raise _BadLineError("the sentence has no words")
        if len(words) > self.longest:
            reason = f"the sentence has {len(words):,} words, and at most {self.longest:,} are parsed"
            raise _BadLineError(reason, is_too_long=True)
        name = entry.get("id")
        if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
            raise _BadLineError("the id is neither a string nor a number")
        place = f"{piece.file}:{number}"
        sentence = CorpusSentence(place if name is None else str(name), piece.file, number, words)
        try:
            "".join((sentence.id, *words)).encode()
        except UnicodeEncodeError:
            raise _BadLineError("there is half a surrogate pair, which no file can hold") from None
        return sentence

    def _words(self, entry: Mapping[str, object]) -> tuple[str, ...]:
        words, text = entry.get("words"), entry.get("text")
        if words is not None:
            if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
                raise _BadLineError("words is not a list of strings that are not empty")
            return tuple(words)
        if not isinstance(text, str):
            raise _BadLineError("there is neither a text nor a list of words")
        if self.is_tokenized:
            return tuple(word for word in _BLANKS.split(text) if word)
        return tuple(word.text for word in tokenize(text, self.language))


class _BadLineError(TreebankError):
    """Why a line can't be parsed."""

    def __init__(self, reason: str, is_too_long: bool = False) -> None:
        super().__init__(reason)
        self.is_too_long = is_too_long


def _read_line(stream: Buffered) -> bytes:
    """The next line; of one that is too long only the beginning."""
    line = stream.readline(LONGEST_LINE + 1)
    if not line:
        raise TreebankError(_SHORTER)
    rest = line
    while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE + 1)
    return line


def _entry(line: bytes, format: str) -> dict[str, Any]:
    """The fields of a line."""
    if len(line) > LONGEST_LINE:
        raise _BadLineError(f"the line has more than {LONGEST_LINE:,} bytes")
    try:
        text = line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise _BadLineError(f"byte {error.start + 1} of the line is not UTF-8") from None
    if format == CorpusFormat.TEXT:
        return {"text": text}
    try:
        entry = json.loads(text)
    except json.JSONDecodeError as error:
        raise _BadLineError(f"not valid JSON ({error.msg.lower()} at column {error.colno})") from None
    except RecursionError:
        raise _BadLineError("the JSON is too deep") from None
    if not isinstance(entry, dict):
        raise _BadLineError("the JSON is not an object, {...}")
    return entry


def _read_rows(stream: Buffered, piece: Piece) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a piece with their numbers; row groups before and after it are not read."""
    from pyarrow import parquet

    file = parquet.ParquetFile(stream)
    columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
    first, end = piece.first_line, piece.first_line + piece.line_count
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    starts = [1, *(1 + total for total in accumulate(sizes))]
    groups = [group for group, size in enumerate(sizes) if starts[group] < end and starts[group] + size > first]
    number = starts[groups[0]] if groups else first
    for batch in file.iter_batches(_ROWS, row_groups=groups, columns=columns):
        for entry in batch.to_pylist():
            if first <= number < end:
                yield number, entry
            number += 1
    if number < end:
        raise TreebankError(_SHORTER)


def _excerpt(text: str) -> str:
    text = text.rstrip("\r\n")
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
