import random

import pytest

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.significance import average_runs, paired_bootstrap


def parser(share_right: float, sentences: int = 300, seed: int = 1) -> list[BracketCounts]:
    """Sentences of ten brackets on both sides, each right with a certain probability."""
    draw = random.Random(seed)
    return [BracketCounts(sum(draw.random() < share_right for _ in range(10)), 10, 10) for _ in range(sentences)]


def test_equal_parsers_are_not_different() -> None:
    result = paired_bootstrap(parser(0.8), parser(0.8), samples=500)
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)


def test_a_clear_difference_is_significant() -> None:
    result = paired_bootstrap(parser(0.9), parser(0.8, seed=2), samples=2000)
    assert result.p_value < 0.01
    assert 0 < result.low < result.difference < result.high
    assert result.difference == pytest.approx(result.first - result.second)


def test_a_difference_by_chance_is_not_significant() -> None:
    result = paired_bootstrap(parser(0.8), parser(0.8, seed=2), samples=2000)
    assert result.p_value > 0.05
    assert result.low < 0 < result.high


def test_the_false_alarms_are_about_as_many_as_the_level_says() -> None:
    alarms = sum(
        paired_bootstrap(parser(0.8, 60, seed), parser(0.8, 60, seed + 1000), samples=200).p_value < 0.1
        for seed in range(200)
    )
    assert 5 <= alarms <= 40


def test_equal_seeds_give_equal_results_and_swapping_turns_the_sign() -> None:
    one, two = parser(0.82), parser(0.8, seed=2)
    assert paired_bootstrap(one, two, 300, seed=3) == paired_bootstrap(one, two, 300, seed=3)
    assert paired_bootstrap(one, two, 300, seed=3) != paired_bootstrap(one, two, 300, seed=4)
    forward, backward = paired_bootstrap(one, two, 300), paired_bootstrap(two, one, 300)
    assert forward.p_value == backward.p_value
    assert (forward.low, forward.high) == pytest.approx((-backward.high, -backward.low))


def test_drawing_in_blocks_changes_nothing_but_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = parser(0.82), parser(0.8, seed=2)
    whole = paired_bootstrap(one, two, 100)
    monkeypatch.setattr("discoseq.evaluation.significance._MOST_CELLS", 900)
    assert paired_bootstrap(one, two, 100) == whole


def test_sentences_without_brackets_are_no_trouble() -> None:
    nothing = [BracketCounts()] * 3
    result = paired_bootstrap(nothing, nothing, 10)
    assert (result.first, result.p_value) == (0, 1)


def test_a_narrower_confidence_gives_a_narrower_interval() -> None:
    one, two = parser(0.82), parser(0.8, seed=2)
    wide, narrow = (paired_bootstrap(one, two, 1000, confidence=share) for share in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    ("first", "second", "samples", "confidence", "reason"),
    [
        (2, 3, 10, 0.95, "2 and 3 sentences"),
        (0, 0, 10, 0.95, "at least one sentence"),
        (2, 2, 0, 0.95, "one sample"),
        (2, 2, 10, 95, "between 0 and 1"),
    ],
)
def test_bad_arguments_are_an_error(first: int, second: int, samples: int, confidence: float, reason: str) -> None:
    counts = BracketCounts(1, 1, 1)
    with pytest.raises(EvaluationError, match=reason):
        paired_bootstrap([counts] * first, [counts] * second, samples, confidence=confidence)


def test_runs_are_averaged_as_papers_write_it() -> None:
    average = average_runs([95.41, 95.47, 95.53])
    assert (average.mean, average.deviation, average.runs) == pytest.approx((95.47, 0.06, 3))
    assert str(average) == "95.47 ± 0.06"


def test_one_run_has_no_deviation_and_no_run_no_average() -> None:
    assert str(average_runs([95.4])) == "95.40"
    with pytest.raises(EvaluationError, match="no runs"):
        average_runs([])
