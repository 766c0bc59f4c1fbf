"""Splitting words into the subwords of a pre-trained language model, and long sentences into windows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

_OVERLAP = 4  # windows share a quarter of their words, so that no word is read without its neighbours

_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which only Python's strings can hold

PREPENDED_SPACE = {"type": "Prepend", "prepend": " "}  # a normalizer, as in a tokenizer.json

WordSubwords: TypeAlias = tuple[tuple[int, ...], ...]  # for each word of a sentence its subwords, at least one


@dataclass(frozen=True, slots=True, eq=False)
class SubwordBatch:
    """A batch for the language model. A sentence has one row, or several that overlap."""

    ids: Tensor  # (rows, length)
    is_subword: Tensor  # (rows, length) False at padding
    word_index: Tensor  # (rows, length) where its state counts in a flat (sentences x words) array; -1 if nowhere

    def to(self, device: torch.device) -> SubwordBatch:
        """The same on another device."""
        return SubwordBatch(self.ids.to(device), self.is_subword.to(device), self.word_index.to(device))


class SubwordTokenizer:
    """A fast tokenizer for sentences that are already split into words.

    All subwords of a word count for its vector. In a causal model it is only the last one, which alone has seen the
    whole word. Every word has the subwords that it has after a space; without `has_first_space`, the first word of a
    sentence has those that it has at the beginning of a text.
    """

    def __init__(
        self, tokenizer: Tokenizer, window: int, padding: int, is_causal: bool = False, has_first_space: bool = True
    ) -> None:
        """The model reads at most `window` subwords at once and is padded with the subword `padding`."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.window = window
        self.padding = padding
        self.is_causal = is_causal
        self.has_first_space = has_first_space
        self._of_first = tokenizer if has_first_space else _without_spaces(tokenizer)
        self._before, self._after = _special_tokens(tokenizer)
        self._unknown = _unknown_subword(tokenizer, padding)

    @classmethod
    def from_json(
        cls, text: str, window: int, padding: int, is_causal: bool = False, has_first_space: bool = True
    ) -> SubwordTokenizer:
        """Undo `as_json`."""
        return cls(Tokenizer.from_str(text), window, padding, is_causal, has_first_space)

    def without_first_space(self) -> SubwordTokenizer:
        """The same, but the first word of a sentence is split as at the beginning of a text."""
        return SubwordTokenizer(self._tokenizer, self.window, self.padding, self.is_causal, has_first_space=False)

    def as_json(self) -> str:
        """The contents of a tokenizer.json."""
        return str(self._tokenizer.to_str(pretty=False))

    def split(self, sentences: Sequence[Sequence[str]]) -> list[WordSubwords]:
        """The subwords of every word; a word that has none, such as a zero-width space, becomes the unknown subword."""
        subwords = self._of_words(self._tokenizer, (word for sentence in sentences for word in sentence))
        first = subwords
        if not self.has_first_space:
            first = self._of_words(self._of_first, (sentence[0] for sentence in sentences if sentence))
        return [
            tuple((subwords if position else first)[word] for position, word in enumerate(sentence))
            for sentence in sentences
        ]

    def _of_words(self, tokenizer: Tokenizer, words: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """The subwords of a word do not depend on its neighbours, so each distinct word is split once."""
        distinct = list(dict.fromkeys(words))
        encoding = tokenizer.encode([_SURROGATE.sub("\ufffd", word) for word in distinct], is_pretokenized=True)
        return dict(zip(distinct, self._by_word(encoding, len(distinct)), strict=True))

    def batch(self, sentences: Sequence[WordSubwords]) -> SubwordBatch:
        """Rows with the special tokens at both ends, padded to one length."""
        rows: list[tuple[list[int], list[int]]] = []
        longest = max(map(len, sentences))
        room = self.window - len(self._before) - len(self._after)
        for number, words in enumerate(sentences):
            for window in _windows([min(len(word), room) for word in words], room, self.is_causal):
                rows.append(self._row(words, window, room, number * longest))
        length = max(len(ids) for ids, _ in rows)
        ids = np.full((len(rows), length), self.padding, dtype=np.int64)
        word_index = np.full((len(rows), length), -1, dtype=np.int64)
        is_subword = np.zeros((len(rows), length), dtype=np.bool_)
        for row, (row_ids, row_words) in enumerate(rows):
            ids[row, : len(row_ids)] = row_ids
            word_index[row, : len(row_words)] = row_words
            is_subword[row, : len(row_ids)] = True
        return SubwordBatch(*map(torch.from_numpy, (ids, is_subword, word_index)))

    def _row(self, words: WordSubwords, window: _Window, room: int, first_index: int) -> tuple[list[int], list[int]]:
        ids, word_index = list(self._before), [-1] * len(self._before)
        for word in range(window.start, window.end):
            subwords = words[word][:room]
            ids += subwords
            index = first_index + word if window.first_kept <= word < window.end_kept else -1
            if self.is_causal:
                word_index += [-1] * (len(subwords) - 1) + [index]
            else:
                word_index += [index] * len(subwords)
        return ids + self._after, word_index + [-1] * len(self._after)

    def _by_word(self, encoding: Encoding, words: int) -> WordSubwords:
        found: list[list[int]] = [[] for _ in range(words)]
        for subword, word in zip(encoding.ids, encoding.word_ids, strict=True):
            if word is not None:
                found[word].append(subword)
        return tuple(tuple(subwords) or (self._unknown,) for subwords in found)


@dataclass(frozen=True, slots=True)
class _Window:
    """Words that are read together, and those whose vectors are kept; each word is kept by exactly one window."""

    start: int
    end: int
    first_kept: int
    end_kept: int


def _windows(lengths: Sequence[int], room: int, is_causal: bool) -> list[_Window]:
    """Windows of at most `room` subwords over words of these lengths; most sentences need only one."""
    if sum(lengths) <= room:
        return [_Window(0, len(lengths), 0, len(lengths))]
    spans: list[tuple[int, int]] = []
    start = 0
    while not spans or spans[-1][1] < len(lengths):
        end, filled = start, 0
        while end < len(lengths) and filled + lengths[end] <= room:
            filled += lengths[end]
            end += 1
        spans.append((start, end))
        start = max(start + 1, end - (end - start) // _OVERLAP)
    # where two windows overlap, each keeps the half that is farther from its edge; a causal model sees only what is to
    # the left, of which the earlier window has more
    inner = [before[1] if is_causal else (after[0] + before[1]) // 2 for before, after in pairwise(spans)]
    cuts = [0, *inner, len(lengths)]
    return [_Window(*span, cuts[i], cuts[i + 1]) for i, span in enumerate(spans)]


def _without_spaces(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer without what puts a space before a word, if the beginning of a text is no space for it."""
    table: dict[str, Any] = json.loads(tokenizer.to_str())
    splitter, normalizer = table["pre_tokenizer"] or {}, table["normalizer"] or {}
    for part in (splitter, *splitter.get("pretokenizers", [])):
        if part.get("type") == "ByteLevel":
            part["add_prefix_space"] = False
    if "normalizers" in normalizer:
        normalizer["normalizers"] = [x for x in normalizer["normalizers"] if x != PREPENDED_SPACE]
    return Tokenizer.from_str(json.dumps(table))


def _special_tokens(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special tokens before and after a sentence."""
    encoding = tokenizer.encode(["a"], is_pretokenized=True)
    inside = [position for position, word in enumerate(encoding.word_ids) if word is not None]
    return encoding.ids[: inside[0]], encoding.ids[inside[-1] + 1 :]


def _unknown_subword(tokenizer: Tokenizer, padding: int) -> int:
    for name in ("[UNK]", "<unk>"):
        number = tokenizer.token_to_id(name)
        if number is not None:
            return int(number)
    return padding
