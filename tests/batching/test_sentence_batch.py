"""Words, characters and vectors as tensors."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from discoseq.batching.sentence_batch import MAX_CHARACTERS, as_read, encode_in_batches, encode_sentences
from discoseq.batching.vocabularies import PAD, UNKNOWN, Vocabularies, Vocabulary
from discoseq.linearizations.linearization import linearization
from discoseq.treebanks.files import parse_trees

TREES = parse_trees("(S (NN 0=das) (NN 1=Das) (NN 2=<pad>))\n(S (NP (NN 0=rare)))", "discbracket")
VOCABULARIES = Vocabularies.of(TREES, linearization("in-order+swap"))


def spelling(words: list[str], sentence: int = 0, word: int = 0) -> list[int]:
    encoded = encode_sentences(VOCABULARIES, [words])
    return encoded.spellings[encoded.spelling_of[sentence, word]].tolist()


def test_words_have_no_case_and_characters_do() -> None:
    encoded = encode_sentences(VOCABULARIES, [["das", "Das", "DAS"]])
    assert len(set(encoded.words[0].tolist())) == 1
    assert len(set(map(tuple, encoded.spellings.tolist()))) == 3


@pytest.mark.parametrize("text", ["MINISTER STAPT OP", "O NO , NOT AGAIN !", "24 UUR VAN MONS", "DAS WAR'S FÜR 2026"])
def test_a_sentence_in_capitals_is_read_in_lower_case(text: str) -> None:
    assert as_read(text.split()) == text.lower().split()
    capitals, lower = (encode_sentences(VOCABULARIES, [words.split()]) for words in (text, text.lower()))
    assert torch.equal(capitals.words, lower.words)
    assert torch.equal(capitals.spellings, lower.spellings)


@pytest.mark.parametrize("text", ["NATO", "DEN HAAG", "A B C D E", "AEX : 3 , DAX : 4", "DE VVD EN HET cda", "1 %", ""])
def test_names_abbreviations_and_all_other_sentences_are_read_as_they_are(text: str) -> None:
    assert as_read(text.split()) == text.split()


@given(st.lists(st.text(min_size=1, max_size=8), max_size=6))
def test_reading_changes_nothing_but_case(words: list[str]) -> None:
    read = as_read(words)
    assert list(read) in (words, [word.lower() for word in words])
    assert as_read(read) == read


def test_rare_and_unseen_words_are_unknown_and_no_word_is_padding() -> None:
    encoded = encode_sentences(VOCABULARIES, [["das", "rare", "new", "<pad>", "<unknown>"], ["das"]])
    assert encoded.words[0, 1:].tolist() == [UNKNOWN] * 4
    assert encoded.words[1].tolist() == [encoded.words[0, 0], PAD, PAD, PAD, PAD]
    assert encoded.is_word.tolist() == [[True] * 5, [True] + [False] * 4]


def test_equal_words_share_a_spelling() -> None:
    encoded = encode_sentences(VOCABULARIES, [["a", "b", "a"], ["b", "a"]])
    assert len(encoded.spellings) == 2
    assert encoded.spelling_of[0].tolist() == [0, 1, 0]
    assert encoded.spelling_of[1, :2].tolist() == [1, 0]


def test_of_a_long_word_both_ends_are_read() -> None:
    half = MAX_CHARACTERS // 2
    assert len(spelling(["d" * 1000])) == MAX_CHARACTERS
    assert spelling(["d" * half + "x" * 50 + "s" * half]) == spelling(["d" * half + "s" * half])


@given(st.lists(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=6), min_size=1, max_size=4))
def test_any_words_at_all_can_be_encoded(sentences: list[list[str]]) -> None:
    encoded = encode_sentences(VOCABULARIES, sentences)
    assert encoded.lengths.tolist() == list(map(len, sentences))
    assert int(encoded.words.max()) < len(VOCABULARIES.words)
    assert int(encoded.spellings.max()) < len(VOCABULARIES.characters)
    assert (encoded.spellings[:, 0] != PAD).all()


def test_vectors_are_padded_with_zeros() -> None:
    vectors = [np.ones((2, 3), dtype=np.float32), 2 * np.ones((1, 3), dtype=np.float32)]
    encoded = encode_sentences(VOCABULARIES, [["a", "b"], ["c"]]).with_vectors(vectors)
    assert encoded.vectors is not None
    assert encoded.vectors[:, :, 0].tolist() == [[1, 1], [2, 0]]


def test_a_batch_can_be_moved() -> None:
    encoded = encode_sentences(VOCABULARIES, [["a"]]).with_vectors([np.ones((1, 3), dtype=np.float32)])
    moved = encoded.to(torch.device("meta"))
    assert moved.vectors is not None
    assert {moved.words.device.type, moved.spellings.device.type, moved.vectors.device.type} == {"meta"}


def test_vocabularies_come_back_from_their_lists() -> None:
    again = Vocabularies.from_dict(VOCABULARIES.as_dict())
    assert again.as_dict() == VOCABULARIES.as_dict()
    assert again.words.encode(["das", "rare"]) == VOCABULARIES.words.encode(["das", "rare"])


@given(st.lists(st.text(max_size=3), max_size=30), st.integers(1, 3))
def test_symbols_are_those_that_are_frequent_enough_and_do_not_depend_on_order(items: list[str], least: int) -> None:
    symbols = Vocabulary.of(items, least)
    assert symbols.names == Vocabulary.of(reversed(items), least).names
    assert set(symbols.names) == {item for item in items if items.count(item) >= least}
    for item, number in zip(items, symbols.encode(items), strict=True):
        assert (symbols.name(number) == item) if item in symbols.names else (number == UNKNOWN)
    assert sorted(symbols.encode(symbols.names)) == list(range(2, len(symbols)))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 30))
def test_parts_are_the_sentences_in_order_within_the_budget(lengths: list[int], most: int) -> None:
    sentences = [["das"] * length for length in lengths]
    vectors = [np.full((length, 2), number, np.float32) for number, length in enumerate(lengths)]
    parts = encode_in_batches(VOCABULARIES, sentences, vectors, most)
    assert [int(n) for part in parts for n in part.lengths] == lengths
    assert all(part.words.numel() <= most or len(part.words) == 1 for part in parts)
    assert [int(row[0, 0]) for part in parts if part.vectors is not None for row in part.vectors] == [
        *range(len(lengths))
    ]


def test_no_more_parts_than_it_takes() -> None:
    sentences = [["das"] * length for length in (2, 2, 3, 9, 1)]
    assert [len(part.words) for part in encode_in_batches(VOCABULARIES, sentences, batch_words=9)] == [3, 1, 1]
