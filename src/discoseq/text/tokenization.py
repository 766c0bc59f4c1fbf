"""Splitting text into sentences and tokenizing them into words, with NLTK and the rules of the language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from discoseq.text.languages import DEFAULT_LANGUAGE, Language, language_named

MAX_WORDS = 500  # longer sentences are split, because a list or a table without periods would take too long to parse

_TAIL = 8  # characters at the end of a sentence that can show that it continues
_CHUNK = 20_000  # characters that are split together, if no empty line comes earlier
# White space, no-break and zero-width spaces and control characters separate words. Joiners and soft hyphens do not:
# emoji and some scripts are spelled with them.
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b]+")
_APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
_LETTER = "x"
_TOKENIZER = NLTKWordTokenizer()


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the treebanks of the language spell it, and its character offsets in the text."""

    text: str
    start: int
    end: int


def split_sentences(text: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """The sentences of a text; an empty line always ends a sentence, a single line break never does."""
    return list(_sentences(text.splitlines(keepends=True), language))


def read_sentences(lines: Iterable[str], language: str = DEFAULT_LANGUAGE) -> Iterator[list[str]]:
    """The words of every sentence, while the lines are read; sentences of more than MAX_WORDS words are split."""
    for sentence in _sentences(lines, language):
        words = [word.text for word in tokenize(sentence, language)]
        for start in range(0, len(words), MAX_WORDS):
            yield words[start : start + MAX_WORDS]


def tokenize(sentence: str, language: str = DEFAULT_LANGUAGE) -> list[Word]:
    """The words of one sentence; quotation marks are not changed."""
    rules = language_named(language)
    return list(_align(_TOKENIZER.tokenize(_prepare(sentence, rules)), sentence, rules))


def _sentences(lines: Iterable[str], language: str) -> Iterator[str]:
    chunk, size, limit = [""], 0, _CHUNK
    for line in lines:
        if not line.strip():
            yield from _split("".join(chunk), language)
            chunk, size, limit = [""], 0, _CHUNK
            continue
        chunk.append(line)
        size += len(line)
        if size > limit:
            *complete, rest = _split("".join(chunk), language)
            yield from complete
            # the limit doubles with the rest, so that a sentence without an end takes linear time
            chunk, size, limit = [rest + "\n"], len(rest), 2 * len(rest) + _CHUNK
    yield from _split("".join(chunk), language)


def _split(text: str, language: str) -> list[str]:
    continuation = language_named(language).continuation
    spans: list[tuple[int, int]] = []
    for start, end in _punkt(language).span_tokenize(text):
        if spans and continuation.search(text[max(spans[-1][0], spans[-1][1] - _TAIL) : start + 1]):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return [text[start:end] for start, end in spans]


@lru_cache
def _punkt(language: str) -> PunktSentenceTokenizer:
    parameters = PunktParameters()
    parameters.abbrev_types = set(language_named(language).abbreviations)
    return PunktSentenceTokenizer(parameters)


def _prepare(sentence: str, language: Language) -> str:
    """Replace protected patterns by letters, and put spaces around separate ones; the rest is not changed."""
    text = language.protected.sub(lambda match: _LETTER * len(match[0]), sentence)
    text = _APOSTROPHE.sub("'", text)  # NLTK knows n't and 's only with this apostrophe
    text = language.separate.sub(r" \g<0> ", text)
    return _SPACE.sub(" ", text)


def _align(words: list[str], sentence: str, language: Language) -> Iterator[Word]:
    """Find the words in the sentence; apart from spaces, they have as many characters as their text there."""
    end = 0
    for word in words:
        space = _SPACE.match(sentence, end)
        start = space.end() if space else end
        # NLTK replaces one quotation mark by two characters
        is_one_mark = word in ("``", "''") and sentence[start] == '"'
        end = start + (1 if is_one_mark else len(word))
        text = sentence[start:end]
        yield Word(language.spelling.get(text, text), start, end)
