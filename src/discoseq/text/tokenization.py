"""Raw text of a sentence to words, as the treebanks of its language write them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from discoseq.errors import TextError

DEFAULT_LANGUAGE = "en"

_LETTER = r"[^\W\d_]"
_NEVER = r"(?!)"
# White space, no-break and zero-width spaces and control characters separate words. Joiners and soft hyphens do not:
# emoji and some scripts are spelled with them.
SPACE = r"\s\x00-\x1f\x7f-\x9f\u200b"
CLOSING = r"\"'”’»«“‘)\]}›‹"  # what can stand after the period of a sentence; quotation marks differ by language
EMOTICON = r"(?<!\S)[:;=][-^']?[()\[\]DPpO|/\\*](?![^\s.,!?])"  # :-)
_PICTURES = r"\u2600-\u27bf\U0001f000-\U0001faff"
EMOJI = rf"[{_PICTURES}](?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d[{_PICTURES}])*+"

# an address may have brackets in it, and does not end in punctuation
_ADDRESS_END = r"(?:[^\s()<>\"“”„«»]|\([^\s()]*+\))*(?:\([^\s()]*+\)|[\w/=#])"
_UNITS = "|".join(
    [
        rf"(?:https?|ftp)://{_ADDRESS_END}|\bwww\.{_ADDRESS_END}",
        r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+",  # the lookbehind keeps the search linear in long words
        r"(?<![\w.-])[\w-]++(?:\.[\w-]++)++/(?:\S*[\w/])?",  # example.org/page
        r"(?<!\S)~?/\w[\w./-]*+(?<=[\w/])|\b[A-Za-z]:\\(?:[^\s\"]*[\w\\])?",  # paths
        EMOTICON,
        r"(?<!\S)<3(?![^\s.,!?])|</?[A-Za-z]\w*/?>",
        EMOJI,
        r"(?<![\w#@])[#@](?=\d*[^\W\d])\w+",  # hashtags and user names
        r"\b[A-Z]#(?!\w)",  # C#
        r"(?<!\w)['’]\d\d(?:s|ers?)?(?!\w)",  # '69
        r"°[CFK]?(?!\w)",
    ]
)
_MARKS = r";@#$%&*?!()\[\]{}<>\"“”„‚‘’'«»‹›`…—―,:€£¥°"
_OPENING = re.compile(rf"(?<![\w.,;:?!…)])['’](?=[^{SPACE}])")
_END = re.compile(rf"[{CLOSING}{SPACE}]*\Z")
_CLOSED = re.compile(rf"[{CLOSING}]")
_LONGEST_CLITIC, _MOST_CLITICS = 3, 2  # characters of one, and how many a word has (could n't 've)
_ACRONYM = re.compile(rf"(?:{_LETTER}\.)+{_LETTER}{{1,3}}")  # U.S, v.Chr


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the treebanks of the language spell it, and its character offsets in the text."""

    text: str
    start: int
    end: int


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
    """The rules of a language. Patterns are parts of the pattern of a word."""

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


def tokenize(sentence: str, language: str | Language = DEFAULT_LANGUAGE) -> list[Word]:
    """The words of one sentence; quotation marks are not changed."""
    rules = language_named(language) if isinstance(language, str) else language
    spans = _spans(sentence, rules)
    return [Word(rules.spelling.get(sentence[a:b], sentence[a:b]), a, b) for a, b in spans]


def read_abbreviations(path: str | Path) -> list[str]:
    """A user's own abbreviations, one a line; empty lines and those that begin with # are skipped."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise TextError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TextError(f"{path}: is not UTF-8 (byte {error.start + 1})") from None
    entries = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    wanted = [(number, entry) for number, entry in entries if entry and not entry.startswith("#")]
    for number, entry in wanted:
        if len(entry.split()) > 1:
            raise TextError(f"{path}:{number}: an abbreviation has no spaces: {entry!r}; put one on a line")
    return [entry for _, entry in wanted]


def language_named(name: str) -> Language:
    """The language with this name."""
    if name not in LANGUAGES:
        raise TextError(f"unknown language {name!r}; choose one of {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def is_abbreviation(word: str, language: Language) -> bool:
    """Whether a period after the word belongs to it, wherever the word stands."""
    known = language.abbreviations
    sets = [known.before_name, known.closing, known.other]
    return any(has_word(words, word) for words in sets) or _ACRONYM.fullmatch(word) is not None


def has_word(words: frozenset[str], word: str) -> bool:
    """Whether the set has the word as it is, or in lower case; a capital alone is an initial."""
    return word in words or (len(word) > 1 and word.lower() in words)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of a language, compiled."""

    word: re.Pattern[str]
    clitic: re.Pattern[str]
    elision: re.Pattern[str]


