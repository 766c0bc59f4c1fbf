"""The vectors of a frozen encoder: made once for a text, kept on disk, and found there by every later run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Generator, Sequence
from itertools import accumulate
from pathlib import Path

from accelerate import PartialState
from torch import nn

from discoseq.batching.examples import Vectors
from discoseq.model.pretrained.description import Pretrained
from discoseq.model.pretrained.embedding import embed
from discoseq.model.pretrained.language_model import LanguageModel
from discoseq.model.pretrained.store import VectorFile, VectorWriter
from discoseq.training.events import Embedding

_VERSION = "1"  # to be counted up when the same encoder gives other vectors for the same text


class FrozenEncoder:
    """A language model that gives vectors and learns nothing."""

    def __init__(self, pretrained: Pretrained, body: nn.Module, output: str, precision: str) -> None:
        self.pretrained = pretrained
        self.choice = pretrained.choice(output)
        self.language_model = LanguageModel(body, self.choice)
        self.precision = precision

    def vectors(self, sentences: Sequence[Sequence[str]]) -> Generator[Embedding, None, list[Vectors]]:
        """For every sentence (words, width), read from disk when they are used."""
        texts = list(dict.fromkeys(map(tuple, sentences)))  # what occurs twice is there once
        ends = list(accumulate(map(len, texts)))
        file = self._file(texts, ends[-1])
        with PartialState().local_main_process_first():  # the others wait, and then find it done
            array = file.open()
            if array is None:
                yield Embedding(file.path, file.size, 0, ends[-1])
                with file.writing() as writer:
                    yield from self._write(writer, file, texts, ends)
                array = file.open()
        assert array is not None
        place = {text: array[end - len(text) : end] for text, end in zip(texts, ends, strict=True)}
        return [place[tuple(sentence)] for sentence in sentences]

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
            "layers": f"{'mix' if self.choice.is_mix else 'mean'} {self.choice.first}-{self.choice.last}",
            "text": text.hexdigest(),
        }
        width = self.pretrained.width * self.choice.outputs
        return VectorFile(cache_folder(), tuple(contents.items()), words, width, self.precision)


def cache_folder() -> Path:
    """Where vectors are kept: below $DISCOSEQ_CACHE, or in the home directory."""
    return Path(os.environ.get("DISCOSEQ_CACHE") or Path.home() / ".cache" / "discoseq") / "vectors"
