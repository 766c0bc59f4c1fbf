"""The open treebanks beside the checkout: round trips of all trees, and gold sequences under the mask."""

from collections.abc import Iterator
from itertools import islice

import pytest

from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.treebanks.files import read_trees
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree
from linearizations.contracts import check_gold_is_allowed, machine_for
from shared import shared

FOLDERS = {
    "alpino": ("alpino_nl", "Treebank", "cdb"),
    "pcc": ("pcc_de", "syntax"),
    "masc": ("masc_en", "trees"),
    "craft": ("craft_en", "penn"),
}


def treebank(name: str) -> Iterator[Tree]:
    folder = shared("treebanks", *FOLDERS[name])
    return map(drop_functions, read_trees(folder, on_bad=lambda error: None))


@pytest.mark.parametrize("name", FOLDERS)
def test_trees_come_back_from_every_linearization(name: str) -> None:
    """All trees of one linearization after the other would take minutes, so each tree goes through one of them."""
    chosen = [linearization(each) for each in LINEARIZATIONS]
    for number, tree in enumerate(islice(treebank(name), 3000)):
        each = chosen[number % len(chosen)]
        if each.reordering.can_reorder or not tree.is_discontinuous:
            actions = each.linearize(tree)
            assert each.build(tree.tokens, each.read(each.write(actions))) == tree


@pytest.mark.parametrize("name", FOLDERS)
def test_gold_sequences_are_allowed(name: str) -> None:
    sample = list(islice(treebank(name), 0, 1200, 30))
    for each in map(linearization, LINEARIZATIONS):
        trees = [tree for tree in sample if each.reordering.can_reorder or not tree.is_discontinuous]
        if trees:
            check_gold_is_allowed(machine_for(each, *trees), *trees)
