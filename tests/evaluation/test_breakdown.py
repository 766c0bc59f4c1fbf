import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import EvaluationError
from discoseq.evaluation.breakdown import DISCONTINUOUS, By, Row, add_groups, break_down, count_groups, make_rows
from discoseq.evaluation.corpus_scores import score_sentences
from discoseq.evaluation.counts import BracketCounts, SentenceResult
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Tree
from tree_strategies import trees

GOLD = """(ROOT (S (VP (A 0=a) (B 2=b) (D 4=d)) (NP (C 1=c)) (NP (E 3=e) ($, 5=,) (F 6=f))))
(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))
"""
PREDICTED = """(ROOT (S (VP (A 0=a) (B 2=b)) (NP (C 1=c)) (D 4=d) (NP (E 3=e) (F 6=f)) ($, 5=,)))
(ROOT (S (NP (A 0=a) (B 1=b)) (AP (C 2=c))))
"""


def results(gold: str = GOLD, predicted: str = PREDICTED) -> list[SentenceResult]:
    return list(score_sentences(parse_trees(gold, "discbracket"), parse_trees(predicted, "discbracket")))


def named(rows: list[Row]) -> dict[str, BracketCounts]:
    return {row.name: row.counts for row in rows}


def test_by_label_the_most_frequent_comes_first() -> None:
    rows = break_down(results(), By.LABEL)
    assert [row.name for row in rows] == ["NP", "S", "VP", "AP"]
    assert named(rows) == {
        "NP": BracketCounts(3, 3, 3),
        "S": BracketCounts(2, 2, 2),
        "VP": BracketCounts(0, 2, 1),
        "AP": BracketCounts(0, 0, 1),
    }


def test_the_average_span_is_that_of_gold_without_deleted_tokens() -> None:
    spans = {row.name: row.average_span for row in break_down(results(), By.LABEL)}
    assert spans == {"NP": 5 / 3, "S": 4.5, "VP": 2, "AP": None}


def test_by_span_every_short_length_has_its_row() -> None:
    assert named(break_down(results(), By.SPAN)) == {
        "1": BracketCounts(1, 2, 2),
        "2": BracketCounts(2, 2, 3),
        "3": BracketCounts(1, 2, 1),
        "6": BracketCounts(1, 1, 1),
    }


def test_long_spans_share_rows() -> None:
    tree = "(ROOT (S {}))".format(" ".join(f"(N {i}=w)" for i in range(50)))
    phrase = "(ROOT (S (NP {}) (N 12=w)))".format(" ".join(f"(N {i}=w)" for i in range(12)))
    rows = break_down(results(f"{tree}\n{phrase}", f"{tree}\n{phrase}"), By.SPAN)
    assert named(rows) == {"11-15": BracketCounts(2, 2, 2), ">= 41": BracketCounts(1, 1, 1)}


def test_by_gap_deleted_tokens_make_none() -> None:
    rows = break_down(results(), By.GAP)
    assert named(rows) == {
        "0": BracketCounts(4, 5, 5),
        "1": BracketCounts(1, 1, 2),
        "2": BracketCounts(0, 1, 0),
        DISCONTINUOUS: BracketCounts(1, 2, 2),
    }


def test_by_length_each_row_holds_the_shorter_sentences_too() -> None:
    words = " ".join(f"(N {i}=w)" for i in range(21))
    long = f"(ROOT (S {words}))"
    rows = break_down(results(GOLD + long, PREDICTED + long), By.LENGTH)
    assert [(row.name, row.sentences, row.counts) for row in rows] == [
        ("<= 10", 2, BracketCounts(5, 7, 7)),
        ("<= 20", 2, BracketCounts(5, 7, 7)),
        ("<= 30", 3, BracketCounts(6, 8, 8)),
    ]


def test_nothing_breaks_down_into_nothing() -> None:
    assert break_down([], By.LENGTH) == break_down([], By.LABEL) == break_down([], By.SPAN) == []
    assert break_down([], By.GAP) == [Row(DISCONTINUOUS, BracketCounts())]


@given(st.lists(trees(), min_size=1, max_size=3), st.sampled_from([By.LABEL, By.SPAN]))
def test_the_rows_add_up_to_the_whole(corpus: list[Tree], by: By) -> None:
    scored = list(score_sentences(corpus, corpus))
    whole = sum((result.counts.brackets for result in scored), BracketCounts())
    assert sum((row.counts for row in break_down(scored, by)), BracketCounts()) == whole


@given(st.lists(trees(), min_size=1, max_size=3))
def test_gaps_add_up_to_the_discontinuous_scores(corpus: list[Tree]) -> None:
    scored = list(score_sentences(corpus, corpus))
    rows = break_down(scored, By.GAP)
    assert rows[-1].counts == sum((result.counts.discontinuous for result in scored), BracketCounts())
    whole = sum((result.counts.brackets for result in scored), BracketCounts())
    assert sum((row.counts for row in rows[:-1]), BracketCounts()) == whole


def test_bins_are_chosen_by_their_greatest_lengths() -> None:
    assert named(break_down(results(), By.SPAN, [2, 5])) == {
        "1-2": BracketCounts(3, 4, 5),
        "3-5": BracketCounts(1, 2, 1),
        ">= 6": BracketCounts(1, 1, 1),
    }
    assert [(row.name, row.sentences) for row in break_down(results(), By.LENGTH, [3, 5])] == [
        ("<= 3", 1),
        ("<= 5", 1),
        ("<= 7", 2),
    ]


@pytest.mark.parametrize(("bins", "by"), [([5, 5], By.SPAN), ([0], By.LENGTH), ([3, 2], By.SPAN), ([1], By.LABEL)])
def test_bins_that_make_no_sense_are_refused(bins: list[int], by: By) -> None:
    with pytest.raises(EvaluationError, match="bins"):
        break_down(results(), by, bins)


@given(st.lists(trees(), min_size=1, max_size=3), st.sampled_from(By))
def test_discontinuous_brackets_alone_add_up_to_their_scores(corpus: list[Tree], by: By) -> None:
    scored = list(score_sentences(corpus, corpus))
    groups = count_groups(scored, by, only_discontinuous=True)
    whole = sum((result.counts.discontinuous for result in scored), BracketCounts())
    assert sum((group.counts for group in groups.values()), BracketCounts()) == whole


@given(st.lists(trees(), min_size=2, max_size=4), st.sampled_from(By))
def test_groups_of_parts_add_up_to_those_of_the_whole(corpus: list[Tree], by: By) -> None:
    scored = list(score_sentences(corpus, corpus))
    parts = add_groups([count_groups(scored[:1], by), count_groups(scored[1:], by)])
    assert make_rows(parts, by) == break_down(scored, by)
