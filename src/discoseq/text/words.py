"""A sentence to words, as the treebanks of its language write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from discoseq.text.languages import DEFAULT_LANGUAGE, Language, language_named

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
_LETTER = r"[^\W\d_]"
_OPENING = re.compile(rf"(?<![\w.,;:?!…)])['’](?=[^{SPACE}])")
_END = re.compile(rf"[{CLOSING}{SPACE}]*\Z")
_CLOSED = re.compile(rf"[{CLOSING}]")
_ACRONYM = re.compile(rf"(?:{_LETTER}\.)+{_LETTER}{{1,3}}")  # U.S, v.Chr


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the treebanks of the language spell it, and its character offsets in the text."""

    text: str
    start: int
    end: int


def tokenize(sentence: str, language: str | Language = DEFAULT_LANGUAGE) -> list[Word]:
    """The words of one sentence; quotation marks are not changed."""
    rules = language_named(language) if isinstance(language, str) else language
    spans = _spans(sentence, rules)
    return [Word(rules.spelling.get(sentence[a:b], sentence[a:b]), a, b) for a, b in spans]


def is_abbreviation(word: str, language: Language) -> bool:
    """Whether a period after the word belongs to it, wherever the word stands."""
    known = language.abbreviations
    sets = [known.before_name, known.closing, known.other]
    return any(has_word(words, word) for words in sets) or _ACRONYM.fullmatch(word) is not None


def has_word(words: frozenset[str], word: str) -> bool:
    """Whether the set has the word as it is, or in lower case; a capital alone is an initial."""
    return word in words or (len(word) > 1 and word.lower() in words)


@lru_cache
def _pattern(units: str, separate: str, joined: str, names: frozenset[str]) -> re.Pattern[str]:
    units = "|".join([units, *(rf"\b{re.escape(name)}" for name in sorted(names)), _UNITS])
    apart = rf"\.{{2,}}+|-{{2,}}+|#{{2,}}+|``|''|[{_MARKS}]"
    inside = rf"{joined}|(?<=\d)[,:](?=\d)|(?<=[\w.])['’](?=\w)|(?<=\w)&(?=\w)|\.(?!\.)|-(?!-)|[^{_MARKS}{_PICTURES}{SPACE}.-]"
    word = rf"(?:(?!{separate})(?:{inside}))+"
    return re.compile(rf"(?P<unit>{units})|(?P<separate>{separate})|(?P<word>{word})|{apart}", re.IGNORECASE)


def _spans(sentence: str, language: Language) -> Iterator[tuple[int, int]]:
    chunks: list[tuple[int, int, bool]] = []  # start, end, and whether it is a word that may have to be split
    is_quoted = False  # within single quotation marks, which look like apostrophes
    names = language.abbreviations.names
    for match in _pattern(language.units, language.separate, language.joined, names).finditer(sentence):
        start, end = match.span()
        if match.lastgroup is None and match[0] in "'’":
            last_start, last_end, is_word = chunks[-1] if chunks else (0, -1, False)
            if is_word and last_end == start and not is_quoted:
                if re.search(language.elision, sentence[last_start:last_end], re.IGNORECASE):
                    chunks[-1] = last_start, end, False
                    continue
            else:
                is_quoted = not is_quoted and _OPENING.match(sentence, start) is not None
        elif match.lastgroup is None and match[0] in "‘‚`":
            is_quoted = True
        chunks.append((start, end, match.lastgroup == "word"))
    for start, end, is_word in chunks:
        yield from _pieces(sentence, start, end, language) if is_word else [(start, end)]


def _pieces(sentence: str, start: int, end: int, language: Language) -> Iterator[tuple[int, int]]:
    """Separate the period of the sentence, clitics and contractions from a word."""
    stop = end - 1 if _has_own_period(sentence, start, end, language) else end
    first = language.contractions.get(sentence[start:stop].lower().replace("’", "'"))
    cuts = [stop] if first is None else [stop, start + first]
    clitic = re.compile(rf"(?:{language.clitics})$", re.IGNORECASE)
    while (match := clitic.search(sentence, start + 1, cuts[-1])) and first is None:
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
