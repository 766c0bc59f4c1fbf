"""The compiled decoder and machine do what those of PyTorch and NumPy do."""

import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from discoseq.decoding.decode import decode, encode, make_derivations
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.linearizations.machine import EXACT, WEAK
from discoseq.model.beam_cache import BeamCache
from discoseq.model.directory import load_model, save_model
from discoseq.model.native_decoder import NativeDecoder, NativeDerivations, has_native_decoder
from discoseq.model.network import Model
from discoseq.model.network_scorer import NetworkScorer
from discoseq.model.settings import ModelSettings
from discoseq.search.beam import SearchOptions
from discoseq.search.derivations import ScoredDerivations
from model.small import EVERYTHING, PLAIN, POINTER, TREES, small_model

pytestmark = pytest.mark.skipif(not has_native_decoder(), reason="no compiled decoder: there was no C++ compiler")
EAGER = ["in-order+eager-swap", "enriched-top-down+eager-swap", "bottom-up+eager-swap"]
LABELS = replace(POINTER, state_features="labels")
SETTINGS = {
    "plain": PLAIN,
    "words": EVERYTHING,
    "corners and pointer": POINTER,
    "labels": LABELS,
    "norm before": replace(LABELS, pre_norm=True),
    "no dedicated heads": replace(EVERYTHING, buffer_heads=0, stack_heads=0),
    "many dedicated heads": replace(EVERYTHING, buffer_heads=2, stack_heads=1),
    "dedicated heads below": replace(EVERYTHING, dedicated_layers=1),
    "wide": replace(LABELS, width=80, heads=2, hidden=200, decoder_layers=3),
}


def with_constraints(model: Model, constraints: str) -> Model:
    return replace(model, machine=replace(model.machine, constraints=constraints))


def both(model: Model) -> tuple[NativeDerivations, ScoredDerivations]:
    """Compiled and not, of the same encoded words."""
    sentences = [tree.words for tree in TREES]
    encoded = encode(model, sentences)
    native = NativeDecoder.of(model.network.decoder, model.machine)
    assert native is not None
    scorer = NetworkScorer(model.network.decoder, encoded, BeamCache())
    return (
        NativeDerivations(native, model.machine, encoded),
        ScoredDerivations(model.machine, scorer, [len(words) for words in sentences]),
    )


@torch.inference_mode()
def follow_at_random(model: Model, seed: int, steps: int = 40, most_rows: int = 4) -> None:
    """Beams that grow, shrink and lose sentences, by actions that are chosen at random among those allowed."""
    random = np.random.default_rng(seed)
    native, scored = both(model)
    for sentences in ([0, 2, 3, 4], [3, 1]):  # the second search finds what the first has left behind
        is_finished = native.start(sentences)
        np.testing.assert_array_equal(is_finished, scored.start(sentences))
        owners = np.arange(len(sentences))
        for _ in range(steps):
            kept = np.flatnonzero(~is_finished & (random.random(len(owners)) < 0.95))
            if not len(kept):
                break
            native.keep(kept)
            scored.keep(kept)
            owners = owners[kept]
            found, expected = native.log_probabilities(), scored.log_probabilities()
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)
            rows = [np.flatnonzero(owners == owner) for owner in np.unique(owners)]
            parents = np.concatenate([np.sort(random.choice(of, random.integers(1, most_rows))) for of in rows])
            allowed = np.isfinite(expected[parents])
            actions = np.where(allowed, random.random(allowed.shape), -1).argmax(axis=1)
            is_finished = native.apply(parents, actions)
            np.testing.assert_array_equal(is_finished, scored.apply(parents, actions))
            owners = owners[parents]


@pytest.mark.parametrize(("name", "constraints"), [*product(LINEARIZATIONS, [EXACT, WEAK]), *product(EAGER, [WEAK])])
def test_every_linearization_allows_the_same_and_scores_the_same(name: str, constraints: str) -> None:
    model = small_model(LABELS if "shift#k" in name else replace(LABELS, pointer=False), name.replace("eager-", ""))
    if "eager" in name:
        model = weak_eager(model, name)
    for seed in range(6):
        follow_at_random(with_constraints(model, constraints), seed)


def weak_eager(model: Model, name: str) -> Model:
    machine = replace(model.machine, linearization=linearization(name), constraints=WEAK)
    return replace(model, machine=machine)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_network_scores_the_same(settings: ModelSettings) -> None:
    model = small_model(settings, "in-order+shift#k")
    for seed in range(3):
        follow_at_random(model, seed)


def test_many_rows_are_scored_as_few_are() -> None:
    follow_at_random(small_model(LABELS, "in-order+shift#k"), seed=1, steps=25, most_rows=120)


def test_changed_weights_are_noticed() -> None:
    model = small_model()
    first = NativeDecoder.of(model.network.decoder, model.machine)
    assert first is not None
    assert NativeDecoder.of(model.network.decoder, model.machine) is first
    with torch.no_grad():
        model.network.decoder.out.weight.mul_(2)
    assert NativeDecoder.of(model.network.decoder, model.machine) is not first
    follow_at_random(model, 1)


@torch.inference_mode()
def test_a_model_that_is_loaded_in_inference_mode_is_compiled_too(tmp_path: Path) -> None:
    save_model(small_model(), tmp_path / "model")
    model = load_model(tmp_path / "model")
    assert NativeDecoder.of(model.network.decoder, model.machine) is not None


@torch.inference_mode()
def test_a_network_of_another_precision_is_left_to_pytorch() -> None:
    model = small_model()
    model.network.bfloat16()
    encoded = encode(model, [TREES[0].words])
    assert isinstance(make_derivations([model], [encoded]), ScoredDerivations)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_network_with_broken_weights_still_gets_trees(value: float) -> None:
    model = small_model(LABELS, "in-order+shift#k")
    with torch.no_grad():
        model.network.decoder.out.weight[3:] = value
    for candidates, tree in zip(decode([model], [x.tokens for x in TREES], SearchOptions(3)), TREES, strict=True):
        assert len(candidates[0].tree.tokens) == len(tree.tokens)


@pytest.mark.slow
def test_it_can_be_switched_off_and_the_trees_stay_the_same() -> None:
    code = (
        "from discoseq import Parser; from discoseq.model.native_decoder import has_native_decoder as has;"
        "print(has()); print(Parser.load('en').parse('Which letter did Ben find in the old house?'))"
    )
    answers = []
    for value in ("0", "1"):
        command = [sys.executable, "-c", code]
        output = subprocess.run(command, env={"DISCOSEQ_NATIVE": value}, capture_output=True, text=True, check=True)
        answers.append(output.stdout.splitlines())
    assert [answer[0] for answer in answers] == ["False", "True"]
    assert answers[0][1] == answers[1][1]
