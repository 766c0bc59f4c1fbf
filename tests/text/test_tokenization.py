"""Tokenizing sentences into words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TextError
from discoseq.text.tokenization import LANGUAGES, language_named, read_abbreviations, tokenize

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
        ("en", "Ask @ann at €2,500/day and/or #help 😀!", "Ask @ann at € 2,500/day and / or #help 😀 !"),
        ("nl", "Don't kost 5% (werk)dag", "Don't kost 5% (werk)dag"),
        ("de", "Lehrer*innen und Schüler:innen", "Lehrer*innen und Schüler:innen"),
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He works for Acme Inc.", "He works for Acme Inc."),
        ("He came at 5 p.m.", "He came at 5 p.m."),
        ("It is plan B.", "It is plan B ."),
        ('"I am tired." and left', '" I am tired . " and left'),
    ],
)
def test_a_period_belongs_to_an_abbreviation_also_at_the_end(text: str, words: str) -> None:
    assert [text[word.start : word.end] for word in tokenize(text)] == words.split()


def test_abbreviations_can_be_added() -> None:
    rules = language_named("de").with_abbreviations(["Kfzwerkst.", "hum"])
    assert [word.text for word in tokenize("Die Kfzwerkst.", rules)] == ["Die", "Kfzwerkst."]
    assert [word.text for word in tokenize("Die Hum.", rules)] == ["Die", "Hum."]
    assert [word.text for word in tokenize("Die Kfzwerkst.", "de")] == ["Die", "Kfzwerkst", "."]


def test_abbreviations_are_read_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# mine\nAbt.\n\n  Hptst. \n", encoding="utf-8")
    assert read_abbreviations(path) == ["Abt.", "Hptst."]


def test_a_file_that_has_no_abbreviations_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Abt.\nz. B.\n", encoding="utf-8")
    with pytest.raises(TextError, match=r"mine.txt:2: an abbreviation has no spaces: 'z. B.'"):
        read_abbreviations(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TextError, match=r"mine.txt: is not UTF-8 \(byte 1\)"):
        read_abbreviations(path)
    with pytest.raises(TextError, match=r"none.txt: can't be read: No such file"):
        read_abbreviations(tmp_path / "none.txt")
