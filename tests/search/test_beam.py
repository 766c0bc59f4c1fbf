"""Search: greedy with a beam of one, the true optimum with a beam that holds everything."""

from collections.abc import Iterable

import numpy as np
import pytest

from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Ints, ParserState
from discoseq.search.beam import DEFAULT_OPTIONS, Hypothesis, Score, SearchOptions
from discoseq.search.derivations import Floats, Scorer
from linearizations.contracts import basic_machine
from search.fakes import FakeScorer, run_beam
from search.reference import Sequence, all_sequences, best_trees, continuations, plain_beam, tree_of

REORDERING = ["in-order+swap", "bottom-up+shift#k", "enriched-top-down+swap#k"]
NOTHING = Hypothesis((), 0.0, 0.0, ())


def fakes(machine: Machine, *seeds: int, spread: float = 2.0) -> FakeScorer:
    return FakeScorer(list(seeds), len(machine.vocabulary), spread)


def beam(
    machine: Machine, scorer: Scorer, lengths: list[int], options: SearchOptions = DEFAULT_OPTIONS
) -> list[list[Hypothesis]]:
    scorer.start(range(len(lengths)))
    return [result.hypotheses for result in run_beam(machine, scorer, lengths, options)]


def assert_same(found: list[Hypothesis], expected: list[Sequence], options: SearchOptions) -> None:
    assert [hypothesis.actions for hypothesis in found] == [sequence.actions for sequence in expected]
    for hypothesis, sequence in zip(found, expected, strict=True):
        assert hypothesis.score == pytest.approx(sequence.score(options))
        assert hypothesis.log_probability == pytest.approx(sequence.log_probability)
        assert hypothesis.step_log_probabilities == pytest.approx(sequence.step_log_probabilities, abs=1e-5)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_beam_of_one_is_greedy(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 1, 7, 2, 5, 5, 1]
    scorer = fakes(machine, *range(len(lengths)))
    for seed, found in enumerate(beam(machine, scorer, lengths)):
        greedy = Sequence(machine.start([lengths[seed]]))
        while not greedy.state.is_finished[0]:
            greedy = max(continuations(machine, scorer, seed, greedy), key=lambda x: x.step_log_probabilities[-1])
        assert_same(found, [greedy], SearchOptions())


@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_beam_that_holds_everything_finds_the_best_trees_there_are(name: str, score: Score) -> None:
    machine = basic_machine(linearization(name), 1)
    lengths = [1, 2, 3] if name == "bottom-up" else [1, 2, 2]  # a longer one has thousands of sequences
    scorer = fakes(machine, *range(len(lengths)))
    everything = [list(all_sequences(machine, scorer, seed, length)) for seed, length in enumerate(lengths)]
    options = SearchOptions(max(map(len, everything)) + 1, 7, score, prune=None)
    found = beam(machine, scorer, lengths, options)
    for hypotheses, sequences, length in zip(found, everything, lengths, strict=True):
        assert_same(hypotheses, best_trees(machine, sequences, length, options), options)


def test_by_the_mean_a_sentence_is_done_when_as_many_are_complete_as_the_beam_holds() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    scorer, options = fakes(machine, 0), SearchOptions(10, 10, "mean", prune=None)
    (found,) = beam(machine, scorer, [6], options)
    complete = plain_beam(machine, scorer, 0, 6, options)
    assert len(complete) == 10
    assert len(scorer.rows_seen) == max(len(x.actions) for x in complete)  # no step after the tenth
    assert max(scorer.rows_seen) == 10
    assert scorer.rows_seen[-1] == 10  # those that were complete before have been replaced in the beam
    assert_same(found, best_trees(machine, complete, 6, options), options)


@pytest.mark.parametrize("prune", [None, 3.0])
@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize(("beam_size", "nbest"), [(2, 1), (3, 2), (6, 6), (12, 3)])
@pytest.mark.parametrize("name", REORDERING)
def test_stopping_early_changes_nothing(
    name: str, beam_size: int, nbest: int, score: Score, prune: float | None
) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [4, 1, 3, 5]
    options = SearchOptions(beam_size, nbest, score, prune)
    scorer = fakes(machine, *range(len(lengths)))
    found = beam(machine, scorer, lengths, options)
    for seed, (hypotheses, length) in enumerate(zip(found, lengths, strict=True)):
        complete = plain_beam(machine, scorer, seed, length, options)
        assert_same(hypotheses, best_trees(machine, complete, length, options), options)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("name", REORDERING)
