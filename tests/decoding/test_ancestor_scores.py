"""The joint score of a model: its actions, and what its ancestor head expects above the words."""

import pytest
import torch

from discoseq.batching.vocabularies import ancestor_labels
from discoseq.decoding.ancestor_scores import AncestorScores
from discoseq.decoding.decode import decode, encode
from discoseq.model.network import Heads
from discoseq.search.beam import SearchOptions
from model.small import TREES, small_model

SENTENCES = [tree.tokens for tree in TREES]
WORDS = [tree.words for tree in TREES]


@torch.inference_mode()
def test_a_tree_has_the_weighted_log_probabilities_of_the_labels_above_its_words() -> None:
    model = small_model()
    assert model.network.ancestor_head is not None
    encoded = encode(model, WORDS)
    scores = AncestorScores([model], [encoded])
    for number, (tree, vectors) in enumerate(zip(TREES, encoded, strict=True)):
        expected = model.network.ancestor_head(vectors).log_softmax(dim=-1)
        numbers = model.vocabularies.ancestors.encode(ancestor_labels(tree))
        total = sum(float(expected[i, n]) for i, n in enumerate(numbers))
        assert scores.of(number, tree) == pytest.approx(0.3 * total, rel=1e-5)
        assert scores.of(number, tree) <= scores.highest(number) < 0
        assert scores.highest(number) == pytest.approx(0.3 * float(expected.max(dim=-1).values.sum()), rel=1e-5)


@torch.inference_mode()
def test_several_models_have_their_mean_and_those_without_a_head_no_say() -> None:
    models = [small_model(seed=1), small_model(seed=2), small_model(seed=3, heads=Heads())]
    encoded = [encode(model, WORDS) for model in models]
    both = AncestorScores(models, encoded)
    each = [AncestorScores([model], [vectors]) for model, vectors in zip(models[:2], encoded[:2], strict=True)]
    for number, tree in enumerate(TREES):
        assert both.of(number, tree) == pytest.approx(sum(x.of(number, tree) for x in each) / 2, rel=1e-5)
        assert both.highest(number) == pytest.approx(sum(x.highest(number) for x in each) / 2, rel=1e-5)


def test_the_candidates_are_ordered_by_the_joint_score_and_have_shares_of_it() -> None:
    model = small_model()
    assert model.network.ancestor_head is not None
    with torch.inference_mode():
        model.network.ancestor_head.weight.mul_(20)  # so that its opinion is a strong one
        found = decode([model], SENTENCES, SearchOptions(8, 5, "joint"))
        scores = AncestorScores([model], [encode(model, WORDS)])
    for number, candidates in enumerate(found):
        for candidate in candidates:
            expected = candidate.log_probability + scores.of(number, candidate.tree)
            assert candidate.score == pytest.approx(expected, abs=1e-4)
        assert [x.score for x in candidates] == sorted((x.score for x in candidates), reverse=True)
        assert [x.share for x in candidates] == sorted((x.share for x in candidates), reverse=True)
        assert sum(x.share for x in candidates) == pytest.approx(1)
    assert any([x.log_probability for x in y] != sorted((x.log_probability for x in y), reverse=True) for y in found)


def test_greedy_search_and_a_model_without_the_head_have_the_sum() -> None:
    model = small_model()
    assert decode([model], SENTENCES, SearchOptions(1, score="joint")) == decode([model], SENTENCES)
    bare = small_model(heads=Heads())
    assert decode([bare], SENTENCES, SearchOptions(4, score="joint")) == decode([bare], SENTENCES, SearchOptions(4))
