"""Words as the subwords that a pre-trained language model reads, in windows where a sentence exceeds its limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

_OVERLAP = 4  # windows share one word in so many, so that no word is read at an edge without its neighbours

WordPieces: TypeAlias = tuple[tuple[int, ...], ...]  # for each word of a sentence its pieces, at least one


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A batch for the language model. A sentence has one row, or several that overlap."""

    ids: Tensor  # (rows, length)
    is_piece: Tensor  # (rows, length) False at padding
    word_of: Tensor  # (rows, length) which word of the batch, counted over all places (sentences x words); -1: none

    def to(self, device: torch.device) -> Pieces:
        """The same on another device."""
        return Pieces(self.ids.to(device), self.is_piece.to(device), self.word_of.to(device))


class PieceTokenizer:
    """A fast tokenizer and what has to be known to use it on sentences that are words already."""

    def __init__(self, tokenizer: Tokenizer, window: int, padding: int) -> None:
        """The model reads at most `window` pieces at once, and fills up with the piece `padding`."""
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.window = window
        self.padding = padding
        self._before, self._after = _special_pieces(tokenizer)
        self._unknown = _unknown_piece(tokenizer, padding)

    @classmethod
    def from_json(cls, text: str, window: int, padding: int) -> PieceTokenizer:
        """Undo `as_json`."""
        return cls(Tokenizer.from_str(text), window, padding)

    def as_json(self) -> str:
        """The contents of a tokenizer.json."""
        return str(self._tokenizer.to_str(pretty=False))

    def split(self, sentences: Sequence[Sequence[str]]) -> list[WordPieces]:
        """The pieces of every word; one for which there are none, such as a zero-width space, is unknown."""
        # what a word is split into does not depend on the others, so each different one is split once
        words = list(dict.fromkeys(word for sentence in sentences for word in sentence))
        encoding = self._tokenizer.encode(words, is_pretokenized=True)
        pieces = dict(zip(words, self._by_word(encoding, len(words)), strict=True))
        return [tuple(pieces[word] for word in sentence) for sentence in sentences]

    def batch(self, sentences: Sequence[WordPieces]) -> Pieces:
        """Rows with the special pieces at both ends, padded to one length."""
        rows: list[tuple[list[int], list[int]]] = []
        places = max(map(len, sentences))
        room = self.window - len(self._before) - len(self._after)
        for number, pieces in enumerate(sentences):
            for window in _windows([min(len(word), room) for word in pieces], room):
                rows.append(self._row(pieces, window, room, number * places))
        length = max(len(ids) for ids, _ in rows)
        ids = np.full((len(rows), length), self.padding, dtype=np.int64)
        word_of = np.full((len(rows), length), -1, dtype=np.int64)
        is_piece = np.zeros((len(rows), length), dtype=np.bool_)
        for row, (row_ids, row_words) in enumerate(rows):
            ids[row, : len(row_ids)] = row_ids
            word_of[row, : len(row_words)] = row_words
            is_piece[row, : len(row_ids)] = True
        return Pieces(*map(torch.from_numpy, (ids, is_piece, word_of)))

    def _row(self, pieces: WordPieces, window: _Window, room: int, first_place: int) -> tuple[list[int], list[int]]:
        ids, word_of = list(self._before), [-1] * len(self._before)
        for word in range(window.start, window.end):
            of_word = pieces[word][:room]
            ids += of_word
            is_kept = window.first_kept <= word < window.end_kept
            word_of += [first_place + word if is_kept else -1] * len(of_word)
        return ids + self._after, word_of + [-1] * len(self._after)

    def _by_word(self, encoding: Encoding, words: int) -> WordPieces:
        found: list[list[int]] = [[] for _ in range(words)]
        for piece, word in zip(encoding.ids, encoding.word_ids, strict=True):
            if word is not None:
                found[word].append(piece)
        return tuple(tuple(pieces) or (self._unknown,) for pieces in found)


@dataclass(frozen=True, slots=True)
class _Window:
    """Words that are read together, and those of them whose vectors are kept: each word is kept by one window."""

    start: int
    end: int
    first_kept: int
    end_kept: int


def _windows(lengths: Sequence[int], room: int) -> list[_Window]:
    """Windows over words with so many pieces each; most sentences need one."""
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
    # where two windows overlap, each keeps the half that is farther from its edge
    cuts = [0, *((after[0] + before[1]) // 2 for before, after in pairwise(spans)), len(lengths)]
    return [_Window(*span, cuts[i], cuts[i + 1]) for i, span in enumerate(spans)]


def _special_pieces(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before and after a sentence."""
    encoding = tokenizer.encode(["a"], is_pretokenized=True)
    word_ids = encoding.word_ids
    inside = [place for place, word in enumerate(word_ids) if word is not None]
    return encoding.ids[: inside[0]], encoding.ids[inside[-1] + 1 :]


def _unknown_piece(tokenizer: Tokenizer, padding: int) -> int:
    for name in ("[UNK]", "<unk>"):
        number = tokenizer.token_to_id(name)
        if number is not None:
            return int(number)
    return padding
