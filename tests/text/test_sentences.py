"""Cutting texts into sentences."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.text.languages import LANGUAGES
from discoseq.text.sentences import MOST_WORDS, read_sentences, split_sentences
from discoseq.text.words import tokenize


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


def test_a_long_text_is_cut_like_a_short_one() -> None:
    line = "This is one sentence that is long enough.  And another!\n"
    expected = [[word.text for word in tokenize(x)] for x in split_sentences(line)]
    assert list(read_sentences([line] * 1500)) == expected * 1500


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


def test_what_never_ends_is_cut_into_pieces() -> None:
    sizes = [len(words) for words in read_sentences(["word\n"] * 20_000)]
    assert sizes == [MOST_WORDS] * (20_000 // MOST_WORDS)


def test_an_empty_text_has_no_sentences() -> None:
    assert split_sentences(" \n\u00a0\n") == []
    assert list(read_sentences([])) == []
    assert list(read_sentences(["\u200b\n"])) == []
