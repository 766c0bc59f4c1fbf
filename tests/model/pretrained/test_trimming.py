"""A trimmed vocabulary: the same vectors for the words of the language, with fewer subwords."""

import json
from pathlib import Path

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from discoseq.model.pretrained.language_model import LanguageModel, Pretrained, embed
from discoseq.model.pretrained.loading import build_body, load_pretrained
from discoseq.model.pretrained.trimming import trim_vocabulary
from model.pretrained.tiny import SENTENCES

GERMAN = "abcdefghijklmnopqrstuvwxyzäöüß"
WORDS = st.text(st.sampled_from("abztäéßABZÄ019.,!-'\"<>€…☺"), min_size=1, max_size=8)


def vectors(pretrained: Pretrained, body: torch.nn.Module, words: list[str]) -> np.ndarray:
    ((_, (found,)),) = embed(LanguageModel(body, pretrained.choice("2")), pretrained.tokenizer, [words])
    return found


def size(pretrained: Pretrained) -> int:
    return len(json.loads(pretrained.tokenizer.as_json())["model"]["vocab"])


def test_words_of_the_language_have_the_same_vectors(directory: Path) -> None:
    whole, body = load_pretrained(str(directory), "2")
    trimmed, smaller = trim_vocabulary(whole, body, GERMAN)
    assert trimmed.config["vocab_size"] < whole.config["vocab_size"]
    assert size(trimmed) < size(whole)
    for words in SENTENCES:
        np.testing.assert_allclose(vectors(trimmed, smaller, words), vectors(whole, body, words), atol=1e-6)

    @settings(max_examples=25)
    @given(words=st.lists(WORDS, min_size=1, max_size=3))
    def check(words: list[str]) -> None:
        np.testing.assert_allclose(vectors(trimmed, smaller, words), vectors(whole, body, words), atol=1e-6)

    check()


def test_words_of_another_language_still_have_vectors(directory: Path) -> None:
    trimmed, smaller = trim_vocabulary(*load_pretrained(str(directory), "2"), GERMAN)
    found = vectors(trimmed, smaller, ["the", "книгу", "漢", "cat"])
    assert np.isfinite(found).all()
    assert (np.abs(found).max(axis=1) > 0).all()


def test_letters_of_the_treebank_are_kept_in_both_cases(directory: Path) -> None:
    whole, body = load_pretrained(str(directory), "2")
    trimmed, smaller = trim_vocabulary(whole, body, "КНИГУОЧТАЛЭЕ")
    words = ["он", "не", "читал", "эту", "книгу"]
    np.testing.assert_allclose(vectors(trimmed, smaller, words), vectors(whole, body, words), atol=1e-6)


def test_a_trimmed_model_can_be_built_from_its_description(directory: Path) -> None:
    trimmed, smaller = trim_vocabulary(*load_pretrained(str(directory), "2"), GERMAN)
    table = json.loads(json.dumps(trimmed.as_dict()))
    again = Pretrained.from_dict(table, trimmed.tokenizer.as_json())
    empty = build_body(again)
    empty.load_state_dict(smaller.state_dict(), assign=True)
    for words in SENTENCES:
        np.testing.assert_array_equal(vectors(again, empty.eval(), words), vectors(trimmed, smaller, words))


def test_trimming_twice_is_trimming_once(directory: Path) -> None:
    once, body = trim_vocabulary(*load_pretrained(str(directory), "2"), GERMAN)
    twice, _ = trim_vocabulary(once, body, GERMAN)
    assert twice.as_dict() == once.as_dict()
    assert json.loads(twice.tokenizer.as_json()) == json.loads(once.tokenizer.as_json())
