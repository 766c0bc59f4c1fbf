"""Input and output files: a path or `-` for the standard streams, plain or gzipped."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias, cast

from discoseq.errors import TreebankError, os_reason
from discoseq.storage import atomic_file
from discoseq.trees.notes import Note, OnNote

Buffered: TypeAlias = "io.BufferedReader[io.RawIOBase]"

STANDARD_STREAM = "-"
GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 1 << 16
# UTF-32 first: its mark begins with that of UTF-16
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Undecodable(StrEnum):
    """What becomes of a line with bytes that are not in the encoding of the file."""

    STOP = "stop"
    REPLACE = "replace"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Source:
    """A named stream, decompressed if it is gzipped, whose first bytes can be inspected before it is read."""

    name: str
    stream: Buffered  # UTF-8 without a byte order mark if the file has one
    on_note: OnNote | None = None
    marked: str | None = None  # the encoding that the byte order mark says
    file: Buffered | None = None  # the stream as it is on disk

    def note(self, text: str, line: int) -> None:
        """Pass on what a reader notes about this file."""
        if self.on_note is not None:
            self.on_note(Note(text, self.name, line))

    def head(self) -> bytes:
        """The first bytes of the file, without a byte order mark; they remain to be read."""
        return self.stream.peek(_HEAD)[:_HEAD]

    def encoding(self, wanted: str | None) -> str | None:
        """The encoding of the stream: a byte order mark says more than what the user or an XML declaration says."""
        return "utf-8" if self.marked else wanted

    def lines(self, encoding: str | None, undecodable: Undecodable = Undecodable.STOP) -> Iterator[str]:
        """The decoded lines, without a byte order mark; a line that is skipped is a line of spaces."""
        code = self.encoding(encoding) or "utf-8"
        try:
            is_line_based = "\n".encode(code) == b"\n"
            stream = self.stream if is_line_based else _recoded(self.stream, code)
        except LookupError:
            raise TreebankError(f"there is no encoding {code!r}") from None
        byte_code = code if is_line_based else "utf-8"
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode(byte_code)
            except UnicodeDecodeError as error:
                shown = self.marked or code
                what = _bad_byte(error, code) if shown == byte_code else f"this line is not {shown}"
                text = self._undecodable(line.decode(byte_code, "replace"), undecodable, what, number)
            yield text

    def position(self) -> int:
        """How many bytes of the file have been read."""
        return 0 if self.file is None else self.file.tell()

    def _undecodable(self, text: str, undecodable: Undecodable, what: str, line: int) -> str:
        if undecodable is Undecodable.STOP:
            raise TreebankError(what, line=line)
        if undecodable is Undecodable.REPLACE:
            self.note("bytes that can't be decoded are replaced by U+FFFD", line)
            return text
        self.note("a line that can't be decoded is read as an empty one", line)
        content = text.rstrip("\r\n")
        return " " * len(content) + text[len(content) :]  # as long as before, for the offsets of what follows


@contextmanager
def open_source(path: str | Path, on_note: OnNote | None = None) -> Iterator[Source]:
    """Open a file (`-`: standard input) for reading."""
    is_standard = str(path) == STANDARD_STREAM
    name = "<stdin>" if is_standard else str(path)
    try:
        raw = _standard_input() if is_standard else Path(path).open("rb", buffering=0)  # noqa: SIM115 - closed below
    except OSError as error:
        raise TreebankError(os_reason(error), name) from None
    file = io.BufferedReader(cast(io.RawIOBase, raw), _HEAD)
    try:
        with errors_named(name):
            yield _source(name, file, on_note)
    finally:
        if is_standard:
            file.detach()
        else:
            file.close()


def bytes_source(name: str, data: bytes) -> Source:
    """The content of a file that is in memory; use it inside `errors_named`."""
    return _source(name, io.BufferedReader(cast(io.RawIOBase, io.BytesIO(data)), _HEAD), None)


def is_live(path: str | Path) -> bool:
    """Whether the reader of this file may have to wait for its writer: a terminal or a pipe."""
    status = _status(path)
    return status is not None and not stat.S_ISREG(status.st_mode)


def file_size(path: str | Path) -> int | None:
    """How many bytes there are to read, if that is known."""
    status = _status(path)
    return status.st_size if status is not None and stat.S_ISREG(status.st_mode) else None


def file_identity(path: str | Path) -> tuple[int, int] | None:
    """The same for all names of one file on disk; None for what is no file."""
    status = _status(path)
    return (status.st_dev, status.st_ino) if status is not None and stat.S_ISREG(status.st_mode) else None


def _status(path: str | Path) -> os.stat_result | None:
    try:
        is_standard = str(path) == STANDARD_STREAM
        return os.fstat(_standard_input().fileno()) if is_standard else os.stat(path)
    except (OSError, ValueError):
        return None


@contextmanager
def atomic_output(path: str | Path) -> Iterator[TextIO]:
    """A UTF-8 text stream whose file appears only when it is complete; gzipped if its name ends in `.gz`."""
    if str(path) == STANDARD_STREAM:
        yield sys.stdout
        return
    if Path(path).exists() and not Path(path).is_file():  # a pipe or a device can't be replaced by a file
        with _os_errors_named(path), Path(path).open("w", encoding="utf-8") as stream:
            yield stream
        return
    check_target(path)
    target = Path(os.path.realpath(path))
    with (
        _os_errors_named(path),
        atomic_file(target) as partial,
        partial.open("wb") as raw,
        _text(raw, target.suffix == ".gz") as stream,
    ):
        yield stream


def check_target(path: str | Path) -> None:
    """Refuse a folder, and a file in a folder that does not exist."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise TreebankError("this is a folder, not a file", str(path))
    if not target.parent.is_dir():
        raise TreebankError(f"there is no folder {target.parent}", str(path))


