"""What may be given as a sentence, and the tokens it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from discoseq.errors import ParserError
from discoseq.text.tokenization import tokenize
from discoseq.trees.tree import Token

# raw text, words, or words with tags
Sentence: TypeAlias = str | Sequence[str] | Sequence[Token]


def tokens_of(sentence: Sentence, language: str) -> tuple[Token, ...]:
    """Raw text is cut into words; words and tokens stay what they are, apart from functions, which belong to a tree."""
    if isinstance(sentence, str):
        return tuple(Token(word.text) for word in tokenize(sentence, language))
    return tuple(_token(item) for item in sentence)


def _token(item: object) -> Token:
    if isinstance(item, str):
        return Token(item)
    if isinstance(item, Token):
        return item if item.function is None else replace(item, function=None)
    raise ParserError(f"a sentence is a string, or has strings or tokens as its words, not {item!r}")
