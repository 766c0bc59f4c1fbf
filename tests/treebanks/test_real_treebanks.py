"""Every tree of the open treebanks goes through every format that can hold it and comes back equal.

Of the largest one a tenth, unless DISCOSEQ_ALL_TREES is set.
"""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, format_trees, parse_trees, read_trees
from discoseq.trees.transforms import add_root
from discoseq.trees.tree import Tree
from shared import shared

TREEBANKS = {
    "alpino_nl/Treebank": ("alpino", 6422),
    "pcc_de/syntax": ("tigerxml", 1967),
    "masc_en/trees": ("bracket", 4138),
    "craft_en/penn": ("bracket", 21731),
}
ONE_BATCH = 500
STRIDE = 10 if "DISCOSEQ_ALL_TREES" not in os.environ else 1


def held(tree: Tree, format: str) -> Tree | None:
    """The tree without what the format has no place for; None for a tree that it can't hold."""
    if format == "bracket" and tree.is_discontinuous:
        return None
    if "bracket" in format:
        bare = tuple(replace(token, lemma=None, morphology=None) for token in tree.tokens)
        return replace(tree, tokens=bare, secondary_edges=())
    if format.startswith("export"):
        tree = add_root(tree, "ROOT")  # the root of the format is a virtual one
    if format == "export3":
        return replace(tree, tokens=tuple(replace(token, lemma=None) for token in tree.tokens))
    return tree


def batches(treebank: str, errors: list[TreebankError]) -> Iterator[list[Tree]]:
    batch: list[Tree] = []
    for tree in read_trees(shared("treebanks", treebank), on_bad=errors.append):
        batch.append(tree)
        if len(batch) == ONE_BATCH:
            yield batch
            batch = []
    yield batch


@pytest.mark.slow
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_every_tree_comes_back_through_every_format(treebank: str) -> None:
    own, count = TREEBANKS[treebank]
    errors: list[TreebankError] = []
    seen = 0
    for number, batch in enumerate(batches(treebank, errors)):
        seen += len(batch)
        if "craft" in treebank and number % STRIDE:
            continue
        for name in FORMATS:
            trees = [kept for tree in batch if (kept := held(tree, name)) is not None]
            assert name == "bracket" or len(trees) == len(batch)
            back = parse_trees(format_trees(trees, name), name)
            assert back == trees
            if name not in ("bracket", "discbracket"):
                assert [tree.id for tree in back] == [tree.id for tree in trees]
            if held(trees[0], own) == trees[0]:
                assert parse_trees(format_trees(trees, own), own) == trees
    assert seen == count
    # one sentence of masc has a closing bracket too many
    assert [str(error).partition("masc_en/")[2] for error in errors] == (
        ["trees/ch5.mrg:297: a closing bracket has no opening one"] if "masc" in treebank else []
    )