def test_a_sentence_gets_the_same_alone_and_with_others(name: str, beam_size: int) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [4, 1, 6, 2, 1, 5, 3]
    options = SearchOptions(beam_size, min(3, beam_size))
    together = beam(machine, fakes(machine, *range(7)), lengths, options)
    for seed, (length, hypotheses) in enumerate(zip(lengths, together, strict=True)):
        assert beam(machine, fakes(machine, seed), [length], options) == [hypotheses]


@pytest.mark.parametrize("name", ["in-order+swap", "in-order+shift#k", "bottom-up+swap"])
def test_the_trees_of_a_sentence_are_different_where_its_sequences_need_not_be(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    options = SearchOptions(30, 30, prune=None)
    repeated = 0
    for seed in range(5):
        scorer = fakes(machine, seed)
        trees = [tree_of(machine, found.actions, 3) for found in beam(machine, scorer, [3], options)[0]]
        assert len(set(trees)) == len(trees) > 1
        repeated += len(plain_beam(machine, scorer, seed, 3, options)) - len(trees)
    assert repeated > 0  # else there was nothing to tell apart


def test_a_wider_beam_finds_better_sequences_on_the_whole() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    totals = []
    for beam_size in (1, 4, 16):
        found = beam(machine, fakes(machine, *range(30)), [5] * 30, SearchOptions(beam_size))
        totals.append(sum(hypotheses[0].score for hypotheses in found))
    assert totals == sorted(totals)
    assert totals[0] < totals[-1]


def test_pruning_saves_rows_and_keeps_the_best_tree_where_it_is_clearly_the_best() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    found, rows = [], []
    for prune in (None, 5.0):
        scorer = fakes(machine, *range(20), spread=8.0)
        found.append(beam(machine, scorer, [5] * 20, SearchOptions(8, prune=prune)))
        rows.append(sum(scorer.rows_seen))
    assert found[0] == found[1]
    assert rows[1] < 0.8 * rows[0]


@pytest.mark.parametrize("beam_size", [1, 4])
def test_finished_sentences_leave(beam_size: int) -> None:
    machine = basic_machine(linearization("in-order"), 2)
    scorer = fakes(machine, *range(6))
    found = beam(machine, scorer, [1, 2, 3, 4, 5, 30], SearchOptions(beam_size))
    assert max(scorer.rows_seen) <= 6 * beam_size
    assert scorer.rows_seen[-1] <= beam_size
    assert len(scorer.rows_seen) >= max(len(hypotheses[0].actions) for hypotheses in found)


def test_no_sentences_and_sentences_of_no_words_are_no_trouble() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    options = SearchOptions(3)
    assert beam(machine, fakes(machine), [], options) == []
    assert beam(machine, fakes(machine, 0, 1), [0, 0], options) == [[NOTHING]] * 2
    found = beam(machine, fakes(machine, 5, 0, 6), [0, 4, 0], options)
    assert found[0] == found[2] == [NOTHING]
    assert found[1] == beam(machine, fakes(machine, 0), [4], options)[0]


class Broken:
    """A network whose numbers have run away."""

    def __init__(self, actions: int, score: float) -> None:
        self.scores = np.full(actions, score, dtype=np.float32)

    def start(self, sentences: Iterable[int]) -> None:
        pass

    def step(self, state: ParserState, parents: Ints, previous_actions: Ints) -> Floats:
        return np.tile(self.scores, (len(state), 1))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("beam_size", [1, 5])
@pytest.mark.parametrize("name", ["in-order+swap", "top-down+shift#k", "bottom-up+swap"])
def test_a_scorer_that_says_nonsense_still_gets_a_tree(name: str, beam_size: int, value: float) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 5]
    scorer = Broken(len(machine.vocabulary), value)
    for length, hypotheses in zip(lengths, beam(machine, scorer, lengths, SearchOptions(beam_size)), strict=True):
        assert tree_of(machine, hypotheses[0].actions, length).token_count == length
