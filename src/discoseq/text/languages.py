"""The rules of each language for words and sentences, as its treebanks have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

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
