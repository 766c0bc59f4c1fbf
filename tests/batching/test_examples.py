"""Batches hold what the trees say: targets, masks and features from the machine, words, characters and tags."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from discoseq.batching import examples as examples_module
from discoseq.batching.examples import make_batch, make_examples
from discoseq.batching.state_features import feature_labels, feature_words
from discoseq.batching.vocabularies import PAD, UNKNOWN, Vocabularies
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization, longest_unary_chain
from discoseq.linearizations.machine import Machine, states_before
from discoseq.training.update import action_loss
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Tree
from linearizations.contracts import replay
from tree_strategies import trees

REORDERING = [name for name in LINEARIZATIONS if linearization(name).reordering.can_reorder]
CHAIN = parse_trees("(ROOT (S (VP (NP (NP (NP (NP (NN 0=Ruhe))))))))", "discbracket")


def machine_and_vocabularies(name: str, sample: list[Tree], limit: int = 0) -> tuple[Machine, Vocabularies]:
    vocabularies = Vocabularies.of(sample, linearization(name))
    longest = max(longest_unary_chain(tree.root) for tree in sample)
    return Machine(linearization(name), vocabularies.actions, limit or longest + 1), vocabularies


@pytest.mark.parametrize("name", REORDERING)
@given(sample=st.lists(trees(), min_size=1, max_size=5))
@settings(max_examples=8)
def test_a_batch_shows_what_the_machine_shows(name: str, sample: list[Tree]) -> None:
    machine, vocabularies = machine_and_vocabularies(name, sample)
    batch = make_batch(vocabularies, machine, make_examples(machine, sample))
    lengths = [len(tree.tokens) for tree in sample]
    expected = replay(machine, lengths, batch.targets.numpy())
    states = list(states_before(machine, lengths, batch.targets.numpy()))
    words = np.stack([feature_words(state) for state in states], axis=1)
    labels = np.stack([feature_labels(state) for state in states], axis=1)
    is_said = batch.targets.numpy() != PAD_INDEX
    for found, wanted in [
        (batch.masks.stack, expected.stack_masks),
        (batch.masks.buffer, expected.buffer_masks),
        (batch.is_allowed, expected.action_masks),
        (batch.features.words, words),
        (batch.features.labels, labels),
    ]:
        assert np.array_equal(found.numpy()[is_said], wanted[is_said])
    # after the end there is nothing to see and nothing to do
    assert not batch.masks.stack.numpy()[~is_said].any()
    assert not batch.masks.buffer.numpy()[~is_said].any()
    assert (batch.is_allowed.numpy()[~is_said].nonzero()[1] == PAD_INDEX).all()
    assert batch.is_allowed.any(dim=-1).all()


@given(sample=st.lists(trees(), min_size=1, max_size=5))
@settings(max_examples=20)
def test_targets_are_the_oracles_actions_and_each_is_the_previous_action_of_the_next_step(sample: list[Tree]) -> None:
    machine, vocabularies = machine_and_vocabularies("in-order+swap", sample)
    batch = make_batch(vocabularies, machine, make_examples(machine, sample))
    for row, tree in enumerate(sample):
        actions = vocabularies.actions.encode(machine.linearization.linearize(tree))
        assert batch.targets[row].tolist() == actions + [PAD_INDEX] * (batch.targets.shape[1] - len(actions))
    assert torch.equal(batch.previous[:, 1:], batch.targets[:, :-1])
    assert not batch.previous[:, 0].any()
    assert batch.target_count == sum(len(machine.linearization.linearize(tree)) for tree in sample)
    assert batch.sentences.lengths.tolist() == [len(tree.tokens) for tree in sample]


def test_many_trees_are_replayed_in_parts_and_kept_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = parse_trees(
        "\n".join(f"(ROOT (S {' '.join(f'(NN {i}=w)' for i in range(n))}))" for n in (5, 1, 7, 3, 2, 9, 4)),
        "discbracket",
    )
    machine, vocabularies = machine_and_vocabularies("top-down", sample)
    whole = make_batch(vocabularies, machine, make_examples(machine, sample))
    monkeypatch.setattr(examples_module, "_REPLAYED_ROWS", 2)
    parts = make_batch(vocabularies, machine, make_examples(machine, sample))
    for one, other in [(whole.masks.stack, parts.masks.stack), (whole.is_allowed, parts.is_allowed)]:
        assert torch.equal(one, other)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_tree_that_the_parser_could_not_build_has_a_finite_loss(name: str) -> None:
    machine, vocabularies = machine_and_vocabularies(name, CHAIN, limit=2)
    assert longest_unary_chain(CHAIN[0].root) > machine.unary_limit
    batch = make_batch(vocabularies, machine, make_examples(machine, CHAIN))
    scores = torch.zeros(batch.is_allowed.shape)
    assert action_loss(scores, batch.targets, batch.is_allowed, 0.1).isfinite()


def test_a_word_without_a_tag_has_none_to_be_learnt() -> None:
    tagged, bare = parse_trees("(S (NN 0=a) (-- 1=b))\n(S (-- 0=c))", "discbracket")
    machine, vocabularies = machine_and_vocabularies("in-order", [tagged, bare])
    batch = make_batch(vocabularies, machine, make_examples(machine, [tagged, bare]))
    assert batch.tags.tolist() == [[vocabularies.tags.encode(["NN"])[0], PAD], [PAD, PAD]]


def test_a_tag_of_another_treebank_is_unknown() -> None:
    known, other = parse_trees("(S (NN 0=a))\n(S (XY 0=a))", "discbracket")
    machine, vocabularies = machine_and_vocabularies("in-order", [known])
    assert make_batch(vocabularies, machine, make_examples(machine, [other])).tags.tolist() == [[UNKNOWN]]


def test_the_cost_of_an_example_is_the_longer_of_sentence_and_sequence() -> None:
    machine, _ = machine_and_vocabularies("in-order", CHAIN)
    example = make_examples(machine, CHAIN)[0]
    assert example.cost == len(example.actions) > 1
