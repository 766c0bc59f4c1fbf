"""The vectors of a frozen language model: computed once per text, cached on disk and memory-mapped by later runs.

A cache is a safetensors file. Its header names the encoder and the text, and the file name is a hash of the header.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO
from weakref import WeakValueDictionary

import numpy as np
import torch
from accelerate import PartialState
from torch import nn

from discoseq.batching.examples import Vectors
from discoseq.errors import ModelError
from discoseq.model.pretrained.language_model import LanguageModel, Pretrained, embed
from discoseq.model.pretrained.loading import fingerprint, in_precision, load_pretrained
from discoseq.model.settings import ModelSettings
from discoseq.storage import CACHE_VARIABLE, atomic_file, cache_folder
from discoseq.training.events import Embedding

_DTYPE, _DTYPE_NAME = np.float16, "F16"  # in NumPy, and in a safetensors header
_ABANDONED = 3600.0  # seconds without a write after which a temporary file counts as left over from a crash
_VERSION = "2"  # to be raised when the same encoder gives different vectors for the same text


def load_frozen_encoder(settings: ModelSettings) -> FrozenEncoder:
    """The language model of complete settings; one that is still in use is not loaded again."""
    key = _key(settings)
    encoder = _LOADED.get(key)
    if encoder is None:
        pretrained, body = load_pretrained(*key[:3])
        pretrained = replace(pretrained, fingerprint=fingerprint(body))
        encoder = FrozenEncoder(pretrained, in_precision(settings, body), settings.pretrained_layers)
        _LOADED[key] = encoder
    return encoder


def is_loaded(settings: ModelSettings) -> bool:
    """Whether a frozen language model of these settings is in use."""
    return _key(settings) in _LOADED


class FrozenEncoder:
    """A language model whose vectors are inputs and whose weights are not trained."""

    def __init__(self, pretrained: Pretrained, body: nn.Module, layers: str) -> None:
        self.pretrained = pretrained
        self.choice = pretrained.choice(layers)
        self.language_model = LanguageModel(body, self.choice)

    def vectors(self, sentences: Sequence[Sequence[str]]) -> Generator[Embedding, None, list[Vectors]]:
        """For every sentence an array (words, width), which is read from disk when it is used."""
        texts = list(dict.fromkeys(map(tuple, sentences)))  # repeated sentences are stored once
        ends = list(accumulate(map(len, texts)))
        file = self._file(texts, ends[-1])
        with PartialState().local_main_process_first():  # the other processes wait, then find the file
            array = file.open()
            if array is None:
                yield Embedding(file.path, file.size, 0, ends[-1])
                with file.writing() as writer:
                    yield from self._write(writer, file, texts, ends)
                array = file.open()
        assert array is not None
        rows = {text: array[end - len(text) : end] for text, end in zip(texts, ends, strict=True)}
        return [rows[tuple(sentence)] for sentence in sentences]

    def _write(
        self, writer: VectorWriter, file: VectorFile, texts: Sequence[Sequence[str]], ends: Sequence[int]
    ) -> Generator[Embedding, None, None]:
        self.language_model.to(PartialState().device)
        done = 0
        for numbers, vectors in embed(self.language_model, self.pretrained.tokenizer, texts):
            for number, of_sentence in zip(numbers, vectors, strict=True):
                writer.put(ends[number] - len(of_sentence), of_sentence)
                done += len(of_sentence)
            yield Embedding(file.path, file.size, done, file.rows)

    def _file(self, texts: Sequence[Sequence[str]], words: int) -> VectorFile:
        text = hashlib.sha256()
        for sentence in texts:
            text.update(json.dumps(sentence).encode() + b"\n")
        contents = {
            "version": _VERSION,
            "encoder": self.pretrained.fingerprint,
            "tokenizer": hashlib.sha256(self.pretrained.tokenizer.as_json().encode()).hexdigest(),
            "window": str(self.pretrained.tokenizer.window),
            "subwords": "last" if self.pretrained.tokenizer.is_causal else "mean",
            "layers": f"{'mix' if self.choice.is_mix else 'mean'} {self.choice.first}-{self.choice.last}",
            "text": text.hexdigest(),
        }
        if not self.pretrained.tokenizer.has_first_space:
            contents["first word"] = "without a space"
        dtype = next(self.language_model.parameters()).dtype
        if dtype != torch.float32:
            contents["precision"] = str(dtype)
        width = self.pretrained.width * self.choice.outputs
        return VectorFile(cache_folder("vectors"), tuple(contents.items()), words, width)


def _key(settings: ModelSettings) -> tuple[str, str, bool, bool]:
    s = settings
    return s.pretrained, s.pretrained_layers, s.pretrained_first_space, s.pretrained_bfloat16


_LOADED: WeakValueDictionary[tuple[str, str, bool, bool], FrozenEncoder] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class VectorFile:
    """The file for the vectors of one text, whether or not it exists yet."""

    folder: Path
    contents: tuple[tuple[str, str], ...]  # names and values of all that the vectors depend on
    rows: int
    width: int

    @property
    def path(self) -> Path:
        """Named after a hash of the header."""
        return self.folder / f"{hashlib.sha256(self._header).hexdigest()[:32]}.safetensors"

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self._header) + self.rows * self._row_size

    def open(self) -> Vectors | None:
        """All vectors (rows, width), memory-mapped; None if the file is missing, truncated or has another header."""
        try:
            with self.path.open("rb") as stream:
                if stream.read(len(self._header)) != self._header or self.path.stat().st_size != self.size:
                    return None
            array = np.memmap(self.path, _DTYPE, "r", len(self._header), (self.rows, self.width))
        except OSError:
            return None
        return array.view(np.ndarray)  # the same memory map; slicing an np.memmap is slower

    @contextmanager
    def writing(self) -> Iterator[VectorWriter]:
        """Write to a temporary file, which is renamed when it is complete; every process has its own."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._remove_abandoned()
            self._check_free_space()
            with atomic_file(self.path) as partial, partial.open("wb") as stream:
                stream.write(self._header)
                yield VectorWriter(stream, len(self._header), self._row_size)
                stream.truncate(self.size)
        except OSError as error:
            raise ModelError(f"{self.folder}: can't write the vectors ({error})") from None

    @property
    def _row_size(self) -> int:
        return self.width * np.dtype(_DTYPE).itemsize

    @property
    def _header(self) -> bytes:
        """The length of the table and the table as JSON, padded so that the vectors start at a multiple of 64 bytes."""
        end = self.rows * self._row_size
        tensor = {"dtype": _DTYPE_NAME, "shape": [self.rows, self.width], "data_offsets": [0, end]}
        table: Mapping[str, object] = {"__metadata__": dict(self.contents), "vectors": tensor}
        text = json.dumps(table).encode()
        text += b" " * (-(8 + len(text)) % 64)
        return len(text).to_bytes(8, "little") + text

    def _check_free_space(self) -> None:
        free = shutil.disk_usage(self.folder).free
        if free < self.size:
            sizes = f"{self.size / 2**20:,.0f} MiB, but only {free / 2**20:,.0f} MiB are free"
            raise ModelError(f"{self.folder}: the vectors need {sizes}; set {CACHE_VARIABLE} to another folder")

    def _remove_abandoned(self) -> None:
        for path in self.folder.glob(".*.partial"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()


@dataclass(frozen=True, slots=True)
class VectorWriter:
    """Writes vectors to their rows, in any order."""

    stream: BinaryIO
    start: int
    row_size: int

    def put(self, row: int, vectors: Vectors) -> None:
        """Write vectors (rows, width) from this row on."""
        largest = np.finfo(_DTYPE).max  # values out of range become the largest or smallest
        self.stream.seek(self.start + row * self.row_size)
        self.stream.write(vectors.clip(-largest, largest).astype(_DTYPE, order="C").tobytes())
