"""A derivation has the probabilities of search, and the states of the machine."""

import math

import pytest

from discoseq.decoding.decode import Candidate, decode
from discoseq.decoding.derivation import ALTERNATIVES, Derivation, derive
from discoseq.decoding.score_trees import score_trees
from discoseq.errors import LinearizationError
from discoseq.linearizations.trace import ElementKind
from discoseq.model.network import Model
from discoseq.search.beam import SearchOptions
from discoseq.treebanks.files import parse_trees
from model.small import POINTER, TREES, small_model

MODELS = {
    "in-order+swap": [small_model()],
    "top-down+shift#k": [small_model(name="top-down+shift#k")],
    "bottom-up+swap#k": [small_model(name="bottom-up+swap#k")],
    "pointer": [small_model(POINTER, "in-order+shift#k")],
    "ensemble": [small_model(seed=seed) for seed in (1, 2, 3)],
}


def candidates(models: list[Model]) -> list[Candidate]:
    found = decode(models, [tree.tokens for tree in TREES], SearchOptions(4, 3, prune=None))
    return [candidate for of_sentence in found for candidate in of_sentence]


@pytest.mark.parametrize("name", MODELS)
def test_the_product_of_the_steps_is_the_probability_that_search_found(name: str) -> None:
    for candidate in candidates(MODELS[name]):
        derivation = derive(MODELS[name], candidate)
        steps = [step.log_probability for step in derivation.steps[1:]]
        assert steps == pytest.approx(candidate.step_log_probabilities, abs=1e-5)
        assert math.prod(map(math.exp, steps)) == pytest.approx(candidate.probability, rel=1e-4)
        assert derivation.log_probability == pytest.approx(candidate.log_probability, abs=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_the_alternatives_are_the_best_and_sorted_and_the_chosen_one_is_among_them(name: str) -> None:
    for candidate in candidates(MODELS[name]):
        for step in derive(MODELS[name], candidate).steps[1:]:
            probabilities = [alternative.probability for alternative in step.alternatives]
            assert probabilities == sorted(probabilities, reverse=True)
            assert 0 < sum(probabilities) <= 1 + 1e-6
            assert len(probabilities) <= ALTERNATIVES
            chosen = {alternative.action: alternative.probability for alternative in step.alternatives}
            assert step.replayed.action is not None
            assert chosen[step.replayed.action] == pytest.approx(math.exp(step.log_probability))
            if len(probabilities) < ALTERNATIVES:  # then these are all that were allowed
                assert sum(probabilities) == pytest.approx(1, abs=1e-5)


def test_the_states_lead_from_all_words_in_the_buffer_to_the_tree_on_the_stack() -> None:
    candidate = candidates(MODELS["in-order+swap"])[0]
    first, *_, last = derive(MODELS["in-order+swap"], candidate).steps
    everything = tuple(range(len(candidate.tree.tokens)))
    assert (first.replayed.action, first.replayed.stack, first.replayed.buffer) == (None, (), everything)
    assert first.replayed.buffer_mask.all()
    assert not first.replayed.stack_mask.any()
    (root,) = last.replayed.stack
    assert (root.kind, root.label, root.words) == (ElementKind.CONSTITUENT, candidate.tree.root.label, everything)
    assert last.replayed.buffer == ()
    assert last.replayed.stack_mask.tolist() == [True, *[False] * (len(everything) - 1)]


def test_a_given_tree_is_derived_by_its_oracle() -> None:
    models = MODELS["in-order+swap"]
    for tree, score in zip(TREES, score_trees(models, TREES), strict=True):
        derivation = derive(models, tree)
        actions = [step.replayed.action for step in derivation.steps[1:]]
        assert actions == models[0].machine.linearization.linearize(tree)
        assert derivation.log_probability == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(ROOT (XYZ (NN 0=Ruhe)))", "NT-XYZ is not in the action vocabulary"),
        ("(ROOT (S (S (S (S (S (S (NN 0=Ruhe))))))))", "unary chain of 7, and the limit is"),
    ],
)
def test_a_tree_out_of_reach_is_refused_with_the_reason(text: str, reason: str) -> None:
    def derived() -> Derivation:
        return derive(MODELS["in-order+swap"], parse_trees(text, "discbracket")[0])

    with pytest.raises(LinearizationError, match=reason):
        derived()
