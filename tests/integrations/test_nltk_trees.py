"""NLTK's trees hold words, tags, labels and functions of every tree, and its own drawings show them."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import ParentedTree, TreePrettyPrinter
from nltk.tree import Tree as NltkTree

from discoseq.decoding.decode import EMPTY_TREE
from discoseq.errors import TreeError
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

ANN = "(S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)) (. .))"
DAS = Tree.fromstring("(S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))")


@given(tree=st.one_of(trees(functions=True), trees(functions=True, continuous=True)))
def test_a_tree_comes_back_from_nltk(tree: Tree) -> None:
    found = tree.to_nltk()
    assert isinstance(found, NltkTree)
    assert isinstance(found, ParentedTree) == tree.is_discontinuous
    if tree.is_discontinuous:
        assert sorted(found.leaves()) == list(range(len(tree.words)))
        assert Tree.from_nltk(found, tree.words) == tree
    else:
        assert tuple(found.leaves()) == tree.words
        assert Tree.from_nltk(found) == tree


def test_a_continuous_tree_is_what_nltk_reads_from_its_brackets() -> None:
    assert Tree.fromstring(ANN).to_nltk() == NltkTree.fromstring(ANN)
    assert Tree.from_nltk(NltkTree.fromstring(ANN)) == Tree.fromstring(ANN)


def test_a_discontinuous_tree_has_token_indices_and_parents() -> None:
    found = DAS.to_nltk()
    assert str(found) == "(S (VP-OC (PDS 0) (VVINF 3)) (VMFIN 1) (PIS 2))"
    assert found[0][1].parent() is found[0]
    assert found[0].parent() is found


def test_nltk_draws_a_discontinuous_tree() -> None:
    drawing = TreePrettyPrinter(DAS.to_nltk(), list(DAS.words)).text(unicodelines=True)
    assert drawing.splitlines()[-1].split() == ["Das", "muss", "man", "tun"]
    assert drawing.splitlines()[0].split() == ["S"]
    assert any(line.split() == ["PDS", "VMFIN", "PIS", "VVINF"] for line in drawing.splitlines())


def test_trees_without_words_or_tags_or_phrases_are_trees_too() -> None:
    assert Tree.from_nltk(EMPTY_TREE.to_nltk()) == EMPTY_TREE
    bare = Tree(Constituent("S", (Constituent("NP", (0,)), 1)), (Token("It"), Token("works")))
    assert Tree.from_nltk(bare.to_nltk()) == bare
    assert Tree.from_nltk(NltkTree("NP", ["the", "dog"])) == Tree(
        Constituent("NP", (0, 1)), (Token("the"), Token("dog"))
    )
    assert Tree.from_nltk(NltkTree("NN", ["dog"])) == Tree.fromstring("(NN dog)")


def test_a_deep_tree_goes_to_nltk_and_back() -> None:
    phrase = Constituent("X", (0, 2))
    for _ in range(5000):
        phrase = Constituent("X", (phrase,))
    tree = Tree(Constituent("ROOT", (phrase, 1)), tuple(Token(word, "A") for word in "abc"))
    assert Tree.from_nltk(tree.to_nltk(), "abc") == tree


@pytest.mark.parametrize(
    ("tree", "words", "reason"),
    [
        ("(S (A a))", None, "an nltk.Tree is expected, not str"),
        (NltkTree("S", [NltkTree("A", [0])]), None, "the leaf 0 is a token index; pass the words"),
        (NltkTree("S", [NltkTree("A", ["a"])]), ["a"], "the leaf 'a' is not a token index"),
        (NltkTree("S", [NltkTree("A", [None])]), None, "the leaf None is not a word"),
        (NltkTree("S", [NltkTree("A", [""])]), None, "empty word"),
        (NltkTree("S", [NltkTree("NP", []), "a"]), None, "the constituent 'NP' has no children"),
        (NltkTree(7, ["a", "b"]), None, "the label 7 is not a string"),
        (NltkTree("S", [0, 0]), ["a"], "token index 0 occurs twice"),
        (NltkTree("S", [NltkTree("A", [10**12]), 0]), ["a"], "outside the sentence of 1 words"),
        (NltkTree("S", [0]), ["a", "b"], "token index 1 is missing"),
    ],
)
def test_what_is_no_tree_is_refused(tree: object, words: list[str] | None, reason: str) -> None:
    with pytest.raises(TreeError, match=reason):
        Tree.from_nltk(tree, words)


def test_without_nltk_one_sentence_says_what_to_install() -> None:
    code = """
import sys
sys.modules["nltk"] = None  # to import it is now an error
from discoseq import DiscoseqError, Tree
for convert in (Tree.fromstring("(S (A a))").to_nltk, lambda: Tree.from_nltk(None)):
    try:
        convert()
    except DiscoseqError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "to_nltk needs nltk: pip install nltk",
        "from_nltk needs nltk: pip install nltk",
    ]
