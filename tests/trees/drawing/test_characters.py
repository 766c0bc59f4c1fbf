import unicodedata
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing.characters import cell_width, hundredths, visible

ANYTHING = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@given(ANYTHING)
def test_what_is_visible_is_one_line_that_can_be_written(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert shown.encode("utf-8").decode("utf-8") == shown
    element = ElementTree.Element("t")
    element.text = shown
    assert ElementTree.fromstring(ElementTree.tostring(element)).text == (shown or None)


@given(ANYTHING)
def test_what_is_not_empty_takes_room(text: str) -> None:
    assert bool(cell_width(visible(text))) == bool(hundredths(visible(text))) == bool(text)


@given(ANYTHING)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_ordinary_words_are_left_alone() -> None:
    for word in ["Haus", "größer", "漢字", "سلام", "x=y (z)", "10\u00a0000", "e\u0301"]:
        assert visible(word) == word


def test_stand_ins() -> None:
    assert visible("a\tb\nc\x00") == "a␉b␊c␀"
    assert visible("a\x7f\x85\ud800\uffff") == "a\ufffd\ufffd\ufffd\ufffd"
    assert visible("a\u2028b") == "a␤b"
    assert visible("\u202eabc") == "\ufffdabc"  # this one would turn the whole line around
    assert visible("\u0301") == "◌\u0301"


def test_wide_characters_take_two_columns_and_accents_none() -> None:
    assert cell_width("Haus") == 4
    assert cell_width("漢字") == 4
    assert cell_width(unicodedata.normalize("NFD", "größer")) == 6


def test_printed_widths_depend_on_the_letters() -> None:
    assert hundredths("iiii") < hundredths("aaaa") < hundredths("AAAA") < hundredths("MMMM") == hundredths("漢字漢字")
    assert hundredths(unicodedata.normalize("NFD", "éé")) == hundredths("ee")
