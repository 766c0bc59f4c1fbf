"""An ensemble: the mean of its members' probabilities."""

import numpy as np
import pytest

from discoseq.errors import SearchError
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.actions import SHIFT
from discoseq.linearizations.linearization import linearization
from discoseq.search.beam import SearchOptions
from discoseq.search.scorer import Ensemble
from discoseq.search.search import search
from linearizations.contracts import basic_machine
from search.fakes import FakeScorer

MACHINE = basic_machine(linearization("in-order+swap"), 2)
ACTIONS = len(MACHINE.vocabulary)
LENGTHS = [4, 1, 6]


def fake(first_seed: int, actions: int = ACTIONS) -> FakeScorer:
    return FakeScorer([first_seed + i for i in range(len(LENGTHS))], actions)


def test_it_averages_probabilities_over_the_allowed_actions() -> None:
    state = MACHINE.apply(MACHINE.start(LENGTHS), np.full(3, MACHINE.vocabulary.encode([SHIFT])[0]))
    allowed = MACHINE.action_mask(state)
    rows, last = np.arange(3), np.full(3, PAD_INDEX)
    found = np.exp(Ensemble([fake(0), fake(50), fake(90)]).step(state, rows, last, allowed))
    assert not found[~allowed].any()
    expected = np.zeros_like(found)
    for seed in (0, 50, 90):
        weights = np.where(allowed, np.exp(fake(seed).step(state, rows, last, allowed)), 0)
        expected += weights / weights.sum(axis=1, keepdims=True) / 3
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("beam_size", [1, 4])
def test_members_that_agree_are_as_one(beam_size: int) -> None:
    options = SearchOptions(beam_size)
    alone = search(MACHINE, fake(7), LENGTHS, options)
    together = search(MACHINE, Ensemble([fake(7), fake(7), fake(7)]), LENGTHS, options)
    for (one,), (other,) in zip(alone, together, strict=True):
        assert one.actions == other.actions
        assert one.score == pytest.approx(other.score)


def test_members_that_differ_find_something_else_than_each_alone() -> None:
    alone = [search(MACHINE, fake(seed), LENGTHS) for seed in (7, 70)]
    assert search(MACHINE, Ensemble([fake(7), fake(70)]), LENGTHS) not in alone


def test_members_with_other_actions_are_refused() -> None:
    with pytest.raises(SearchError, match=f"scores {ACTIONS + 1} actions, and the machine has {ACTIONS}"):
        search(MACHINE, Ensemble([fake(0), fake(0, ACTIONS + 1)]), LENGTHS)


def test_an_ensemble_of_nothing_is_refused() -> None:
    with pytest.raises(SearchError, match="at least one member"):
        Ensemble([])
