import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import LinearizationError
from discoseq.linearizations.action_vocabulary import NO_LABEL, PAD_INDEX, ActionVocabulary
from discoseq.linearizations.actions import PAD, Move, non_terminal, reduce, shift
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from tree_strategies import trees


@given(data=st.data())
def test_a_vocabulary_survives_as_json_and_knows_its_actions(data: st.DataObject) -> None:
    chosen = linearization(data.draw(st.sampled_from(LINEARIZATIONS)))
    batch = data.draw(st.lists(trees(continuous=not chosen.reordering.can_reorder), min_size=1, max_size=3))
    sequences = [chosen.linearize(tree) for tree in batch]
    vocabulary = ActionVocabulary.of(chosen, sequences)
    again = ActionVocabulary.from_tokens(json.loads(json.dumps(vocabulary.tokens)))
    assert again.actions == vocabulary.actions
    indices = again.encode_all(sequences)
    for row, sequence in zip(indices, sequences, strict=True):
        assert again.decode(row) == sequence
        assert again.encode(sequence) == list(row[: len(sequence)])
        assert (row[len(sequence) :] == PAD_INDEX).all()
    for index, action in enumerate(again.actions):
        assert again.moves[index] == action.move
        assert again.distances[index] == action.distance
        label = again.label_indices[index]
        assert (None if label == NO_LABEL else again.labels[label]) == action.label
    for move in Move:
        assert list(np.flatnonzero(again.moves == move)) == list(range(len(again)))[again.columns(move)]


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("top-down", ["<pad>", "SH", "NT-X", "NT-Y", "RE"]),
        ("enriched-in-order+swap", ["<pad>", "SH", "SW", "NT-X", "NT-Y", "RE-X", "RE-Y", "FI"]),
        ("in-order+swap#k", ["<pad>", "SH", "SW#1", "NT-X", "NT-Y", "RE", "FI"]),
        ("bottom-up+shift#k", ["<pad>", "SH#0", "RE#1-X", "RE#2-X", "RE#1-Y", "RE#2-Y", "RE#5-Y", "FI"]),
    ],
)
def test_the_actions_that_complete_a_derivation_are_always_included(name: str, tokens: list[str]) -> None:
    chosen = linearization(name)
    seen = [reduce("X", 1), reduce("Y", 5)] if name.startswith("bottom-up") else [non_terminal("X"), non_terminal("Y")]
    assert ActionVocabulary.of(chosen, [seen]).tokens == tokens


def test_the_error_names_an_action_that_is_not_in_the_vocabulary() -> None:
    vocabulary = ActionVocabulary.of(linearization("in-order+shift#k"), [[non_terminal("X")]])
    assert shift(0) in vocabulary
    assert shift(4) not in vocabulary
    with pytest.raises(LinearizationError, match="SH#4 is not in the action vocabulary"):
        vocabulary.encode([shift(0), shift(4)])


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([], "must begin with <pad>"),
        (["SH", "<pad>"], "must begin with <pad>"),
        (["<pad>", "SH", "SH"], "twice"),
        (["<pad>", "SH#0", "FI", "SH#1"], "SH#1 is not"),
        (["<pad>", "hm"], "'hm' is not an action"),
    ],
)
def test_a_list_that_is_no_vocabulary_is_refused(tokens: list[str], reason: str) -> None:
    with pytest.raises(LinearizationError, match=reason):
        ActionVocabulary.from_tokens(tokens)


def test_a_vocabulary_needs_labels() -> None:
    with pytest.raises(LinearizationError, match="no labels"):
        ActionVocabulary.of(linearization("top-down"), [])


def test_no_sequences_give_no_rows() -> None:
    vocabulary = ActionVocabulary.of(linearization("top-down"), [[non_terminal("X")]])
    assert vocabulary.encode_all([]).shape == (0, 0)
    assert vocabulary.actions[PAD_INDEX] == PAD
