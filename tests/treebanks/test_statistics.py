import statistics

from hypothesis import given
from hypothesis import strategies as st

from discoseq.treebanks.files import parse_trees
from discoseq.treebanks.statistics import collect
from discoseq.trees.punctuation import remove
from discoseq.trees.tree import Tree
from tree_strategies import trees

LINES = """\
(ROOT (S (VP (V 0=a) (V 2=c)) (N 1=b)) ($. 3=.))
(ROOT (S (NP (NP (N 0=a))) ($, 1=,) (VP-OC (V 2=b))) ($. 3=.))
(ROOT (S (NP (N 0=a) (N 2=b)) (V 3=c)) ($, 1=,))
"""


def test_the_board_example() -> None:
    found = collect(parse_trees(LINES, "discbracket")).as_dict()
    assert (found["sentences"], found["tokens"], found["constituents"]) == (3, 12, 11)
    assert found["length"] == {"mean": 4.0, "median": 4.0, "max": 4}
    # the third sentence has gaps of nothing but a comma, in S and in NP
    share = {"sentences": 2, "sentences_percent": 200 / 3, "constituents": 3, "constituents_percent": 300 / 11}
    assert found["discontinuous"] == share
    bare = {"sentences": 1, "sentences_percent": 100 / 3, "constituents": 1, "constituents_percent": 100 / 11}
    assert found["discontinuous_ignoring_punctuation"] == bare
    assert found["gap_degrees"] == {0: 8, 1: 3}
    assert found["fan_out"] == {1: 8, 2: 3}
    assert found["ill_nested"] == {"sentences": 0, "sentences_percent": 0.0}
    assert found["unary_chains"] == {"count": 1, "longest": 2, "lengths": {2: 1}}
    assert found["labels"] == {"ROOT": 3, "S": 3, "NP": 3, "VP": 2}
    assert found["functions"] == {"OC": 1}


@given(st.lists(trees(), min_size=1, max_size=5))
def test_ignoring_punctuation_is_removing_it(sample: list[Tree]) -> None:
    found = collect(sample)
    bare = collect(map(remove, sample))
    assert found.bare_discontinuous_sentences == bare.discontinuous_sentences
    gapped = {degree: count for degree, count in found.bare_gap_degrees.items() if degree}
    assert gapped == {degree: count for degree, count in bare.gap_degrees.items() if degree}


@given(st.lists(trees(), min_size=1, max_size=6))
def test_the_median_is_the_median(sample: list[Tree]) -> None:
    assert collect(sample).median_length == statistics.median(len(tree.tokens) for tree in sample)


def test_nothing_has_no_percentages() -> None:
    found = collect([]).as_dict()
    assert found["sentences"] == 0
    assert found["length"] == {"mean": None, "median": None, "max": 0}
