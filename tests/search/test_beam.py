"""Search: greedy with a beam of one, the true optimum with a beam that holds everything."""

from collections.abc import Iterator

import numpy as np
import pytest

from discoseq.linearization.grid import LINEARIZATIONS, linearization
from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Ints, ParserState
from discoseq.linearization.vocabulary import PAD_INDEX
from discoseq.search.beam import Hypothesis, search
from discoseq.search.scorer import Floats
from discoseq.trees.tree import Token
from linearization.contracts import basic_machine
from search.fakes import FakeScorer


def log_probabilities(scorer: FakeScorer, history: tuple[int, ...], allowed: Floats) -> dict[int, float]:
    opinion = scorer.opinion(history)
    total = np.log(sum(np.exp(opinion[action]) for action in np.flatnonzero(allowed)))
    return {int(action): float(opinion[action] - total) for action in np.flatnonzero(allowed)}


def follow_the_best(machine: Machine, seed: int, length: int) -> Hypothesis:
    """The plainest greedy loop, one sentence at a time."""
    scorer = FakeScorer([seed], len(machine.vocabulary))
    history: tuple[int, ...] = (seed, PAD_INDEX)
    state, score = machine.start([length]), 0.0
    while not state.is_finished[0]:
        choices = log_probabilities(scorer, history, machine.action_mask(state)[0])
        action = max(choices, key=choices.__getitem__)
        score += choices[action]
        history = (*history, action)
        state = machine.apply(state, np.array([action]))
    return Hypothesis(history[2:], score)


def all_hypotheses(machine: Machine, seed: int, length: int) -> Iterator[Hypothesis]:
    """Every complete sequence there is."""
    scorer = FakeScorer([seed], len(machine.vocabulary))
    agenda: list[tuple[ParserState, tuple[int, ...], float]] = [(machine.start([length]), (seed, PAD_INDEX), 0.0)]
    while agenda:
        state, history, score = agenda.pop()
        if state.is_finished[0]:
            yield Hypothesis(history[2:], score)
            continue
        for action, gain in log_probabilities(scorer, history, machine.action_mask(state)[0]).items():
            agenda.append((machine.apply(state, np.array([action])), (*history, action), score + gain))


def assert_same(found: Hypothesis, expected: Hypothesis) -> None:
    assert found.actions == expected.actions
    assert found.score == pytest.approx(expected.score)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_beam_of_one_is_greedy(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 1, 7, 2, 5, 5, 1]
    scorer = FakeScorer(list(range(len(lengths))), len(machine.vocabulary))
    for seed, found in enumerate(search(machine, scorer, lengths, 1)):
        assert_same(found, follow_the_best(machine, seed, lengths[seed]))


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_beam_that_holds_everything_finds_the_optimum(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    lengths = [1, 2, 3] if name in ("in-order", "bottom-up") else [1, 2, 2]  # a longer one has ten thousand sequences
    everything = [list(all_hypotheses(machine, seed, length)) for seed, length in enumerate(lengths)]
    scorer = FakeScorer(list(range(len(lengths))), len(machine.vocabulary))
    found = search(machine, scorer, lengths, max(map(len, everything)) + 1)
    for hypothesis, candidates in zip(found, everything, strict=True):
        assert_same(hypothesis, max(candidates, key=lambda candidate: candidate.score))


@pytest.mark.parametrize("beam_size", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("name", ["in-order+swap", "bottom-up+shift#k", "enriched-top-down+swap#k"])
def test_a_sentence_gets_the_same_alone_and_in_company(name: str, beam_size: int) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [4, 1, 6, 2, 1, 5, 3]
    actions = len(machine.vocabulary)
    together = search(machine, FakeScorer(list(range(7)), actions), lengths, beam_size)
    for seed, (length, hypothesis) in enumerate(zip(lengths, together, strict=True)):
        (alone,) = search(machine, FakeScorer([seed], actions), [length], beam_size)
        assert_same(hypothesis, alone)


@pytest.mark.parametrize("beam_size", [1, 3, 10])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_score_is_the_sum_over_the_actions_found(name: str, beam_size: int) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [5, 2, 1, 6]
    scorer = FakeScorer(list(range(4)), len(machine.vocabulary), spread=0.5)
    for seed, hypothesis in enumerate(search(machine, scorer, lengths, beam_size)):
        history: tuple[int, ...] = (seed, PAD_INDEX)
        state, score = machine.start([lengths[seed]]), 0.0
        for action in hypothesis.actions:
            score += log_probabilities(scorer, history, machine.action_mask(state)[0])[action]
            history = (*history, action)
            state = machine.apply(state, np.array([action]))
        assert state.is_finished[0]
        assert hypothesis.score == pytest.approx(score)
        machine.linearization.build([Token("w")] * lengths[seed], machine.vocabulary.decode(hypothesis.actions))


def test_a_wider_beam_finds_better_sequences_on_the_whole() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    totals = []
    for beam_size in (1, 4, 16):
        scorer = FakeScorer(list(range(30)), len(machine.vocabulary))
        totals.append(sum(found.score for found in search(machine, scorer, [5] * 30, beam_size)))
    assert totals == sorted(totals)
    assert totals[0] < totals[-1]


@pytest.mark.parametrize("beam_size", [1, 4])
def test_finished_sentences_leave(beam_size: int) -> None:
    machine = basic_machine(linearization("in-order"), 2)
    scorer = FakeScorer(list(range(6)), len(machine.vocabulary))
    found = search(machine, scorer, [1, 2, 3, 4, 5, 30], beam_size)
    assert max(scorer.rows_seen) == 6 * beam_size
    assert scorer.rows_seen[-1] == beam_size
    assert len(scorer.rows_seen) >= max(len(hypothesis.actions) for hypothesis in found)


def test_no_sentences_and_sentences_of_no_words_are_no_trouble() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    actions = len(machine.vocabulary)
    assert search(machine, FakeScorer([], actions), [], 3) == []
    assert search(machine, FakeScorer([0, 1], actions), [0, 0], 3) == [Hypothesis((), 0.0)] * 2
    found = search(machine, FakeScorer([5, 0, 6], actions), [0, 4, 0], 3)
    assert found[0] == found[2] == Hypothesis((), 0.0)
    assert_same(found[1], search(machine, FakeScorer([0], actions), [4], 3)[0])


class Broken:
    """A network whose numbers have run away."""

    def __init__(self, actions: int, opinion: float) -> None:
        self.opinions = np.full(actions, opinion, dtype=np.float32)

    def step(self, state: ParserState, parents: Ints, last_actions: Ints) -> Floats:
        return np.tile(self.opinions, (len(state), 1))


@pytest.mark.parametrize("opinion", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("beam_size", [1, 5])
@pytest.mark.parametrize("name", ["in-order+swap", "top-down+shift#k", "bottom-up+swap"])
def test_a_scorer_that_says_nonsense_still_gets_a_tree(name: str, beam_size: int, opinion: float) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 5]
    found = search(machine, Broken(len(machine.vocabulary), opinion), lengths, beam_size)
    for length, hypothesis in zip(lengths, found, strict=True):
        actions = machine.vocabulary.decode(hypothesis.actions)
        assert len(machine.linearization.build([Token("w")] * length, actions).tokens) == length
