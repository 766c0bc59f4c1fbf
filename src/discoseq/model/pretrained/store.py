"""Vectors on disk: one file for a text and an encoder, complete or not there, mapped into memory and never read whole.

It is a safetensors file whose header says what the vectors are of, so that those of another encoder or of another text
are not taken for the right ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discoseq.errors import ModelError

PRECISIONS = ("float32", "float16")
_NAMES = {"float32": "F32", "float16": "F16"}  # in a safetensors header
_ABANDONED = 3600.0  # seconds after which a file that nobody has written to is taken for the rest of a crash

Vectors: TypeAlias = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class VectorFile:
    """Where the vectors of a text are, or will be."""

    folder: Path
    contents: tuple[tuple[str, str], ...]  # what decides about them, by name
    rows: int
    width: int
    precision: str

    @property
    def path(self) -> Path:
        """Named after its header, and so after all that is in it."""
        return self.folder / f"{hashlib.sha256(self._header).hexdigest()[:32]}.safetensors"

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self._header) + self.rows * self._row_size

    def open(self) -> Vectors | None:
        """All vectors (rows, width), read when they are used; None if the file is not there, cut short or another."""
        try:
            with self.path.open("rb") as stream:
                if stream.read(len(self._header)) != self._header or self.path.stat().st_size != self.size:
                    return None
            array = np.memmap(self.path, self.precision, "r", len(self._header), (self.rows, self.width))
        except OSError:
            return None
        return array.view(np.ndarray)  # the same map; slices of a memmap cost more

    @contextmanager
    def writing(self) -> Iterator[VectorWriter]:
        """The file gets its name when all is written; whoever else writes the same has a file of their own."""
        partial = self.folder / f".{self.path.stem}.{os.getpid()}.partial"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._clear_up()
            self._check_room()
            with partial.open("wb") as stream:
                stream.write(self._header)
                yield VectorWriter(stream, len(self._header), self._row_size, self.precision)
                stream.truncate(self.size)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(self.path)
        except OSError as error:
            raise ModelError(f"{self.folder}: can't write the vectors ({error})") from None
        finally:
            with suppress(OSError):
                partial.unlink()

    @property
    def _row_size(self) -> int:
        return self.width * np.dtype(self.precision).itemsize

    @property
    def _header(self) -> bytes:
        """The length of the table, then the table as JSON, filled up so that the numbers begin at a round place."""
        end = self.rows * self._row_size
        tensor = {"dtype": _NAMES[self.precision], "shape": [self.rows, self.width], "data_offsets": [0, end]}
        table: Mapping[str, object] = {"__metadata__": dict(self.contents), "vectors": tensor}
        text = json.dumps(table).encode()
        text += b" " * (-(8 + len(text)) % 64)
        return len(text).to_bytes(8, "little") + text

    def _check_room(self) -> None:
        free = shutil.disk_usage(self.folder).free
        if free < self.size:
            sizes = f"{self.size / 2**20:,.0f} MiB, and {free / 2**20:,.0f} are free"
            raise ModelError(f"{self.folder}: the vectors take {sizes}; set DISCOSEQ_CACHE to another folder")

    def _clear_up(self) -> None:
        for path in self.folder.glob(".*.partial"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()


@dataclass(frozen=True, slots=True)
class VectorWriter:
    """Takes the vectors in any order."""

    stream: BinaryIO
    start: int
    row_size: int
    precision: str

    def put(self, row: int, vectors: Vectors) -> None:
        """From this row on (rows, width)."""
        if self.precision == "float16":  # what it can't hold becomes the largest number that it can
            largest = np.finfo(np.float16).max
            vectors = vectors.clip(-largest, largest)
        self.stream.seek(self.start + row * self.row_size)
        self.stream.write(np.ascontiguousarray(vectors, dtype=self.precision).tobytes())
