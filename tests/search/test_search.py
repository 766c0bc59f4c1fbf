"""A greedy search first, then a beam that must beat it: the same result for less."""

import pytest

from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.linearizations.machine import Machine
from discoseq.search import search as search_module
from discoseq.search.beam import Hypothesis, Score, SearchOptions
from discoseq.search.derivations import Ensemble, ScoredDerivations
from discoseq.search.search import search
from linearizations.contracts import basic_machine
from search.fakes import FakeScorer, run_beam, run_greedy, run_search
from search.reference import all_sequences, best_trees, plain_beam, tree_of

REORDERING = ["in-order+swap", "bottom-up+shift#k", "enriched-top-down+swap#k"]
BUDGET = 1000


def fakes(machine: Machine, *seeds: int, spread: float = 2.0) -> FakeScorer:
    return FakeScorer(list(seeds), len(machine.vocabulary), spread)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_greedy_search_is_a_beam_of_one(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 1, 7, 0, 5, 5, 1]
    found = run_greedy(machine, fakes(machine, *range(7)), lengths)
    expected = run_search(machine, fakes(machine, *range(7)), lengths)
    for result, (hypothesis,) in zip(found, expected, strict=True):
        assert result.hypothesis.actions == hypothesis.actions
        assert result.hypothesis.score == pytest.approx(hypothesis.score)
        assert result.hypothesis.step_log_probabilities == pytest.approx(hypothesis.step_log_probabilities, abs=1e-5)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_what_greedy_search_holds_to_be_best_is_the_best_there_is(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    scorer = fakes(machine, *range(12), spread=1.5)
    sure = 0
    for seed, result in enumerate(run_greedy(machine, scorer, [2] * 12)):
        best = max(sequence.log_probability for sequence in all_sequences(machine, scorer, seed, 2))
        if result.is_best:
            assert result.hypothesis.log_probability == pytest.approx(best)
            sure += 1
    assert 0 < sure < 12


@pytest.mark.parametrize("prune", [None, 3.0])
@pytest.mark.parametrize("beam_size", [2, 3, 6, 12])
@pytest.mark.parametrize("name", REORDERING)
def test_the_better_one_of_the_greedy_and_the_beam_s_is_found(name: str, beam_size: int, prune: float | None) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [4, 1, 3, 5, 4, 2, 5, 3]
    options = SearchOptions(beam_size, prune=prune)
    found = run_search(machine, fakes(machine, *range(8)), lengths, options, BUDGET)
    for seed, ((hypothesis,), length) in enumerate(zip(found, lengths, strict=True)):
        complete = plain_beam(machine, fakes(machine, *range(8)), seed, length, options)
        (greedy,) = run_greedy(machine, fakes(machine, seed), [length])
        best = max(complete, key=lambda sequence: sequence.log_probability)
        if best.log_probability > greedy.hypothesis.score:
            assert hypothesis.actions == best.actions
        else:
            assert hypothesis.actions == greedy.hypothesis.actions
        assert hypothesis.log_probability == pytest.approx(max(best.log_probability, greedy.hypothesis.log_probability))


def test_it_takes_less() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    options, seeds, lengths = SearchOptions(8, prune=None), range(20), [5] * 20
    plain, bounded = (fakes(machine, *seeds, spread=8.0) for _ in range(2))
    beam = [result.hypotheses for result in run_beam(machine, plain, lengths, options)]
    assert best_actions(beam) == best_actions(run_search(machine, bounded, lengths, options, BUDGET))
    assert sum(bounded.rows_seen) < 0.5 * sum(plain.rows_seen)


@pytest.mark.parametrize("budget", [40, 60, 120, 1000])
def test_the_budget_changes_nothing_but_how_many_are_together(budget: int) -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    lengths = [5, 3, 5, 4, 5, 2]
    options = SearchOptions(8)
    scorer = fakes(machine, *range(6))
    found = run_search(machine, scorer, lengths, options, budget)
    alone = [run_search(machine, fakes(machine, i), [n], options, BUDGET)[0] for i, n in enumerate(lengths)]
    assert found == alone
    most = max(1, budget // 3 // 5)  # sentences in a batch of the bounded beam
    assert max(scorer.rows_seen) <= max(6, 8 * most)


def test_a_longer_sentence_makes_no_other_beam_smaller() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    lengths, options, budget = [4, 9, 5, 3, 8], SearchOptions(8), 48  # beams of 8, 5, 8, 8, 6
    found = run_search(machine, fakes(machine, *range(5)), lengths, options, budget)
    for seed, (length, hypotheses) in enumerate(zip(lengths, found, strict=True)):
        affordable = SearchOptions(min(8, budget // length))
        assert hypotheses == run_search(machine, fakes(machine, seed), [length], affordable, BUDGET)[0]


@pytest.mark.parametrize(("nbest", "score"), [(3, "sum"), (1, "mean"), (2, "mean")])
def test_for_several_or_for_the_mean_it_is_a_plain_search(nbest: int, score: Score) -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    options = SearchOptions(4, nbest, score)
    found = run_search(machine, fakes(machine, 0, 1, 2), [4, 2, 5], options, BUDGET)
    plain = run_beam(machine, fakes(machine, 0, 1, 2), [4, 2, 5], options)
    assert found == [result.hypotheses for result in plain]


@pytest.mark.parametrize("beam_size", [1, 4])
def test_no_sentences_and_sentences_of_no_words_are_no_trouble(beam_size: int) -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    options = SearchOptions(beam_size)
    assert run_search(machine, fakes(machine), [], options, BUDGET) == []
    nothing = Hypothesis((), 0.0, 0.0, ())
    assert run_search(machine, fakes(machine, 0, 1), [0, 0], options, BUDGET) == [[nothing]] * 2
    assert run_search(machine, fakes(machine, 0), [0], SearchOptions(4, 4, required=4), BUDGET) == [[nothing]]


def test_the_members_of_an_ensemble_start_together() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    options, lengths = SearchOptions(4), [4, 1, 6]
    together = Ensemble([ScoredDerivations(machine, fakes(machine, 7, 8, 9), lengths) for _ in range(3)])
    alone = run_search(machine, fakes(machine, 7, 8, 9), lengths, options, BUDGET)
    assert best_actions(search(together, lengths, options, BUDGET)) == best_actions(alone)


def best_actions(found: list[list[Hypothesis]]) -> list[tuple[int, ...]]:
    return [hypotheses[0].actions for hypotheses in found]


def test_long_sentences_are_searched_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "_LONG", 4)
    machine = basic_machine(linearization("in-order+swap"), 2)
    lengths, options = [3, 5, 4, 7], SearchOptions(6)
    found = run_search(machine, fakes(machine, *range(4)), lengths, options, BUDGET)
    for seed, (length, hypotheses) in enumerate(zip(lengths, found, strict=True)):
        scorer = fakes(machine, seed)
        (plain,) = run_beam(machine, scorer, [length], options)
        (bounded,) = run_search(machine, fakes(machine, seed), [length], SearchOptions(6), BUDGET)
        assert hypotheses == (plain.hypotheses if length > 4 else bounded)
    greedy = run_search(machine, fakes(machine, *range(4)), lengths, SearchOptions(1), BUDGET)
    assert [x.hypothesis for x in run_greedy(machine, fakes(machine, *range(4)), lengths)] == [x for (x,) in greedy]


@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize("spread", [0.5, 12.0])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_as_many_trees_are_found_as_are_required_and_exist(name: str, spread: float, score: Score) -> None:
    machine = basic_machine(linearization(name), 1)
    lengths = [1, 2, 2]
    scorer = fakes(machine, *range(3), spread=spread)
    every = SearchOptions(10**6, 10**6, score)
    exist = [
        best_trees(machine, list(all_sequences(machine, scorer, seed, length)), length, every)
        for seed, length in enumerate(lengths)
    ]
    assert min(map(len, exist)) < 5 < max(map(len, exist))  # sentences with too few trees and with enough
    for n in (2, 5, 8, 1000):
        found = run_search(machine, scorer, lengths, SearchOptions(n, n, score, required=n), BUDGET)
        assert list(map(len, found)) == [min(n, len(trees)) for trees in exist]
        for hypotheses, trees, length in zip(found, exist, lengths, strict=True):
            assert len({tree_of(machine, x.actions, length) for x in hypotheses}) == len(hypotheses)
            if n > len(trees):  # then nothing was dropped, and these are all trees in their true order
                assert [x.actions for x in hypotheses] == [x.actions for x in trees]


@pytest.mark.parametrize("name", REORDERING)
def test_longer_sentences_get_all_required_trees_within_any_budget(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [4, 30, 6, 9]
    scorer = fakes(machine, *range(4), spread=12.0)
    for budget in (20, BUDGET):
        for hypotheses, length in zip(
            run_search(machine, scorer, lengths, SearchOptions(20, 20, required=20), budget), lengths, strict=True
        ):
            assert len({tree_of(machine, x.actions, length) for x in hypotheses}) == 20


def test_what_is_not_required_is_pruned() -> None:
    machine = basic_machine(linearization("in-order+swap"), 2)
    lengths, counts, rows = [6] * 10, [], []
    for required in (1, 3, 8):
        scorer = fakes(machine, *range(10), spread=12.0)
        found = run_search(machine, scorer, lengths, SearchOptions(8, 8, required=required), BUDGET)
        assert min(map(len, found)) >= required
        counts.append(sum(map(len, found)))
        rows.append(sum(scorer.rows_seen))
    assert counts == sorted(counts)
    assert counts[0] < 80 == counts[-1]
    assert rows[0] < rows[1] < rows[2]


@pytest.mark.parametrize("name", ["enriched-top-down+swap", "enriched-top-down+swap#k"])
def test_sequences_that_build_one_tree_do_not_use_up_the_places(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    options, seeds, lengths = SearchOptions(4, 4, prune=None, required=4), range(20), [3] * 20
    narrow = run_beam(machine, fakes(machine, *seeds, spread=1.0), lengths, options)
    assert min(len(result.hypotheses) for result in narrow) < 4  # else there is no reason to widen a beam
    found = run_search(machine, fakes(machine, *seeds, spread=1.0), lengths, options, BUDGET)
    for first, hypotheses in zip(narrow, found, strict=True):
        assert len({tree_of(machine, x.actions, 3) for x in hypotheses}) == 4
        assert len(first.hypotheses) < 4 or first.hypotheses == hypotheses