@lru_cache
def _patterns(units: str, separate: str, joined: str, clitics: str, elision: str, names: frozenset[str]) -> _Patterns:
    units = "|".join([units, *(rf"\b{re.escape(name)}" for name in sorted(names)), _UNITS])
    apart = rf"\.{{2,}}+|-{{2,}}+|#{{2,}}+|``|''|[{_MARKS}]"
    between = r"(?<=\d)[,:](?=\d)|(?<=[\w.])['’](?=\w)|(?<=\w)&(?=\w)"
    inside = rf"{joined}|{between}|\.(?!\.)|-(?!-)|[^{_MARKS}{_PICTURES}{SPACE}.-]"
    word = rf"(?:(?!{separate})(?:{inside}))+"
    return _Patterns(
        re.compile(rf"(?P<unit>{units})|(?P<separate>{separate})|(?P<word>{word})|{apart}", re.IGNORECASE),
        re.compile(rf"(?:{clitics})$", re.IGNORECASE),
        re.compile(elision, re.IGNORECASE),
    )


def _spans(sentence: str, language: Language) -> Iterator[tuple[int, int]]:
    chunks: list[tuple[int, int, bool]] = []  # start, end, and whether it is a word that may have to be split
    is_quoted = False  # within single quotation marks, which look like apostrophes
    names = language.abbreviations.names
    patterns = _patterns(language.units, language.separate, language.joined, language.clitics, language.elision, names)
    for match in patterns.word.finditer(sentence):
        start, end = match.span()
        if match.lastgroup is None and match[0] in "'’":
            last_start, last_end, is_word = chunks[-1] if chunks else (0, -1, False)
            if is_word and last_end == start and not is_quoted:
                if patterns.elision.search(sentence[last_start:last_end]):
                    chunks[-1] = last_start, end, False
                    continue
            else:
                is_quoted = not is_quoted and _OPENING.match(sentence, start) is not None
        elif match.lastgroup is None and match[0] in "‘‚`":
            is_quoted = True
        chunks.append((start, end, match.lastgroup == "word"))
    for start, end, is_word in chunks:
        yield from _pieces(sentence, start, end, language, patterns.clitic) if is_word else [(start, end)]


def _pieces(
    sentence: str, start: int, end: int, language: Language, clitic: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """Separate the period of the sentence, clitics and contractions from a word."""
    stop = end - 1 if _has_own_period(sentence, start, end, language) else end
    word = sentence[start:stop]
    first = language.contractions.get(word.lower().replace("’", "'"))
    cuts = [stop] if first is None else [stop, start + first]
    for _ in range(0 if word.isalnum() or first is not None else _MOST_CLITICS):
        if match := clitic.search(sentence, max(start + 1, cuts[-1] - _LONGEST_CLITIC), cuts[-1]):
            cuts.append(match.start())
    yield from pairwise([start, *reversed(cuts)])
    if stop < end:
        yield stop, end


def _has_own_period(sentence: str, start: int, end: int, language: Language) -> bool:
    """Whether the word ends in a period that is not part of it: that of the sentence or of a quotation."""
    word = sentence[start : end - 1]
    if sentence[end - 1] != "." or not word or is_abbreviation(word, language):
        return False
    return _END.match(sentence, end) is not None or (len(word) > 1 and _CLOSED.match(sentence, end) is not None)


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
_ENGLISH_CONTRACTIONS = {
    "cannot": 3,
    "gonna": 3,
    "gotta": 3,
    "wanna": 3,
    "gimme": 3,
    "lemme": 3,
    "d'ye": 1,
    "more'n": 4,
}
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
        Language("nl", _ABBREVIATIONS["nl"], units=_DUTCH_UNITS, joined=rf"{_PRICE}|(?<=\d)%", elision=r"[sxzSXZ]$"),
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
