"""Input and output files: a path or `-` for the standard streams, plain or gzipped."""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias, cast

from discoseq.errors import TreebankError, os_reason
from discoseq.storage import atomic_file
from discoseq.trees.notes import Note, OnNote

Buffered: TypeAlias = "io.BufferedReader[io.RawIOBase]"

STANDARD_STREAM = "-"
_GZIP_MAGIC = b"\x1f\x8b"
_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """A named stream, decompressed if it is gzipped, whose first bytes can be inspected before it is read."""

    name: str
    stream: Buffered
    on_note: OnNote | None = None

    def note(self, text: str, line: int) -> None:
        """Pass on what a reader notes about this file."""
        if self.on_note is not None:
            self.on_note(Note(text, self.name, line))

    def head(self) -> bytes:
        """The first bytes of the file; they remain to be read."""
        return self.stream.peek(_HEAD)[:_HEAD]

    def lines(self, encoding: str | None) -> Iterator[str]:
        """The decoded lines, without a byte order mark."""
        return _lines(self.stream, encoding or "utf-8")


@contextmanager
def open_source(path: str | Path, on_note: OnNote | None = None) -> Iterator[Source]:
    """Open a file (`-`: standard input) for reading."""
    is_standard = str(path) == STANDARD_STREAM
    name = "<stdin>" if is_standard else str(path)
    try:
        raw = sys.stdin.buffer if is_standard else Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise TreebankError(os_reason(error), name) from None
    stream = io.BufferedReader(cast(io.RawIOBase, raw), _HEAD)
    try:
        with errors_named(name):
            yield Source(name, _decompressed(stream), on_note)
    finally:
        if is_standard:
            stream.detach()
        else:
            stream.close()


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
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise TreebankError(f"there is no folder {target.parent}", str(path))
    with (
        _os_errors_named(path),
        atomic_file(target) as partial,
        partial.open("wb") as raw,
        _text(raw, target.suffix == ".gz") as stream,
    ):
        yield stream


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


def _decompressed(stream: Buffered) -> Buffered:
    if stream.peek(2)[:2] != _GZIP_MAGIC:
        return stream
    return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=stream)), _HEAD)


def _lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    try:
        is_line_based = "\n".encode(encoding) == b"\n"
    except LookupError:
        raise TreebankError(f"there is no encoding {encoding!r}") from None
    number = 0
    try:
        if is_line_based:
            for number, line in enumerate(stream, 1):
                text = line.decode(encoding)
                yield text.removeprefix("\ufeff") if number == 1 else text
        else:
            for number, text in enumerate(io.TextIOWrapper(stream, encoding, newline="\n"), 1):  # noqa: B007
                yield text
    except UnicodeDecodeError as error:
        hint = "; try --encoding latin-1" if encoding == "utf-8" else ""
        byte = error.object[error.start]
        raise TreebankError(f"byte 0x{byte:02x} is not {encoding}{hint}", line=max(number, 1)) from None
