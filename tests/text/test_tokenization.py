"""Splitting texts into sentences and tokenizing sentences into words."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TextError
from discoseq.text.tokenization import LANGUAGES, MAX_WORDS, _split, read_sentences, split_sentences, tokenize

RAW = st.text(st.sampled_from("ab.,:;'’\"`“”-–—/()[]<>@#&%$!? \t\n\u00a0\u200b\x00019sStT\U0001f600"), max_size=40)


@given(text=RAW | st.text(max_size=30), language=st.sampled_from(sorted(LANGUAGES)))
def test_words_are_pieces_of_the_text_and_leave_out_nothing_but_space(text: str, language: str) -> None:
    spelling = LANGUAGES[language].spelling
    end = 0
    for word in tokenize(text, language):
        piece = text[word.start : word.end]
        assert word.text == spelling.get(piece, piece)
        assert not any(character.isspace() or character == "\u200b" for character in piece)
        assert is_space(text[end : word.start])
        assert word.end > word.start
        end = word.end
    assert is_space(text[end:])


def is_space(text: str) -> bool:
    return all(x.isspace() or x == "\u200b" or x <= "\x1f" or "\x7f" <= x <= "\x9f" for x in text)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Don't you know Ben's book?", "Do n't you know Ben 's book ?"),
        ("en", "Don’t you know Ben’s book?", "Do n’t you know Ben ’s book ?"),
        ("en", 'He said: "Go (now) [sic], Mr. X."', 'He said : " Go -LRB- now -RRB- -LSB- sic -RSB- , Mr. X . "'),
        ("en", "I cannot pay $1,000.50—5% of it...", "I can not pay $ 1,000.50 — 5 % of it ..."),
        ("en", "know-how of 9/11 at 10:30 a.m. in '99", "know-how of 9/11 at 10:30 a.m. in '99"),
        ("en", "Write to a.b@c.org, or see https://x.org/y?z=1.", "Write to a.b@c.org , or see https://x.org/y?z=1 ."),
        ("en", "AT&T & co", "AT&T & co"),
        ("en", "Thanks :-) and (see note 1) ;)", "Thanks :-) and -LRB- see note 1 -RRB- ;)"),
        (
            "en-hyphens",
            "anti-mouse BRCA2-dependent (p<0.05) [3]",
            "anti-mouse BRCA2 - dependent -LRB- p < 0.05 -RRB- [ 3 ]",
        ),
        ("nl", "Zo'n auto's 's morgens, 't is '69 (f 10,-).", "Zo'n auto's 's morgens , 't is '69 ( f 10,- ) ."),
        ("de", "Wie geht's am 11. September?", "Wie geht 's am 11. September ?"),
        ("other", "¿Qué? «Oui», dit-il.", "¿Qué ? « Oui » , dit-il ."),
    ],
)
def test_words_are_tokenized_as_in_the_treebanks(language: str, text: str, words: str) -> None:
    assert [word.text for word in tokenize(text, language)] == words.split()


@pytest.mark.parametrize("text", ["", " ", "\n", "\u00a0\u200b", "\x00"])
def test_a_text_of_spaces_has_no_words(text: str) -> None:
    assert tokenize(text) == []


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(TextError, match=r"unknown language 'tlh'; choose one of en, "):
        tokenize("nuqneH", "tlh")


@given(
    text=st.text(st.sampled_from("abAB.?!\"') \n\u00a0\u200b12"), max_size=60),
    language=st.sampled_from(sorted(LANGUAGES)),
)
def test_sentences_hold_all_that_the_text_holds(text: str, language: str) -> None:
    assert "".join("".join(split_sentences(text, language)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("en", "Mr. Smith left. Did he? Yes!", ["Mr. Smith left.", "Did he?", "Yes!"]),
        ("en", 'He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("en", "It is No. 7 of 9. See Fig. 2.", ["It is No. 7 of 9.", "See Fig. 2."]),
        ("en", "A line\nis wrapped.\n\nA heading\n\nThe end", ["A line\nis wrapped.", "A heading", "The end"]),
        ("en", "A heading\r\n\r\nThe end\r\n", ["A heading", "The end"]),
        ("nl", "Dat zei mr. Jansen o.a. gisteren. Echt waar.", ["Dat zei mr. Jansen o.a. gisteren.", "Echt waar."]),
        ("de", "Am 11. September 2001. Danach nicht.", ["Am 11. September 2001.", "Danach nicht."]),
    ],
)
def test_sentences_end_where_they_should(language: str, text: str, sentences: list[str]) -> None:
    assert split_sentences(text, language) == sentences


def test_a_long_text_is_split_like_a_short_one() -> None:
    line = "This is one sentence that is long enough.  And another!\n"
    expected = [[word.text for word in tokenize(x)] for x in split_sentences(line)]
    assert [[word.text for word in x.words] for x in read_sentences([line] * 1500)] == expected * 1500


def test_no_more_is_read_than_is_needed() -> None:
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield "One sentence here.\n"

    sentences = read_sentences(lines())
    for _ in range(3000):
        next(sentences)
    assert read < 6000


def test_a_sentence_without_an_end_is_split() -> None:
    sizes = [len(sentence.words) for sentence in read_sentences(["word\n"] * 20_000)]
    assert sizes == [MAX_WORDS] * (20_000 // MAX_WORDS)


def test_an_empty_text_has_no_sentences() -> None:
    assert split_sentences(" \n\u00a0\n") == []
    assert list(read_sentences([])) == []
    assert list(read_sentences(["\u200b\n"])) == []


PIECES = [
    "Anna slept.",
    "He said",
    '"No."',
    "Mr.",
    "Smith",
    "No.",
    "7",
    "of 9!",
    "Did she?",
    "etc.",
    "(Yes.)",
    "am 11.",
    "...",
]
SPACES = [" ", "  ", "\n", "\r\n", " \n", "\n\n", "\n \t\n"]


@given(
    parts=st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=12),
    language=st.sampled_from(sorted(LANGUAGES)),
)
def test_sentences_are_the_same_when_the_text_comes_line_by_line(parts: list[tuple[str, str]], language: str) -> None:
    text = "".join(piece + space for piece, space in parts)
    paragraphs = re.split(r"(?<=\n)[ \t]*\r?\n", text)
    expected = [text[a:b] for text in paragraphs for a, b in _split(text, language)]
    assert split_sentences(text, language) == expected


@given(text=RAW | st.text(max_size=60), language=st.sampled_from(sorted(LANGUAGES)))
def test_offsets_lead_back_to_the_text(text: str, language: str) -> None:
    spelling = LANGUAGES[language].spelling
    for sentence in read_sentences(text.splitlines(keepends=True), language):
        assert text[sentence.start : sentence.start + len(sentence.text)] == sentence.text
        assert (sentence.words[0].start, sentence.words[-1].end) == (
            sentence.start,
            sentence.start + len(sentence.text),
        )
        pieces = [text[word.start : word.end] for word in sentence.words]
        assert [spelling.get(piece, piece) for piece in pieces] == [word.text for word in sentence.words]


def test_a_sentence_is_there_when_the_next_one_begins_or_a_line_is_empty() -> None:
    lines = ["Mr.\n", "Smith left. Did\n", "he? \n", "Yes.\n", "\n", "No"]
    read: list[str] = []

    def reading() -> Iterator[str]:
        for line in lines:
            read.append(line)
            yield line

    found = [(sentence.text, len(read)) for sentence in read_sentences(reading())]
    assert found == [("Mr.\nSmith left.", 2), ("Did\nhe?", 4), ("Yes.", 5), ("No", 6)]
