"""Raw text to sentences to words, by the rules of a language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from discoseq.errors import TextError

DEFAULT_LANGUAGE = "en"

_NEVER = re.compile(r"(?!)")
# web and mail addresses; the lookbehind keeps the search for mail addresses linear in long words
_ADDRESS = r"(?:https?|ftp)://\S*[\w/]|\bwww\.\S*[\w/]|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+"
_AMPERSAND = r"\b&\b"  # AT&T
_YEAR = r"(?<!\w)['’]\d\ds?\b"  # '69
_EMOTICON = r"(?<!\S)[:;=][-^']?[()\[\]DPpO|/\\](?!\S)"  # :-)


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of a language; everything else is tokenized as in the Penn Treebank."""

    name: str
    abbreviations: frozenset[str] = frozenset()  # in lower case, without the last period
    protected: re.Pattern[str] = re.compile(f"{_ADDRESS}|{_AMPERSAND}|{_YEAR}|{_EMOTICON}")  # never split
    separate: re.Pattern[str] = _NEVER  # always a word of its own
    continuation: re.Pattern[str] = _NEVER  # the end of an incomplete sentence with the first character after it
    spelling: Mapping[str, str] = field(default_factory=dict)  # words that the treebanks spell differently


def language_named(name: str) -> Language:
    """The language with this name."""
    if name not in LANGUAGES:
        raise TextError(f"unknown language {name!r}; choose one of {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# only abbreviations that are rarely words: a missed abbreviation splits one sentence, a false one joins many
_ENGLISH = _words(
    """
    a.m al approx apr assn aug ave bros capt cf chr co col corp d.c dec dept dr drs e.g eds esq etc feb fig figs gen gov
    hon i.e i.p inc jan jr lt ltd maj messrs mr mrs ms nos nov oct p p.m ph.d pp prof rev s.c sept seq sgt sr st u.k u.n
    u.s u.s.a viz vol vols vs
    """
)
_DUTCH = _words(
    """
    a.s afd b.v bijv blz ca d.m.v d.w.z dhr dr drs ds e.d e.v enz etc i.p.v i.v.m ing ir j.l jhr jl jr m.a.w m.b.t mej
    mevr mld mln mr mw n.a.v n.v nl nr o.a o.i.v o.l.v o.m pag pct prof r.k resp soc st t.a.v t.b.v t.o.v v.d v.j v/h
    vgl z.g zg zgn
    """
)
_GERMAN = _words(
    """
    abs bd bzgl bzw ca d.h dipl dr e.v etc evtl gebr ggf hrsg i.d.r inkl jg jh k.o lfd mio mrd nr o.ä o.g prof sog st
    str tel u.a u.ä u.s.w usw v.a vgl z.b z.t zzgl
    """
)

_PENN_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_ROUND_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}
# in Dutch, an apostrophe belongs to the word (auto's, 't, 's, '69)
_DUTCH_PROTECTED = re.compile(rf"{_ADDRESS}|{_AMPERSAND}|\b['’]\b|{_YEAR}|(?<!\w)['’][stnmkr]\b|\d,-|{_EMOTICON}")
# hyphens and slashes between letters, numbers and brackets; not after prefixes such as anti-
_HYPHENS = re.compile(
    r"(?<=[\w)\]])(?<!\banti)(?<!\bnon)(?<!\bpre)(?<!\bpost)(?<!\bco)(?<!\bsub)(?<!\binter)[-–/](?=[\w(\[])"
    r"|(?<=\w)[-–/+−](?![\w-])|[=<>±×~′]",
    re.IGNORECASE,
)

_ENGLISH_NUMBER = re.compile(r"\bNo\.\s+\d")  # No. 7
# am 11. September; longer numbers are years, which end sentences
_GERMAN_ORDINAL = re.compile(r"(?<![\w.,:-])\d{1,2}\.\s+\S")

LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in [
        Language("en", _ENGLISH, continuation=_ENGLISH_NUMBER, spelling=_PENN_BRACKETS),
        Language("en-hyphens", _ENGLISH, separate=_HYPHENS, continuation=_ENGLISH_NUMBER, spelling=_ROUND_BRACKETS),
        Language("nl", _DUTCH, protected=_DUTCH_PROTECTED),
        Language("de", _GERMAN, continuation=_GERMAN_ORDINAL),
        Language("other"),
    ]
}


MAX_WORDS = 500  # longer sentences are split, because a list or a table without periods would take too long to parse

_TAIL = 8  # characters at the end of a sentence that can show that it continues
_LONG_REST = 2_000  # characters of an incomplete sentence from which on it is not looked at after every line
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


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A sentence of a text, its character offset there, and its words, whose offsets are in the text, too."""

    text: str
    start: int
    words: tuple[Word, ...]


def split_sentences(text: str, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """The sentences of a text; an empty line always ends a sentence, a single line break never does."""
    return [sentence for _, sentence in _sentences(text.splitlines(keepends=True), language)]


def read_sentences(lines: Iterable[str], language: str = DEFAULT_LANGUAGE) -> Iterator[TextSentence]:
    """Every sentence as soon as the lines show where it ends; one of more than MAX_WORDS words is split."""
    for start, sentence in _sentences(lines, language):
        words = [Word(word.text, start + word.start, start + word.end) for word in tokenize(sentence, language)]
        for first in range(0, len(words), MAX_WORDS):
            part = tuple(words[first : first + MAX_WORDS])
            text = sentence[part[0].start - start : part[-1].end - start]
            yield TextSentence(text, part[0].start, part)


def tokenize(sentence: str, language: str = DEFAULT_LANGUAGE) -> list[Word]:
    """The words of one sentence; quotation marks are not changed."""
    rules = language_named(language)
    return list(_align(_TOKENIZER.tokenize(_prepare(sentence, rules)), sentence, rules))


def _sentences(lines: Iterable[str], language: str) -> Iterator[tuple[int, str]]:
    """The sentences with their offsets; the last one so far is complete when text follows it or an empty line."""
    chunk, start, size, limit = [""], 0, 0, 0
    for line in chain(lines, [""]):
        chunk.append(line)
        size += len(line)
        is_end = not line.strip()
        if is_end or size > limit:
            text = "".join(chunk)
            spans = _split(text, language)
            rest = len(text) if is_end or not spans else spans[-1][0]
            yield from ((start + begin, text[begin:end]) for begin, end in spans if begin < rest)
            chunk, start, size = [text[rest:]], start + rest, len(text) - rest
            # the limit doubles with a long rest, so that a sentence without an end takes linear time
            limit = 2 * size if size > _LONG_REST else 0


def _split(text: str, language: str) -> list[tuple[int, int]]:
    continuation = language_named(language).continuation
    spans: list[tuple[int, int]] = []
    for start, end in _punkt(language).span_tokenize(text):
        if spans and continuation.search(text[max(spans[-1][0], spans[-1][1] - _TAIL) : start + 1]):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return spans


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
