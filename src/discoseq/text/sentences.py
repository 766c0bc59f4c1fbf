"""Raw text to sentences, while its lines are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO

from discoseq.errors import TextError
from discoseq.text.tokenization import (
    CLOSING,
    DEFAULT_LANGUAGE,
    EMOJI,
    EMOTICON,
    SPACE,
    Language,
    Word,
    has_word,
    is_abbreviation,
    language_named,
    tokenize,
)

MAX_WORDS = 500  # longer sentences are split, because a list or a table without periods would take too long to parse

_MARKS = ".!?…؟۔।॥"
_END = re.compile(
    rf"(?:(?P<mark>(?<![{_MARKS}])[{_MARKS}]++|{EMOJI}|(?:{EMOTICON}))(?P<closing>[{CLOSING}]*)(?:[{SPACE}]+|\Z))"
    rf"|[。！？｡][」』）{CLOSING}]*[{SPACE}]*"  # Chinese and Japanese have no spaces
)
_OPENING = "\"'“„”»«‘‚‹›([{¿¡`"
_NEXT = re.compile(
    rf"(?:(?:[-–—]+|\.{{2,}}|…)[{SPACE}]*)?[{re.escape(_OPENING)}$€£¥§]*"
    r"(?:(?<=['’])[a-z]\s+(?=[A-Z]))?"  # 't Was
    r"(?P<word>\w+(?:['’]\w+)*)?(?P<after>.?)",
    re.DOTALL,
)
_CONTINUING = frozenset(" ,;:.!?…)]}%/|&=+<>-–—\n")  # what can't begin a sentence
_TAIL = 80  # characters before a period in which the last two words are looked for
_WORD_BEFORE = re.compile(rf"[^{SPACE}\"“„”»«‘‚‹›(\[{{¿¡`–-]+")
_OMISSION = re.compile(r"[(\[](?:\.+|…)[)\]]")
_LONG = 4  # letters
_CITATION = re.compile(r"\[\d")  # as he says. [13]
_FIRST_LETTER = re.compile(r"[\W_]*(\w)")
_INITIAL = re.compile(r"[^\W\d_]")
_ORDINAL = re.compile(r"\d{1,2}(?:\.\d{1,2})?|[IVXLC]+")  # 11. September, Ludwig XIV.
_NUMBER = re.compile(r"\w*\d\w*|[IVXLC]+|[A-Z]")
_MARKER = re.compile(rf"[\W_]*(?:\d{{1,3}}|{_INITIAL.pattern}|[ivx]+|[IVX]+)")  # of a list item: 1. or a.
_LONGEST_MARKER = 20  # characters
_WITHOUT_VOWEL = re.compile(r"[A-Z]?[bcdfghjklmnpqrstvwxz]{1,5}")  # surely an abbreviation

_BULLET = re.compile(r"\s*(?:[•◦▪‣⁃>]|[*·]\s|#{1,6}\s)")
_ITEM = re.compile(rf"\s*(?:[-–—]\s|\(?(?:\d{{1,3}}|{_INITIAL.pattern}|[ivx]+)[.)]+\s)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_HEADER = re.compile(r"[A-Z][\w-]*(?: [\w-]+)?:\s+\S")  # Subject: Your visit
_SALUTATION_WORDS = 4
_NARROW = 60  # characters; nobody wraps the lines of a text to fewer
_SHORT = 0.6  # of the longest line, and a line ends before it must


class LineBreaks(StrEnum):
    """What a line break means. An empty line always ends a sentence."""

    GUESS = "guess"  # a space, except after headings, list items, mail headers and salutations
    SENTENCE = "sentence"  # it ends a sentence
    SPACE = "space"


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A sentence of a text, its character offset there, and its words, whose offsets are in the text, too."""

    text: str
    start: int
    words: tuple[Word, ...]


def split_sentences(
    text: str, language: str | Language = DEFAULT_LANGUAGE, line_breaks: str = LineBreaks.GUESS
) -> list[str]:
    """The sentences of a text."""
    return [sentence for _, sentence in _sentences(StringIO(text), _rules(language), _line_breaks(line_breaks))]


def read_sentences(
    lines: Iterable[str],
    language: str | Language = DEFAULT_LANGUAGE,
    line_breaks: str = LineBreaks.GUESS,
) -> Iterator[TextSentence]:
    """Every sentence as soon as the lines show where it ends; one of more than MAX_WORDS words is split."""
    rules = _rules(language)
    for start, sentence in _sentences(lines, rules, _line_breaks(line_breaks)):
        words = [Word(word.text, start + word.start, start + word.end) for word in tokenize(sentence, rules)]
        for first in range(0, len(words), MAX_WORDS):
            part = tuple(words[first : first + MAX_WORDS])
            yield TextSentence(sentence[part[0].start - start : part[-1].end - start], part[0].start, part)


def _rules(language: str | Language) -> Language:
    return language_named(language) if isinstance(language, str) else language


def _line_breaks(name: str) -> LineBreaks:
    if name not in list(LineBreaks):
        raise TextError(f"unknown meaning of line breaks {name!r}; choose one of {', '.join(LineBreaks)}")
    return LineBreaks(name)