@contextmanager
def errors_named(name: str) -> Iterator[None]:
    """Add the name of the file to errors, and turn gzip and system errors into a TreebankError."""
    try:
        yield
    except TreebankError as error:
        raise type(error)(error.reason, name, error.line) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TreebankError(f"the gzip data is broken ({error})", name) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TreebankError(os_reason(error), name) from None


@contextmanager
def _os_errors_named(path: str | Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # of the output; the command line ends there without a word
        raise
    except OSError as error:
        raise TreebankError(os_reason(error), str(path)) from None


@contextmanager
def _text(raw: BinaryIO, is_gzipped: bool) -> Iterator[TextIO]:
    # no name and no time in the gzip header: equal trees, equal bytes
    binary = cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=raw, mtime=0)) if is_gzipped else raw
    text = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()
    if is_gzipped:
        binary.close()


def _standard_input() -> BinaryIO:
    """Standard input without its buffer, which would wait until it is full where only a line is there."""
    if sys.stdin is None:
        raise OSError("it is closed")
    buffer = sys.stdin.buffer
    return cast(BinaryIO, getattr(buffer, "raw", buffer))


def _source(name: str, file: Buffered, on_note: OnNote | None) -> Source:
    stream = file
    head = file.peek(4)
    if not head:  # at the end of a terminal's input, which would be asked for more
        return Source(name, io.BufferedReader(cast(io.RawIOBase, io.BytesIO())), on_note)
    if head.startswith(GZIP_MAGIC):
        stream = io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=file)), _HEAD)
        head = stream.peek(4)
    mark = next((mark for mark in _MARKS if head.startswith(mark)), b"")
    marked = _MARKS.get(mark)
    if marked == "utf-8":
        stream.read(len(mark))
    elif marked is not None:
        stream = _recoded(stream, marked)
    return Source(name, stream, on_note, marked, file if file.seekable() else None)


def _recoded(stream: Buffered, encoding: str) -> Buffered:
    return io.BufferedReader(_Recoded(stream, encoding), _HEAD)


class _Recoded(io.RawIOBase):
    """A stream as UTF-8, so that it can be read by lines; what can't be decoded is the byte 0xFF, never in UTF-8."""

    def __init__(self, stream: Buffered, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(_MARK_BAD)
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = b"more"
        while data and not self._waiting:
            data = self._stream.read1(_HEAD)
            self._waiting = self._decoder.decode(data, final=not data).encode("utf-8", "surrogateescape")
        size = min(len(buffer), len(self._waiting))
        buffer[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size


_MARK_BAD = "discoseq.bad"  # a name in Python's table of error handlers
codecs.register_error(_MARK_BAD, lambda error: ("\udcff", cast(UnicodeDecodeError, error).end))


def _bad_byte(error: UnicodeDecodeError, encoding: str) -> str:
    hint = "; try --encoding latin-1" if encoding == "utf-8" else ""
    return f"byte 0x{error.object[error.start]:02x} is not {encoding}{hint}"
