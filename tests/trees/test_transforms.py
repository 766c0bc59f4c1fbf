import pytest
from hypothesis import given

from discoseq.errors import TreeError
from discoseq.treebanks.files import parse_trees
from discoseq.trees.transforms import add_root, collapse_unary, drop_functions, restore_unary, strip_traces
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree
from tree_strategies import trees, without_tags


@given(trees())
def test_restoring_undoes_collapsing(tree: Tree) -> None:
    collapsed = collapse_unary(tree)
    assert restore_unary(collapsed) == tree
    for constituent in collapsed.root.walk():
        assert len(constituent.children) > 1 or isinstance(constituent.children[0], int)


def test_a_chain_becomes_one_label() -> None:
    (tree,) = parse_trees("(S (VP (VP (V a) (NP (N b)))))\n", "bracket")
    assert without_tags(collapse_unary(tree)) == "(S+VP+VP 0=a (NP 1=b))"


def test_secondary_edges_follow_a_collapsed_chain() -> None:
    root = Constituent("S", (Constituent("VP", (0, Constituent("NP", (Constituent("NP", (1,)),)))),))
    tree = Tree(root, (Token("a"), Token("b")), secondary_edges=(SecondaryEdge(0, "SB", -4),))
    assert collapse_unary(tree).secondary_edges == (SecondaryEdge(0, "SB", -2),)


def test_a_label_with_the_separator_in_it_is_refused() -> None:
    with pytest.raises(TreeError, match="a label contains '\\+'"):
        collapse_unary(Tree(Constituent("A+B", (0,)), (Token("a"),)))


@given(trees(functions=True, secondary=True))
def test_functions_and_secondary_edges_go_together(tree: Tree) -> None:
    bare = drop_functions(tree)
    assert without_tags(bare) == without_tags(tree)
    assert not bare.secondary_edges
    assert all(token.function is None for token in bare.tokens)
    assert all(constituent.function is None for constituent in bare.root.walk())


def test_traces_go_with_the_phrases_over_them() -> None:
    (tree,) = parse_trees("(S (NP-SBJ (-NONE- *)) (VP (VB go) (ADVP (RB on))))\n", "bracket")
    assert without_tags(strip_traces(tree)) == "(S (VP 0=go (ADVP 1=on)))"


@pytest.mark.parametrize("label", ["", "ROOT", "VROOT", "TOP"])
def test_a_virtual_root_is_renamed(label: str) -> None:
    tree = Tree(Constituent(label, (Constituent("S", (0,)), 1)), (Token("a"), Token("b")))
    assert without_tags(add_root(tree, "X")) == "(X (S 0=a) 1=b)"


def test_any_other_root_gets_one_on_top() -> None:
    root = Constituent("S", (Constituent("NP", (0,), "SB"), 1))
    edges = (SecondaryEdge(0, "OA", -1), SecondaryEdge(1, "HD", -2))
    rooted = add_root(Tree(root, (Token("a"), Token("b")), secondary_edges=edges), "ROOT")
    assert without_tags(rooted) == "(ROOT (S (NP 0=a) 1=b))"
    assert [c.function for c in rooted.root.walk()] == [None, None, "SB"]
    assert rooted.secondary_edges == (SecondaryEdge(0, "OA", -2), SecondaryEdge(1, "HD", -3))
