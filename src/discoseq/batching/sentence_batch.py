"""Sentences as tensors: words, and for every distinct word of the batch its characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from discoseq.batching.subwords import SubwordBatch, WordSubwords
from discoseq.batching.vocabularies import PAD, Vocabularies

BATCH_WORDS = 1024  # a CPU encodes batches that fit its caches nearly twice as fast as ten times larger ones
MAX_CHARACTERS = 24  # a longer word is represented by its first and last twelve
_FEWEST_CAPITALS = 3  # words in capitals that make a headline of a sentence; two may well be a name


@dataclass(frozen=True, slots=True, eq=False)
class SentenceBatch:
    """What the encoder reads. Short sentences are padded at the end."""

    words: Tensor  # (batch, words) numbers of words
    spellings: Tensor  # (different words, characters) numbers of characters
    spelling_of: Tensor  # (batch, words) rows of `spellings`
    is_word: Tensor  # (batch, words) True where there is a word, not padding
    vectors: Tensor | None = None  # (batch, words, width) of a language model, precomputed
    subwords: SubwordBatch | None = None  # what a language model reads, where it is part of the network

    def to(self, device: torch.device) -> SentenceBatch:
        """The same on another device."""
        return SentenceBatch(
            self.words.to(device),
            self.spellings.to(device),
            self.spelling_of.to(device),
            self.is_word.to(device),
            None if self.vectors is None else self.vectors.to(device),
            None if self.subwords is None else self.subwords.to(device),
        )

    def with_vectors(self, vectors: Sequence[np.ndarray]) -> SentenceBatch:
        """With the vectors (words, width) of every sentence."""
        padded = np.zeros((*self.words.shape, vectors[0].shape[-1]), dtype=np.float32)
        for row, array in enumerate(vectors):
            padded[row, : len(array)] = array
        return replace(self, vectors=torch.from_numpy(padded))

    @property
    def lengths(self) -> Tensor:
        """The number of words (batch,)."""
        return self.is_word.sum(dim=1)


def as_read(words: Sequence[str]) -> Sequence[str]:
    """The words of a sentence as networks and language models read them: if all of it is in capitals, in lower case.

    A network that has seen few sentences in capitals takes every word of them for a name.
    """
    if "".join(words).isupper() and sum(len(word) > 1 and word.isupper() for word in words) >= _FEWEST_CAPITALS:
        return [word.lower() for word in words]
    return words


def encode_sentences(
    vocabularies: Vocabularies, sentences: Sequence[Sequence[str]], subwords: Sequence[WordSubwords] | None = None
) -> SentenceBatch:
    """Look up every word and its characters, and its subwords if a language model reads them."""
    sentences = list(map(as_read, sentences))
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
    encoded = SentenceBatch(words_tensor, spellings_tensor, spelling_of_tensor, is_word_tensor)
    tokenizer = vocabularies.subwords
    if tokenizer is None:
        return encoded
    return replace(encoded, subwords=tokenizer.batch(tokenizer.split(sentences) if subwords is None else subwords))


def encode_in_batches(
    vocabularies: Vocabularies,
    sentences: Sequence[Sequence[str]],
    vectors: Sequence[np.ndarray] | None = None,
    batch_words: int = BATCH_WORDS,
) -> list[SentenceBatch]:
    """Encode sentences in their order in batches of at most so many words, with padding, or of one sentence."""
    starts, longest = [0], 0
    for i, sentence in enumerate(sentences):
        if i > starts[-1] and max(longest, len(sentence)) * (i + 1 - starts[-1]) > batch_words:
            starts.append(i)
            longest = 0
        longest = max(longest, len(sentence))
    batches = []
    for chosen in (slice(*ends) for ends in pairwise([*starts, len(sentences)])):
        encoded = encode_sentences(vocabularies, sentences[chosen])
        batches.append(encoded if vectors is None else encoded.with_vectors(vectors[chosen]))
    return batches


def _spellings(vocabularies: Vocabularies, words: list[str]) -> np.ndarray:
    half = MAX_CHARACTERS // 2
    shortened = [word if len(word) <= MAX_CHARACTERS else word[:half] + word[-half:] for word in words]
    spellings = np.full((len(words), max(map(len, shortened))), PAD, dtype=np.int64)
    for row, word in enumerate(shortened):
        spellings[row, : len(word)] = vocabularies.characters.encode(word)
    return spellings
