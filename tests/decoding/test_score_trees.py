"""The probability of a given tree is what search says of it when it finds it."""

import math

import pytest

from discoseq.decoding import score_trees as score_module
from discoseq.decoding.decode import Candidate, decode
from discoseq.decoding.score_trees import score_trees
from discoseq.model.network import Model
from discoseq.search.beam import SearchOptions
from discoseq.treebanks.files import parse_trees
from model.small import CONTINUOUS, TREES, small_model


@pytest.mark.parametrize("batch_actions", [1, 8000])
@pytest.mark.parametrize("name", ["in-order+swap", "top-down+shift#k", "enriched-in-order", "bottom-up+swap#k"])
def test_a_tree_has_the_probability_that_search_found_it_with(
    name: str, batch_actions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small_model(name=name)
    found = decode([model], [tree.tokens for tree in TREES], SearchOptions(4, 4, prune=None))
    # a tree may also be built by other sequences than its oracle's; then the two figures are of different sequences
    parses = [parse for parses in found for parse in parses if is_oracle(model, parse)]
    assert len(parses) > 3
    monkeypatch.setattr(score_module, "_BATCH_ACTIONS", batch_actions)
    scores = score_trees([model], [parse.tree for parse in parses])
    assert scores == pytest.approx([parse.log_probability for parse in parses], abs=1e-4)


def is_oracle(model: Model, parse: Candidate) -> bool:
    return model.vocabularies.actions.decode(parse.actions) == model.machine.linearization.linearize(parse.tree)


def test_a_tree_out_of_reach_has_no_probability() -> None:
    unknown_label, long_chain = parse_trees(
        "(ROOT (XYZ (NN 0=Ruhe)))\n(ROOT (S (S (S (S (S (S (NN 0=Ruhe))))))))\n", "discbracket"
    )
    scores = score_trees([small_model()], [TREES[0], unknown_label, long_chain, TREES[1]])
    assert [math.isinf(score) for score in scores] == [False, True, True, False]
    assert all(score < 0 for score in scores)
    gapped = score_trees([small_model(name="in-order")], TREES)
    assert [math.isfinite(score) for score in gapped] == [tree in CONTINUOUS for tree in TREES]


def test_scoring_leaves_the_network_in_the_mode_it_was_in() -> None:
    model = small_model()
    model.network.train()
    assert score_trees([model], TREES) == score_trees([model], TREES)
    assert model.network.training
    assert score_trees([model], []) == []


def test_an_ensemble_gives_a_tree_the_probability_that_its_search_gives_it() -> None:
    models = [small_model(seed=seed) for seed in (1, 2, 3)]
    found = decode(models, [tree.tokens for tree in TREES], SearchOptions(4, 4, prune=None))
    candidates = [candidate for candidates in found for candidate in candidates if is_oracle(models[0], candidate)]
    assert len(candidates) > 3
    scores = score_trees(models, [candidate.tree for candidate in candidates])
    assert scores == pytest.approx([candidate.log_probability for candidate in candidates], abs=1e-4)
