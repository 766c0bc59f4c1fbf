"""The table of languages: what their treebanks keep in one word, what they cut, and where a period ends no sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from discoseq.errors import TextError

DEFAULT_LANGUAGE = "en"

_NOTHING = re.compile(r"(?!)")
# web and mail addresses; a mail address is looked for only where its name begins, or long words would take forever
_ADDRESS = r"(?:https?|ftp)://\S*[\w/]|\bwww\.\S*[\w/]|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+"
_AND_SIGN = r"\b&\b"  # AT&T
_YEAR = r"(?<!\w)['’]\d\ds?\b"  # '69
_FACE = r"(?<!\S)[:;=][-^']?[()\[\]DPpO|/\\](?!\S)"  # :-)


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of a language; what they say nothing of is cut as in the Penn Treebank."""

    name: str
    abbreviations: frozenset[str] = frozenset()  # in lower case, without the last period
    kept: re.Pattern[str] = re.compile(f"{_ADDRESS}|{_AND_SIGN}|{_YEAR}|{_FACE}")  # never cut
    apart: re.Pattern[str] = _NOTHING  # always a word of its own
    goes_on: re.Pattern[str] = _NOTHING  # the end of what is no sentence yet, and the first character after it
    spelling: Mapping[str, str] = field(default_factory=dict)  # words that the treebanks write in another way


def language_named(name: str) -> Language:
    """The language of that name; an unknown one lists those there are."""
    if name not in LANGUAGES:
        raise TextError(f"there is no language {name!r}; there are {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def _listed(abbreviations: str) -> frozenset[str]:
    return frozenset(abbreviations.split())


# only those that are hardly ever words themselves: a missed abbreviation cuts one sentence, a false one joins many
_ENGLISH = _listed(
    """
    a.m al approx apr assn aug ave bros capt cf chr co col corp d.c dec dept dr drs e.g eds esq etc feb fig figs gen gov
    hon i.e i.p inc jan jr lt ltd maj messrs mr mrs ms nos nov oct p p.m ph.d pp prof rev s.c sept seq sgt sr st u.k u.n
    u.s u.s.a viz vol vols vs
    """
)
_DUTCH = _listed(
    """
    a.s afd b.v bijv blz ca d.m.v d.w.z dhr dr drs ds e.d e.v enz etc i.p.v i.v.m ing ir j.l jhr jl jr m.a.w m.b.t mej
    mevr mld mln mr mw n.a.v n.v nl nr o.a o.i.v o.l.v o.m pag pct prof r.k resp soc st t.a.v t.b.v t.o.v v.d v.j v/h
    vgl z.g zg zgn
    """
)
_GERMAN = _listed(
    """
    abs bd bzgl bzw ca d.h dipl dr e.v etc evtl gebr ggf hrsg i.d.r inkl jg jh k.o lfd mio mrd nr o.ä o.g prof sog st
    str tel u.a u.ä u.s.w usw v.a vgl z.b z.t zzgl
    """
)

_PENN_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_ROUND_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}
# an apostrophe belongs to the Dutch word it is in (auto's) or begins ('t, 's, '69)
_DUTCH_KEPT = re.compile(rf"{_ADDRESS}|{_AND_SIGN}|\b['’]\b|{_YEAR}|(?<!\w)['’][stnmkr]\b|\d,-|{_FACE}")
# hyphens and slashes between letters, numbers and brackets; not after the prefixes that have no meaning of their own
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
        Language("en", _ENGLISH, goes_on=_ENGLISH_NUMBER, spelling=_PENN_BRACKETS),
        Language("en-hyphens", _ENGLISH, apart=_HYPHENS, goes_on=_ENGLISH_NUMBER, spelling=_ROUND_BRACKETS),
        Language("nl", _DUTCH, kept=_DUTCH_KEPT),
        Language("de", _GERMAN, goes_on=_GERMAN_ORDINAL),
        Language("other"),
    ]
}
