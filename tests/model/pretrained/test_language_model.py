"""The vector of every word is that of the reference implementation, for every kind of tokenizer."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from discoseq.batching.sentence_batch import as_read
from discoseq.batching.subwords import _windows
from discoseq.model.pretrained.language_model import Pretrained, embed
from discoseq.model.pretrained.loading import load_pretrained
from discoseq.model.pretrained.trimming import trim_vocabulary
from model.pretrained.reference import ReferenceEncoder
from model.pretrained.tiny import KINDS, LAYERS, SENTENCES, WIDTH, WINDOW, loaded

# what an English or a German keyboard has; characters that a tokenizer drops have a test of their own
WORDS = st.text(st.sampled_from("abcdetzABZäöüßéé0189.,;:!?-'\"()[]<>&%$#@/\\_~*+="), min_size=1, max_size=8)


def all_vectors(directory: Path | str, output: str, sentences: list[list[str]], budget: int = 64) -> list[np.ndarray]:
    language_model, tokenizer = loaded(directory, output)
    found: dict[int, np.ndarray] = {}
    for numbers, vectors in embed(language_model, tokenizer, sentences, budget):
        found.update(zip(numbers, vectors, strict=True))
    return [found[i] for i in range(len(sentences))]


@pytest.mark.parametrize(("output", "layers"), [("last", (3, 3)), ("0", (0, 0)), ("2", (2, 2)), ("mean 1-3", (1, 3))])
def test_vectors_are_those_of_the_reference(directory: Path, output: str, layers: tuple[int, int]) -> None:
    reference = ReferenceEncoder(directory)
    for words, vectors in zip(SENTENCES, all_vectors(directory, output, SENTENCES), strict=True):
        np.testing.assert_allclose(vectors, reference.vectors(words, *layers), atol=1e-5)


def test_vectors_of_any_words_are_those_of_the_reference(directory: Path) -> None:
    reference = ReferenceEncoder(directory)
    language_model, tokenizer = loaded(directory, "mean 1-2")

    @settings(max_examples=25)
    @given(words=st.lists(WORDS, min_size=1, max_size=3))
    def check(words: list[str]) -> None:
        if sum(map(len, tokenizer.split([words])[0])) > WINDOW - 2:
            return
        ((_, (vectors,)),) = embed(language_model, tokenizer, [words])
        np.testing.assert_allclose(vectors, reference.vectors(list(as_read(words)), 1, 2), atol=1e-5)

    check()


def test_a_mix_concatenates_the_layers(directory: Path) -> None:
    mixed = all_vectors(directory, "mix 1-3", SENTENCES)
    for layer in (1, 2, 3):
        alone = all_vectors(directory, str(layer), SENTENCES)
        for one, other in zip(mixed, alone, strict=True):
            np.testing.assert_allclose(one[:, (layer - 1) * WIDTH : layer * WIDTH], other, atol=1e-6)


def test_the_vectors_of_a_sentence_do_not_depend_on_the_batch(directory: Path) -> None:
    together = all_vectors(directory, "last", SENTENCES, budget=10_000)
    for words, vectors in zip(SENTENCES, together, strict=True):
        np.testing.assert_allclose(all_vectors(directory, "last", [words])[0], vectors, atol=1e-5)


def test_a_word_of_a_long_sentence_has_the_vector_from_the_window_that_keeps_it(directory: Path) -> None:
    words = SENTENCES[2] * 8
    _, tokenizer = loaded(directory, "last")
    (subwords,) = tokenizer.split([words])
    room = WINDOW - (1 if tokenizer.is_causal else 2)
    windows = _windows([len(word) for word in subwords], room, tokenizer.is_causal)
    assert len(windows) > 2
    (vectors,) = all_vectors(directory, "last", [words])
    reference = ReferenceEncoder(directory)
    for window in windows:
        alone = reference.vectors(words[window.start : window.end], LAYERS, LAYERS)
        kept = slice(window.first_kept, window.end_kept)
        inside = slice(window.first_kept - window.start, window.end_kept - window.start)
        np.testing.assert_allclose(vectors[kept], alone[inside], atol=1e-5)


def test_a_word_with_more_subwords_than_a_window_has_a_vector(directory: Path) -> None:
    (vectors,) = all_vectors(directory, "last", [["a", "zx" * 80, "b"]])
    assert np.isfinite(vectors).all()
    assert (np.abs(vectors).max(axis=1) > 0).all()


@pytest.mark.parametrize("strange", ["\u200b", "", "\u00ad", "漢", "👍"])
def test_strange_words_have_vectors(directory: Path, strange: str) -> None:
    (vectors,) = all_vectors(directory, "last", [["the", strange, "cat"]])
    assert np.isfinite(vectors).all()
    assert (np.abs(vectors).max(axis=1) > 0).all()


def test_a_word_without_subwords_is_unknown(bert: Path) -> None:
    _, tokenizer = loaded(bert, "last")
    assert tokenizer.split([["the", "\u200b"]])[0][1] == (1,)
    reference = ReferenceEncoder(bert)
    (vectors,) = all_vectors(bert, "last", [["the", "\u200b", "cat"]])
    np.testing.assert_allclose(vectors, reference.vectors(["the", "[UNK]", "cat"], LAYERS, LAYERS), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_layers_above_the_highest_used_one_are_not_loaded(kind: str, tmp_path: Path) -> None:
    pretrained, body = load_pretrained(str(KINDS[kind](tmp_path / kind)), "mean 1-2")
    assert pretrained.layers == 2
    states = body(torch.zeros(1, 3, dtype=torch.long), torch.ones(1, 3, dtype=torch.bool))
    assert len(states) == 3


def test_without_a_first_space_a_sentence_has_the_subwords_of_its_text(directory: Path) -> None:
    pretrained, _ = load_pretrained(str(directory), "1", has_first_space=False)
    text = Tokenizer.from_file(str(directory / "tokenizer.json"))
    sentences = [["the", "cat", "sat"], ["Xylophones", "do", "not", "bark"], ["sat"], []]
    for words, found in zip(sentences, pretrained.tokenizer.split(sentences), strict=True):
        expected = text.encode(" ".join(words), add_special_tokens=False).ids
        assert [subword for subwords in found for subword in subwords] == expected
    again = Pretrained.from_dict(pretrained.as_dict(), pretrained.tokenizer.as_json())
    assert again.tokenizer.split(sentences) == pretrained.tokenizer.split(sentences)


def test_the_first_space_matters_for_byte_level_subwords(tmp_path: Path) -> None:
    folder = KINDS["roberta"](tmp_path / "roberta")
    with_space, without = (load_pretrained(str(folder), "1", has)[0].tokenizer for has in (True, False))
    (one,), (two,) = (tokenizer.split([["the", "cat", "the"]]) for tokenizer in (with_space, without))
    assert one[0] == one[2] == two[2] != two[0]
    assert one[1] == two[1]
    trimmed, _ = trim_vocabulary(*load_pretrained(str(folder), "1", has_first_space=False), "thecat")
    assert not trimmed.tokenizer.has_first_space
