"""Files of SentencePiece (Kudo and Richardson, 2018) as fast tokenizers."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from discoseq.errors import ModelError

_SPACE = "▁"
_UNKNOWN = 0
# numbers of fields in the protocol buffer
_PIECES, _NORMALIZER = 1, 3
_TEXT, _SCORE = 1, 2  # of a piece
_CHARACTER_MAP = 2  # of the normalizer
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # the ways a value is written


def read_sentence_piece(path: Path, first: int, last: int) -> Tokenizer:
    """A unigram model; its pieces of these numbers stand before and after every sentence."""
    try:
        vocabulary, character_map = _contents(path.read_bytes())
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_UNKNOWN))
        if character_map:
            tokenizer.normalizer = normalizers.Precompiled(character_map)
    except FileNotFoundError:
        raise ModelError(f"{path}: the file is missing") from None
    except Exception as error:  # tokenizers raises nothing more special
        raise ModelError(f"{path}: this is no SentencePiece model ({error})") from None
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always", split=False)
    ends = [(vocabulary[number][0], number) for number in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(f"{ends[0][0]} $A {ends[1][0]}", special_tokens=ends)
    return tokenizer


def _contents(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, and the map of characters to those that stand for them."""
    vocabulary, character_map = [], b""
    for field, value in _fields(data):
        if field == _PIECES:
            parts = dict(_fields(value))
            score = struct.unpack("<f", parts[_SCORE])[0] if _SCORE in parts else 0.0
            vocabulary.append((parts[_TEXT].decode("utf-8"), score))
        elif field == _NORMALIZER:
            character_map = dict(_fields(value)).get(_CHARACTER_MAP, b"")
    return vocabulary, character_map


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message with their bytes; whole numbers, which nobody here asks for, have none."""
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        field, way = tag >> 3, tag & 7
        if way == _VARINT:
            _, at = _number(data, at)
            length = 0
        elif way == _BYTES:
            length, at = _number(data, at)
        elif way in (_EIGHT_BYTES, _FOUR_BYTES):
            length = 8 if way == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of the unknown kind {way}")
        if at + length > len(data):
            raise ValueError("it is cut short")
        yield field, data[at : at + length]
        at += length


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, the lowest first; and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7
