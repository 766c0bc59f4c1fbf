"""Cutting sentences into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TextError
from discoseq.text.languages import LANGUAGES
from discoseq.text.words import tokenize

RAW = st.text(st.sampled_from("ab.,:;'’\"`“”-–—/()[]<>@#&%$!? \t\n\u00a0\u200b\x00019sStT\U0001f600"), max_size=40)


@given(text=RAW | st.text(max_size=30), language=st.sampled_from(sorted(LANGUAGES)))
def test_words_are_pieces_of_the_text_and_leave_out_nothing_but_space(text: str, language: str) -> None:
    spelling = LANGUAGES[language].spelling
    place = 0
    for word in tokenize(text, language):
        piece = text[word.start : word.end]
        assert word.text == spelling.get(piece, piece)
        assert not any(character.isspace() or character == "\u200b" for character in piece)
        assert is_space(text[place : word.start])
        assert word.end > word.start
        place = word.end
    assert is_space(text[place:])


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
def test_words_are_those_of_the_treebanks(language: str, text: str, words: str) -> None:
    assert [word.text for word in tokenize(text, language)] == words.split()


@pytest.mark.parametrize("text", ["", " ", "\n", "\u00a0\u200b", "\x00"])
def test_where_there_is_only_space_there_are_no_words(text: str) -> None:
    assert tokenize(text) == []


def test_a_language_that_is_none_is_named() -> None:
    with pytest.raises(TextError, match=r"no language 'tlh'; there are en, "):
        tokenize("nuqneH", "tlh")
