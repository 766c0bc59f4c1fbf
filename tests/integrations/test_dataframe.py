"""A table has a row for every constituent, with what the constituent itself says."""

import subprocess
import sys

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from discoseq import to_dataframe
from discoseq.decoding.decode import EMPTY_TREE
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

DAS = Tree.fromstring("(S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))")


@given(treebank=st.lists(trees(functions=True), max_size=3))
def test_a_table_says_what_the_constituents_say(treebank: list[Tree]) -> None:
    table = to_dataframe(treebank)
    rows = list(table.itertuples())
    found = [(number, tree, phrase) for number, tree in enumerate(treebank) for phrase in tree.subtrees()]
    assert len(rows) == len(found)
    for row, (number, tree, phrase) in zip(rows, found, strict=True):
        assert row.tree == number
        assert (row.label, row.tokens, row.blocks) == (phrase.label, phrase.tokens, phrase.blocks)
        assert row.function == phrase.function or (pd.isna(row.function) and phrase.function is None)
        assert (row.start, row.end) == (phrase.first, phrase.last + 1)
        assert (row.gap_degree, row.is_discontinuous) == (phrase.gap_degree, phrase.is_discontinuous)
        assert row.child_count == len(phrase.children)
        assert row.words == " ".join(tree.leaves(phrase))
    for number, tree in enumerate(treebank):
        part = table[table.tree == number]
        constituents = list(tree.subtrees())
        assert list(part.constituent) == list(range(len(constituents)))
        assert part.depth.max() == tree.depth
        assert pd.isna(part.parent.iloc[0])
        for row in part.iloc[1:].itertuples():
            assert constituents[row.constituent] in constituents[row.parent].children
            assert row.depth == part.depth.iloc[row.parent] + 1


def test_a_table_has_these_columns() -> None:
    table = to_dataframe([Tree(DAS.root, DAS.tokens, id="s7")])
    assert table.to_dict("records")[1] == {
        "tree": 0,
        "id": "s7",
        "constituent": 1,
        "parent": 0,
        "label": "VP",
        "function": "OC",
        "words": "Das tun",
        "tokens": (0, 3),
        "blocks": ((0, 1), (3, 4)),
        "start": 0,
        "end": 4,
        "gap_degree": 1,
        "depth": 2,
        "child_count": 2,
        "is_discontinuous": True,
    }


def test_types_do_not_depend_on_the_trees() -> None:
    some, none = to_dataframe([DAS]), to_dataframe([])
    assert len(none) == 0
    assert list(none.dtypes.items()) == list(some.dtypes.items())
    (row,) = to_dataframe([EMPTY_TREE]).itertuples()
    assert (row.label, row.words, row.tokens, row.start, row.end, row.child_count) == ("ROOT", "", (), 0, 0, 0)


def test_a_deep_tree_has_a_table() -> None:
    phrase = Constituent("X", (0,))
    for _ in range(5000):
        phrase = Constituent("X", (phrase,))
    assert to_dataframe([Tree(phrase, (Token("a"),))]).depth.max() == 5001


def test_without_pandas_one_sentence_says_what_to_install() -> None:
    code = """
import sys
sys.modules["pandas"] = None  # to import it is now an error
from discoseq import DiscoseqError, to_dataframe
try:
    to_dataframe([])
except DiscoseqError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "to_dataframe needs pandas: pip install pandas\n"
