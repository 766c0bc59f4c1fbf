"""Raw text -> sentences, by NLTK's Punkt with the abbreviations of the language; a file of any size as it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from discoseq.text.languages import DEFAULT_LANGUAGE, language_named
from discoseq.text.words import tokenize

MOST_WORDS = 500  # a list or a table without a single period would be one sentence, and parsing it would take forever
_TAIL = 8  # characters of a sentence that tell whether it goes on
_PIECE = 20_000  # characters that are looked at together, where no empty line ends them earlier


def split_sentences(text: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """The sentences of a text; an empty line ends one in any case, a single line break never."""
    return list(_sentences(text.splitlines(keepends=True), language))


def read_sentences(lines: Iterable[str], language: str = DEFAULT_LANGUAGE) -> Iterator[list[str]]:
    """The words of every sentence in the lines of a text; what is longer than MOST_WORDS comes in pieces."""
    for sentence in _sentences(lines, language):
        words = [word.text for word in tokenize(sentence, language)]
        for start in range(0, len(words), MOST_WORDS):
            yield words[start : start + MOST_WORDS]


def _sentences(lines: Iterable[str], language: str) -> Iterator[str]:
    piece, size, limit = [""], 0, _PIECE
    for line in lines:
        if not line.strip():
            yield from _split("".join(piece), language)
            piece, size, limit = [""], 0, _PIECE
            continue
        piece.append(line)
        size += len(line)
        if size > limit:
            *complete, rest = _split("".join(piece), language)
            yield from complete
            # a sentence that does not end is not looked at again before as much has been added to it
            piece, size, limit = [rest + "\n"], len(rest), 2 * len(rest) + _PIECE
    yield from _split("".join(piece), language)


def _split(text: str, language: str) -> list[str]:
    goes_on = language_named(language).goes_on
    spans: list[tuple[int, int]] = []
    for start, end in _punkt(language).span_tokenize(text):
        if spans and goes_on.search(text[max(spans[-1][0], spans[-1][1] - _TAIL) : start + 1]):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return [text[start:end] for start, end in spans]


@lru_cache
def _punkt(language: str) -> PunktSentenceTokenizer:
    parameters = PunktParameters()
    parameters.abbrev_types = set(language_named(language).abbreviations)
    return PunktSentenceTokenizer(parameters)
