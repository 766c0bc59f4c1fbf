"""The joint score: the log-probabilities of the actions, and a score of the whole tree."""

from collections.abc import Sequence

import numpy as np
import pytest

from discoseq.linearizations.linearization import linearization
from discoseq.linearizations.machine import Machine
from discoseq.search.beam import Hypothesis, SearchOptions
from discoseq.search.derivations import ScoredDerivations
from discoseq.search.search import search
from discoseq.trees.tree import Constituent, Token, Tree
from linearizations.contracts import basic_machine
from search.fakes import FakeScorer
from search.reference import all_sequences, tree_of

NAMES = ["in-order+swap", "bottom-up+shift#k", "enriched-top-down+swap#k", "top-down"]
LENGTHS = [1, 2, 2, 2, 2]


class FakeTreeScores:
    """Every tree of every sentence has a score of its own, from -4 to 0."""

    def of(self, sentence: int, tree: Tree) -> float:
        covers = [(sum(map(ord, node.label)), node.cover) for node in tree.root.walk()]
        return float(-4 * np.random.default_rng([sentence, *np.ravel(covers)]).random())

    def highest(self, sentence: int) -> float:
        return 0.0


def find(machine: Machine, options: SearchOptions, lengths: Sequence[int] = LENGTHS) -> list[list[Hypothesis]]:
    scorer = FakeScorer(list(range(len(lengths))), len(machine.vocabulary), 2.0)
    return search(ScoredDerivations(machine, scorer, lengths), lengths, options, tree_scores=FakeTreeScores())


def all_scores(machine: Machine, sentence: int) -> list[float]:
    """The joint score of every tree there is, by its best sequence, the highest first."""
    length = LENGTHS[sentence]
    scorer = FakeScorer(list(range(len(LENGTHS))), len(machine.vocabulary), 2.0)
    best: dict[Constituent, float] = {}
    for sequence in all_sequences(machine, scorer, sentence, length):
        root = tree_of(machine, sequence.actions, length)
        joint = sequence.log_probability + FakeTreeScores().of(sentence, Tree(root, (Token("w"),) * length))
        best[root] = max(joint, best.get(root, joint))
    return sorted(best.values(), reverse=True)


@pytest.mark.parametrize("greedy_bound", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_beam_that_holds_everything_finds_the_best_tree_there_is(name: str, greedy_bound: bool) -> None:
    machine = basic_machine(linearization(name), 1)
    options = SearchOptions(2000, score="joint", prune=None, greedy_bound=greedy_bound)
    for sentence, (hypothesis,) in enumerate(find(machine, options)):
        assert hypothesis.score == pytest.approx(all_scores(machine, sentence)[0])
        assert hypothesis.log_probability == pytest.approx(sum(hypothesis.step_log_probabilities), abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_several_trees_come_in_the_order_of_their_joint_scores(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    for sentence, found in enumerate(find(machine, SearchOptions(2000, 6, "joint", prune=None))):
        expected = all_scores(machine, sentence)[:6]
        assert [hypothesis.score for hypothesis in found] == pytest.approx(expected)


def test_the_trees_have_their_say() -> None:
    machine = basic_machine(linearization("in-order+swap"), 1)
    by_sum = search(
        ScoredDerivations(machine, FakeScorer(list(range(40)), len(machine.vocabulary)), [3] * 40),
        [3] * 40,
        SearchOptions(20, prune=None),
    )
    jointly = find(machine, SearchOptions(20, score="joint", prune=None), [3] * 40)
    pairs = [(one.log_probability, other.log_probability) for (one,), (other,) in zip(by_sum, jointly, strict=True)]
    assert any(one > other for one, other in pairs)
    assert any(one == other for one, other in pairs)


def test_the_bound_saves_rows() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    seen = []
    for greedy_bound in (True, False):
        scorer = FakeScorer(list(range(12)), len(machine.vocabulary), 6.0)
        derivations = ScoredDerivations(machine, scorer, [6] * 12)
        options = SearchOptions(20, score="joint", prune=None, greedy_bound=greedy_bound)
        search(derivations, [6] * 12, options, tree_scores=FakeTreeScores())
        seen.append(sum(scorer.rows_seen))
    assert seen[0] < 0.8 * seen[1]
