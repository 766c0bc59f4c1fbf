"""Reading a SentencePiece model (Kudo and Richardson, 2018) as a fast tokenizer."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from discoseq.errors import ModelError

_SPACE = "▁"
_UNKNOWN = 0
# field numbers in sentencepiece_model.proto
_PIECES, _NORMALIZER_SPEC = 1, 3
_PIECE, _SCORE = 1, 2
_PRECOMPILED_CHARSMAP = 2
# wire types of protocol buffers
_VARINT, _EIGHT_BYTES, _LENGTH_DELIMITED, _FOUR_BYTES = 0, 1, 2, 5


def read_sentencepiece(path: Path, start: int, end: int) -> Tokenizer:
    """A unigram model that puts the subwords of these numbers at the start and the end of every sentence."""
    try:
        vocabulary, characters = _read_model(path.read_bytes())
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_UNKNOWN))
        if characters:
            tokenizer.normalizer = normalizers.Precompiled(characters)
    except FileNotFoundError:
        raise ModelError(f"{path}: the file is missing") from None
    except Exception as error:  # tokenizers raises nothing more specific
        raise ModelError(f"{path}: this is not a SentencePiece model ({error})") from None
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always", split=False)
    ends = [(vocabulary[number][0], number) for number in (start, end)]
    tokenizer.post_processor = processors.TemplateProcessing(f"{ends[0][0]} $A {ends[1][0]}", special_tokens=ends)
    return tokenizer


def _read_model(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The subwords with their scores, and the map that normalizes characters."""
    vocabulary, characters = [], b""
    for field, value in _fields(data):
        if field == _PIECES:
            parts = dict(_fields(value))
            score = struct.unpack("<f", parts[_SCORE])[0] if _SCORE in parts else 0.0
            vocabulary.append((parts[_PIECE].decode("utf-8"), score))
        elif field == _NORMALIZER_SPEC:
            characters = dict(_fields(value)).get(_PRECOMPILED_CHARSMAP, b"")
    return vocabulary, characters


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer with their bytes; integers, which are not needed, come without."""
    position = 0
    while position < len(data):
        tag, position = _read_varint(data, position)
        field, wire_type = tag >> 3, tag & 7
        if wire_type == _VARINT:
            _, position = _read_varint(data, position)
            length = 0
        elif wire_type == _LENGTH_DELIMITED:
            length, position = _read_varint(data, position)
        elif wire_type in (_EIGHT_BYTES, _FOUR_BYTES):
            length = 8 if wire_type == _EIGHT_BYTES else 4
        else:
            raise ValueError(f"unknown wire type {wire_type}")
        if position + length > len(data):
            raise ValueError("the file is truncated")
        yield field, data[position : position + length]
        position += length


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    """An integer with seven bits per byte, the lowest first; and the position after it."""
    value = shift = 0
    while True:
        value |= (data[position] & 0x7F) << shift
        position += 1
        if data[position - 1] < 0x80:
            return value, position
        shift += 7
