"""One sentence of raw text -> its words, by NLTK's rules and those of the language, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nltk.tokenize.destructive import NLTKWordTokenizer

from discoseq.text.languages import DEFAULT_LANGUAGE, Language, language_named

# What separates words: white space of every kind, no-break and zero-width spaces and control characters included.
# Joiners and soft hyphens stay: emoji and some scripts are spelled with them.
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b]+")
_APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
_LETTER = "x"
_TOKENIZER = NLTKWordTokenizer()


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the treebanks of the language spell it, and where it stands in the text."""

    text: str
    start: int
    end: int


def tokenize(sentence: str, language: str = DEFAULT_LANGUAGE) -> list[Word]:
    """The words of one sentence; none where it is empty. Quotation marks stay as they are."""
    chosen = language_named(language)
    return list(_aligned(_TOKENIZER.tokenize(_prepared(sentence, chosen)), sentence, chosen))


def _prepared(sentence: str, language: Language) -> str:
    """The sentence with letters in place of what must not be cut, and spaces around what must be.

    Spaces aside, every character stays in its place.
    """
    text = language.kept.sub(lambda match: _LETTER * len(match[0]), sentence)
    text = _APOSTROPHE.sub("'", text)  # NLTK knows n't and 's with this one only
    text = language.apart.sub(r" \g<0> ", text)
    return _SPACE.sub(" ", text)


def _aligned(words: list[str], sentence: str, language: Language) -> Iterator[Word]:
    place = 0
    for word in words:
        space = _SPACE.match(sentence, place)
        start = space.end() if space else place
        # NLTK writes both of its quotation marks for one character
        is_one_mark = word in ("``", "''") and sentence[start] == '"'
        place = start + (1 if is_one_mark else len(word))
        text = sentence[start:place]
        yield Word(language.spelling.get(text, text), start, place)
