"""What tokenization needs to know of a language: its abbreviations, and what makes a word of its treebanks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from discoseq.errors import TextError

DEFAULT_LANGUAGE = "en"

_LETTER = r"[^\W\d_]"
_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """The words before periods, without the period; abbreviations.toml says what each set is for."""

    before_name: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    first_words: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    before_letter: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of a language. Patterns are parts of the pattern of a word (words.py)."""

    name: str
    abbreviations: Abbreviations = field(default_factory=Abbreviations)
    units: str = _NEVER  # never split
    separate: str = _NEVER  # always a word of its own
    joined: str = _NEVER  # punctuation that is part of the word around it
    clitics: str = _NEVER  # at the end of a word, a word of its own
    contractions: Mapping[str, int] = field(default_factory=dict)  # two words in one, and the length of the first
    elision: str = rf"{_LETTER}$"  # the end of a word to which an apostrophe after it belongs
    spelling: Mapping[str, str] = field(default_factory=dict)  # words that the treebanks spell differently
    has_ordinals: bool = False  # a number with a period is an ordinal (am 11. September)

    def with_abbreviations(self, words: Iterable[str]) -> Language:
        """The same language with more abbreviations, such as `Abt.`; the last period may be left out."""
        more = frozenset(word.strip().removesuffix(".") for word in words) - {""}
        known = self.abbreviations
        return replace(self, abbreviations=replace(known, other=known.other | more))


def language_named(name: str) -> Language:
    """The language with this name."""
    if name not in LANGUAGES:
        raise TextError(f"unknown language {name!r}; choose one of {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def _read_abbreviations() -> dict[str, Abbreviations]:
    tables = tomllib.loads(Path(__file__).with_name("abbreviations.toml").read_text(encoding="utf-8"))
    return {
        language: Abbreviations(
            *(frozenset(word.removesuffix(".") for word in table[part.name].split()) for part in fields(Abbreviations))
        )
        for language, table in tables.items()
    }


_ABBREVIATIONS = _read_abbreviations()
_PENN_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_ROUND_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}

_ENGLISH_UNITS = (
    r"(?<!\w)['’]t(?=(?:is|was|were|will|would)\b)"  # 't was
    r"|(?<!\w)['’](?:s|m|d|ll|re|ve)(?!\w)"
    r"|(?<!\w)['’](?:em|til|cause|bout|round|n)(?!\w)"
    r"|\b(?:US|CA?|AU?|NZ|HK)\$"
)
_ENGLISH_CLITICS = r"n['’]t|['’](?:s|m|d|ll|re|ve)"
_ENGLISH_CONTRACTIONS = {"cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "gimme": 3, "lemme": 3, "d'ye": 1, "more'n": 4}
_ENGLISH_ELISION = r"\w\win$|^(?:an|ol?|yo|th)$"  # goin'; other apostrophes are words of their own (the girls')
# hyphens and slashes between letters, numbers and brackets; not after prefixes such as anti-
_HYPHENS = (
    r"(?<=[\w)\]])(?<!\banti)(?<!\bnon)(?<!\bpre)(?<!\bpost)(?<!\bco)(?<!\bsub)(?<!\binter)[-–/](?=[\w(\[])"
    r"|(?<=\w)[-–/+−](?![\w-])|[=<>±×~′]"
)
# (werk)dag, echtgeno(o)t(e), Lehrer(innen)
_BRACKETS_IN_WORDS = rf"(?<!\w)(?:(?:{_LETTER}|(?<=\w)-)++\({_LETTER}++\))+{_LETTER}*+|\({_LETTER}++\)-?{_LETTER}++"
_PRICE = r"(?<=\d),-(?!\w)"  # 10,-
_DUTCH_UNITS = r"(?<!\w)['’](?:[stk]-\w[\w-]*|(?:[stnmkr]|ns|er|ie)(?!\w))|" + _BRACKETS_IN_WORDS
_GERMAN_UNITS = r"(?<!\w)['’](?:s|n|ne|nen|ner|m)(?!\w)|" + _BRACKETS_IN_WORDS
_GENDER = rf"(?<={_LETTER})(?:\*(?={_LETTER})|:(?=in(?:nen)?\b))"  # Lehrer*innen

_ENGLISH = Language(
    "en",
    _ABBREVIATIONS["en"],
    units=_ENGLISH_UNITS,
    separate=rf"(?<={_LETTER})/(?={_LETTER})",
    clitics=_ENGLISH_CLITICS,
    contractions=_ENGLISH_CONTRACTIONS,
    elision=_ENGLISH_ELISION,
    spelling=_PENN_BRACKETS,
)
LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in [
        _ENGLISH,
        replace(_ENGLISH, name="en-hyphens", separate=_HYPHENS, spelling=_ROUND_BRACKETS),
        Language(
            "nl", _ABBREVIATIONS["nl"], units=_DUTCH_UNITS, joined=rf"{_PRICE}|(?<=\d)%", elision=r"[sxzSXZ]$"
        ),
        Language(
            "de",
            _ABBREVIATIONS["de"],
            units=_GERMAN_UNITS,
            joined=f"{_PRICE}|{_GENDER}",
            clitics=r"['’]s",
            has_ordinals=True,
        ),
        Language("other"),
    ]
}