def _sentences(lines: Iterable[str], rules: Language, line_breaks: LineBreaks) -> Iterator[tuple[int, str]]:
    """The sentences with their offsets, without the space around them."""
    text, offset, scanned = "", 0, 0  # what is not yet known to be complete, where it begins, how far it was looked at
    paragraph = _Paragraph()
    for line in lines:
        is_empty = not line.strip()
        if is_empty or (line_breaks == LineBreaks.GUESS and paragraph.ends_before(line)):
            yield from _stripped(text, offset)
            text, offset, scanned = "", offset + len(text), 0
        paragraph = _Paragraph() if is_empty else paragraph.followed_by(line)
        text += line
        begin = 0
        for match in _END.finditer(text, scanned):
            if _is_end(text, begin, match, rules):
                yield from _stripped(text[begin : match.end()], offset + begin)
                begin = match.end()
            elif match.end() == len(text):
                scanned = match.start()  # the next line may show that it was the end
                break
        else:
            scanned = len(text)
        if line_breaks == LineBreaks.SENTENCE:
            yield from _stripped(text[begin:], offset + begin)
            begin = scanned = len(text)
        text, offset, scanned = text[begin:], offset + begin, scanned - begin
    yield from _stripped(text, offset)


def _stripped(text: str, offset: int) -> Iterator[tuple[int, str]]:
    if sentence := text.strip():
        yield offset + len(text) - len(text.lstrip()), sentence


def _is_end(text: str, begin: int, match: re.Match[str], rules: Language) -> bool:
    """Whether a sentence ends with the mark. At the end of the text: whether it does before any word."""
    mark = match["mark"]
    if mark is None:  # Chinese or Japanese
        return True
    *_, previous, last = "", "", *_WORD_BEFORE.findall(text, max(begin, match.start() - _TAIL), match.start())
    last = "" if text[match.start() - 1].isspace() else last.lstrip("'’")
    is_ellipsis = "…" in mark or ".." in mark
    if is_ellipsis and _OMISSION.match(text, match.start() - 1):
        return False
    is_marker = match.start() - begin < _LONGEST_MARKER and _MARKER.fullmatch(text, begin, match.start())
    if last + mark in rules.abbreviations.names or (mark == "." and is_marker):
        return False
    following = _NEXT.match(text, match.end())
    assert following is not None  # all its parts may be empty
    word = following["word"] or ""
    if match.end() == len(text):
        is_possible = mark[-1] in ".!?" and not is_ellipsis and not match["closing"]
    elif not word:
        return mark[-1] in _MARKS and following["after"] not in _CONTINUING
    elif mark[-1] not in ".!?…" or is_ellipsis:
        is_possible = word[0].isupper()
    elif word.islower() and word[0].isalpha():
        first = _FIRST_LETTER.match(text, begin)
        is_informal = first is not None and first[1].islower()
        is_sentence = is_informal or (mark == "." and _is_word(last, previous, rules))
        is_possible = last != "" and not match["closing"] and is_sentence
    else:
        is_possible = not _CITATION.match(text, match.end())
    return is_possible and (mark != "." or _is_end_of_word(last, previous, word, following["after"], rules))


def _is_word(last: str, previous: str, rules: Language) -> bool:
    """Whether what stands before a period and a word in lower case is surely no abbreviation that nobody listed."""
    is_function_word = last.title() in rules.abbreviations.first_words and not previous[-1:].isdigit()  # 5 in.
    return len(last) >= _LONG or (len(last) > 1 and last.isupper()) or is_function_word


def _is_end_of_word(last: str, previous: str, word: str, after: str, rules: Language) -> bool:
    """Whether a period ends the sentence and not just the last word; `word` and the character `after` it follow."""
    known = rules.abbreviations
    begins_sentence = word in known.first_words and not (after == "." and len(word) <= 2)  # I. Jones, No. 7
    is_unit = previous[-1:].isdigit() and not rules.has_ordinals and last.islower()  # 5 h
    if has_word(known.before_name, last):
        return False
    if has_word(known.before_number, last) and (len(last) > 1 or _NUMBER.fullmatch(word)):
        return word != "" and not _NUMBER.fullmatch(word)
    if has_word(known.closing, last):
        return word[:1].isupper() and not has_word(known.before_name, word)
    if _INITIAL.fullmatch(last):
        is_letter = is_unit or previous.lower() in known.before_letter
        return is_letter or (begins_sentence and word not in known.particles)
    if is_abbreviation(last, rules):
        return begins_sentence
    if _WITHOUT_VOWEL.fullmatch(last):
        return is_unit or begins_sentence
    if rules.has_ordinals and _ORDINAL.fullmatch(last):
        return begins_sentence
    return True


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """The lines since the last empty one, as far as they show what the next line break means."""

    last: str = ""
    line_count: int = 0
    longest: int = _NARROW
    is_list: bool = False

    def followed_by(self, line: str) -> _Paragraph:
        is_list = self.is_list or _ITEM.match(line) is not None or _BULLET.match(line) is not None
        return _Paragraph(line.strip(), self.line_count + 1, max(self.longest, len(line)), is_list)

    def ends_before(self, line: str) -> bool:
        """Whether the line begins an item, a header or a text under a heading."""
        if not self.last:
            return False
        line = line.strip()
        if _BULLET.match(line) or _HEADING.match(self.last):
            return True
        if _HEADER.match(line) and _HEADER.match(self.last):
            return True
        is_short = len(self.last) + len(line.split()[0]) < _SHORT * max(self.longest, len(line))
        if _ITEM.match(line):
            return self.is_list or is_short or self.last[-1] in ".:;,?!"
        if self.last[-1] == ",":
            return self.line_count == 1 and len(self.last.split()) <= _SALUTATION_WORDS
        is_heading = is_short and self.last[-1] != "."  # a period is looked at with the words around it
        return is_heading and not line[0].islower() and (line[0].isalnum() or line[0] in _OPENING)
