"""An ensemble: the mean of its members' probabilities."""

import numpy as np
import pytest

from discoseq.errors import SearchError
from discoseq.linearizations.actions import SHIFT
from discoseq.linearizations.linearization import linearization
from discoseq.linearizations.state import Ints
from discoseq.search.beam import DEFAULT_OPTIONS, Hypothesis, SearchOptions
from discoseq.search.derivations import Derivations, Ensemble, ScoredDerivations
from discoseq.search.search import search
from linearizations.contracts import basic_machine
from search.fakes import FakeScorer

MACHINE = basic_machine(linearization("in-order+swap"), 2)
ACTIONS = len(MACHINE.vocabulary)
LENGTHS = [4, 1, 6]


def fake(first_seed: int, actions: int = ACTIONS) -> ScoredDerivations:
    scorer = FakeScorer([first_seed + i for i in range(len(LENGTHS))], actions)
    return ScoredDerivations(MACHINE, scorer, LENGTHS)


def find(derivations: Derivations, options: SearchOptions = DEFAULT_OPTIONS) -> list[list[Hypothesis]]:
    return search(derivations, LENGTHS, options)


def test_it_averages_probabilities_over_the_allowed_actions() -> None:
    first: Ints = np.full(3, MACHINE.vocabulary.encode([SHIFT])[0])
    rows = np.arange(3)
    ensemble, members = Ensemble([fake(0), fake(50), fake(90)]), [fake(0), fake(50), fake(90)]
    everything: list[Derivations] = [ensemble, *members]
    for derivations in everything:
        derivations.start(range(3))
        derivations.log_probabilities()
        derivations.apply(rows, first)
    found = np.exp(ensemble.log_probabilities())
    assert not found[~MACHINE.action_mask(members[0].state)].any()
    expected = sum(np.exp(member.log_probabilities()) / 3 for member in members)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("beam_size", [1, 4])
def test_members_that_agree_are_as_one(beam_size: int) -> None:
    options = SearchOptions(beam_size)
    alone = find(fake(7), options)
    together = find(Ensemble([fake(7), fake(7), fake(7)]), options)
    for (one,), (other,) in zip(alone, together, strict=True):
        assert one.actions == other.actions
        assert one.score == pytest.approx(other.score)


def test_members_that_differ_find_something_else_than_each_alone() -> None:
    alone = [find(fake(seed)) for seed in (7, 70)]
    assert find(Ensemble([fake(7), fake(70)])) not in alone


def test_members_with_other_actions_are_refused() -> None:
    with pytest.raises(SearchError, match=f"{ACTIONS + 1} actions are scored, and the machine has {ACTIONS}"):
        find(Ensemble([fake(0), fake(0, ACTIONS + 1)]))


def test_an_ensemble_of_nothing_is_refused() -> None:
    with pytest.raises(SearchError, match="at least one member"):
        Ensemble([])
