"""Splitting raw text into sentences."""

import time
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TextError
from discoseq.text.sentences import MAX_WORDS, LineBreaks, read_sentences, split_sentences
from discoseq.text.tokenization import LANGUAGES, language_named, tokenize
from text.case_files import FOLDER, Case, read_cases

RAW = st.text(st.sampled_from("ab.A…?!\"'“”()[]-–:,; \t\n\r\u00a0\u200b\x00\ud800019\U0001f600"), max_size=60)
LEAST_SHARE = 0.95  # of the cases that must be right


@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_nearly_all_cases_are_split_and_tokenized_right(language: str) -> None:
    cases = read_cases(FOLDER / f"{language}.txt")
    wrong = [case.text for case in cases if split(case, language) != case.sentences]
    assert len(cases) >= 150
    assert len(wrong) <= (1 - LEAST_SHARE) * len(cases), wrong


def split(case: Case, language: str) -> tuple[tuple[str, ...], ...]:
    sentences = read_sentences(case.text.splitlines(keepends=True), language)
    return tuple(tuple(case.text[word.start : word.end] for word in sentence.words) for sentence in sentences)


@given(text=RAW | st.text(st.characters(codec=None), max_size=30), language=st.sampled_from(sorted(LANGUAGES)))
def test_sentences_and_words_know_their_place_in_the_text(text: str, language: str) -> None:
    end = 0
    for sentence in read_sentences(text.splitlines(keepends=True), language):
        assert sentence.start >= end
        end = sentence.start + len(sentence.text)
        assert text[sentence.start : end] == sentence.text
        assert sentence.words[0].start == sentence.start
        assert sentence.words[-1].end == end
        spelled = [language_named(language).spelling.get(x, x) for x in (text[w.start : w.end] for w in sentence.words)]
        assert spelled == [word.text for word in sentence.words]


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
        ("en", '"Really?" asked Bob. "Yes."', ['"Really?" asked Bob.', '"Yes."']),
        ("en", "We met 😀 👩. Good 😀 Bye", ["We met 😀 👩.", "Good 😀", "Bye"]),
        ("en", "They met at 5 p.m. She was late.", ["They met at 5 p.m.", "She was late."]),
        ("en", "A heading\r\n\r\nThe end\r\n", ["A heading", "The end"]),
        ("nl", "Dat zei mr. Jansen o.a. gisteren. Echt waar.", ["Dat zei mr. Jansen o.a. gisteren.", "Echt waar."]),
        ("de", "Am 11. September 2001. Danach nicht.", ["Am 11. September 2001.", "Danach nicht."]),
        ("other", "来た。見た！ 勝った。", ["来た。", "見た！", "勝った。"]),
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
    assert read == 3000


def test_a_sentence_without_an_end_is_split() -> None:
    sizes = [len(sentence.words) for sentence in read_sentences(["word\n"] * 20_000)]
    assert sizes == [MAX_WORDS] * (20_000 // MAX_WORDS)


def test_an_empty_text_has_no_sentences() -> None:
    assert split_sentences(" \n\u00a0\n") == []
    assert list(read_sentences([])) == []
    assert list(read_sentences(["\u200b\n"])) == []


@pytest.mark.parametrize(
    ("line_breaks", "sentences"),
    [
        ("guess", ["My list", "- It is\nlong", "- and dull", "The end."]),
        ("sentence", ["My list", "- It is", "long", "- and dull", "The end."]),
        ("space", ["My list\n- It is\nlong\n- and dull", "The end."]),
    ],
)
def test_line_breaks_mean_what_is_asked_for(line_breaks: str, sentences: list[str]) -> None:
    text = "My list\n- It is\nlong\n- and dull\n\nThe end.\n"
    assert split_sentences(text, line_breaks=line_breaks) == sentences


def test_an_unknown_meaning_of_line_breaks_is_an_error() -> None:
    with pytest.raises(TextError, match=r"unknown meaning of line breaks 'none'; choose one of guess, sentence, space"):
        split_sentences("A\nB", line_breaks="none")


@pytest.mark.parametrize(
    ("line", "line_breaks", "is_complete"),
    [
        ("It works.\n", LineBreaks.GUESS, True),
        ("Does it?\n", LineBreaks.SPACE, True),
        ("no end\n", LineBreaks.SENTENCE, True),
        ("It is by Dr.\n", LineBreaks.GUESS, False),
        ('"Does it?"\n', LineBreaks.GUESS, False),
        ("no end\n", LineBreaks.SPACE, False),
    ],
)
def test_a_sentence_comes_with_the_line_that_completes_it(
    line: str, line_breaks: LineBreaks, is_complete: bool
) -> None:
    def lines() -> Iterator[str]:
        yield line
        raise EOFError

    sentences = read_sentences(lines(), line_breaks=line_breaks)
    if is_complete:
        assert next(sentences).text == line.strip()
    with pytest.raises(EOFError):
        next(sentences)


def test_added_abbreviations_end_no_sentence() -> None:
    text = "Die Kfzwerkst. Meier ist zu. Die Kfzwerkst. Die schließt."
    known = partial(split_sentences, text)
    assert known("de") == ["Die Kfzwerkst.", "Meier ist zu.", "Die Kfzwerkst.", "Die schließt."]
    rules = language_named("de").with_abbreviations(["Kfzwerkst."])
    assert known(rules) == ["Die Kfzwerkst. Meier ist zu.", "Die Kfzwerkst.", "Die schließt."]


@pytest.mark.parametrize(
    "piece",
    ["word\n", ". ", ".x", "Mr. ", "'s", "(!", "http://(", "a-", "a@", "www."],
)
def test_odd_texts_of_twenty_thousand_characters_take_no_more_than_seconds(piece: str) -> None:
    start = time.process_time()
    for language in ("en", "nl"):
        list(read_sentences(("x" + piece * (20_000 // len(piece))).splitlines(keepends=True), language))
    assert time.process_time() - start < 10
