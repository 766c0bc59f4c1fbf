"""Sentences as tensors: words, and for every distinct word of the batch its characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from discoseq.batching.subwords import SubwordBatch, WordSubwords
from discoseq.batching.vocabularies import PAD, Vocabularies

PART_WORDS = 1024  # a CPU encodes what its caches hold nearly twice as fast as ten times as much
MOST_CHARACTERS = 24  # of a longer word, the first and the last half of these


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """What the encoder reads. Short sentences are padded at the end."""

    words: Tensor  # (batch, words) numbers of words
    spellings: Tensor  # (different words, characters) numbers of characters
    spelling_of: Tensor  # (batch, words) rows of `spellings`
    is_word: Tensor  # (batch, words) True where there is a word, not padding
    vectors: Tensor | None = None  # (batch, words, width) of a language model, made beforehand
    pieces: SubwordBatch | None = None  # what a language model reads, where it is part of the network

    def to(self, device: torch.device) -> Sentences:
        """The same on another device."""
        return Sentences(
            self.words.to(device),
            self.spellings.to(device),
            self.spelling_of.to(device),
            self.is_word.to(device),
            None if self.vectors is None else self.vectors.to(device),
            None if self.pieces is None else self.pieces.to(device),
        )

    def with_vectors(self, vectors: Sequence[np.ndarray]) -> Sentences:
        """With the vectors (words, width) of every sentence."""
        padded = np.zeros((*self.words.shape, vectors[0].shape[-1]), dtype=np.float32)
        for row, array in enumerate(vectors):
            padded[row, : len(array)] = array
        return replace(self, vectors=torch.from_numpy(padded))

    @property
    def lengths(self) -> Tensor:
        """The number of words (batch,)."""
        return self.is_word.sum(dim=1)


def encode_sentences(
    vocabularies: Vocabularies, sentences: Sequence[Sequence[str]], pieces: Sequence[WordSubwords] | None = None
) -> Sentences:
    """Look up every word and its characters, and its pieces if they are read and not given."""
    longest = max(map(len, sentences))
    rows: dict[str, int] = {}
    words = np.full((len(sentences), longest), PAD, dtype=np.int64)
    spelling_of = np.zeros((len(sentences), longest), dtype=np.int64)
    is_word = np.zeros((len(sentences), longest), dtype=np.bool_)
    for i, sentence in enumerate(sentences):
        words[i, : len(sentence)] = vocabularies.words.encode([word.lower() for word in sentence])
        spelling_of[i, : len(sentence)] = [rows.setdefault(word, len(rows)) for word in sentence]
        is_word[i, : len(sentence)] = True
    spellings = _spellings(vocabularies, list(rows))
    arrays = (words, spellings, spelling_of, is_word)
    words_tensor, spellings_tensor, spelling_of_tensor, is_word_tensor = map(torch.from_numpy, arrays)
    encoded = Sentences(words_tensor, spellings_tensor, spelling_of_tensor, is_word_tensor)
    tokenizer = vocabularies.pieces
    if tokenizer is None:
        return encoded
    return replace(encoded, pieces=tokenizer.batch(tokenizer.split(sentences) if pieces is None else pieces))


def encode_in_parts(
    vocabularies: Vocabularies,
    sentences: Sequence[Sequence[str]],
    vectors: Sequence[np.ndarray] | None = None,
    part_words: int = PART_WORDS,
) -> list[Sentences]:
    """The same in runs of sentences that have so many words at most, padding included, or are one sentence."""
    parts: list[Sentences] = []
    start = longest = 0
    for i, sentence in enumerate(sentences):
        if i > start and max(longest, len(sentence)) * (i + 1 - start) > part_words:
            parts.append(_part(vocabularies, sentences, vectors, slice(start, i)))
            start, longest = i, 0
        longest = max(longest, len(sentence))
    return [*parts, _part(vocabularies, sentences, vectors, slice(start, len(sentences)))]


def _part(
    vocabularies: Vocabularies,
    sentences: Sequence[Sequence[str]],
    vectors: Sequence[np.ndarray] | None,
    chosen: slice,
) -> Sentences:
    encoded = encode_sentences(vocabularies, sentences[chosen])
    return encoded if vectors is None else encoded.with_vectors(vectors[chosen])


def _spellings(vocabularies: Vocabularies, words: list[str]) -> np.ndarray:
    half = MOST_CHARACTERS // 2
    shortened = [word if len(word) <= MOST_CHARACTERS else word[:half] + word[-half:] for word in words]
    spellings = np.full((len(words), max(map(len, shortened))), PAD, dtype=np.int64)
    for row, word in enumerate(shortened):
        spellings[row, : len(word)] = vocabularies.characters.encode(word)
    return spellings
