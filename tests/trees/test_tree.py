import pickle
from itertools import pairwise

import pytest
from hypothesis import given

from discoseq.errors import TreeError
from discoseq.trees.draft import Draft
from discoseq.trees.tree import Child, Constituent, SecondaryEdge, Token, Tree
from tree_strategies import trees


def tokens(text: str) -> tuple[Token, ...]:
    return tuple(Token(word) for word in text.split())


@given(trees())
def test_blocks_and_tokens_agree_with_the_children(tree: Tree) -> None:
    for constituent in tree.root.walk():
        below = sorted(i for c in constituent.walk() for i in c.children if isinstance(i, int))
        assert list(constituent.tokens) == below
        assert constituent.token_count == len(below)
        assert (constituent.first, constituent.last) == (below[0], below[-1])
        breaks = sum(1 for a, b in pairwise(below) if b > a + 1)
        assert constituent.fan_out == breaks + 1 == len(constituent.blocks)
        assert constituent.gap_degree == breaks
        assert constituent.is_discontinuous == (breaks > 0)


@given(trees())
def test_children_stand_in_the_order_of_their_first_token(tree: Tree) -> None:
    for constituent in tree.root.walk():
        firsts = [child if isinstance(child, int) else child.first for child in constituent.children]
        assert firsts == sorted(firsts)


@given(trees())
def test_ill_nestedness_is_that_of_the_definition(tree: Tree) -> None:
    def interleave(x: Constituent, y: Constituent) -> bool:
        if x.cover & y.cover:
            return False
        return any(
            a < b < c < d
            for a in x.tokens for b in y.tokens if a < b
            for c in x.tokens if b < c
            for d in y.tokens
        )  # fmt: skip

    everything = list(tree.root.walk())
    assert tree.is_ill_nested == any(interleave(x, y) for x in everything for y in everything)


@given(trees(functions=True, fields=True, secondary=True))
def test_a_draft_freezes_into_the_tree_it_came_from(tree: Tree) -> None:
    frozen = Draft.of(tree).freeze()
    assert frozen.root == tree.root
    assert frozen.tokens == tree.tokens
    assert set(frozen.secondary_edges) == set(tree.secondary_edges)


@given(trees(functions=True, secondary=True))
def test_a_tree_survives_pickling(tree: Tree) -> None:
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_the_order_in_which_children_are_given_does_not_matter() -> None:
    assert Constituent("S", (2, Constituent("VP", (3, 0)), 1)) == Constituent("S", (Constituent("VP", (0, 3)), 1, 2))


def test_id_and_comment_are_not_part_of_the_value() -> None:
    root = Constituent("S", (0, 1))
    assert Tree(root, tokens("a b"), id="1", comment="x") == Tree(root, tokens("a b"), id="2")


def test_labels_functions_and_words_are_part_of_the_value() -> None:
    base = Tree(Constituent("S", (0,)), tokens("a"))
    assert base != Tree(Constituent("X", (0,)), tokens("a"))
    assert base != Tree(Constituent("S", (0,), "SB"), tokens("a"))
    assert base != Tree(Constituent("S", (0,)), tokens("b"))
    assert base != Tree(Constituent("S", (Constituent("S", (0,)),)), tokens("a"))
    assert base.root != "S"


def test_the_gaps_of_a_board_example() -> None:
    phrase = Constituent("VP", (0, 3, 4, 7))
    assert phrase.blocks == ((0, 1), (3, 5), (7, 8))
    assert phrase.gap_degree == 2
    assert phrase.fan_out == 3
    assert str(Constituent("S", (phrase, 1, 2, 5, 6))) == "(S (VP 0 3 4 7) 1 2 5 6)"


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: Constituent("NP", (1, 1)), "NP covers token 1 twice"),
        (lambda: Constituent("NP", (1, Constituent("X", (0, 1)))), "NP covers token 1 twice"),
        (lambda: Constituent("NP", (-1,)), "token index -1 under NP is negative"),
        (lambda: Constituent("NP", (Constituent("X", ()), 0)), "X under NP has no tokens"),
        (lambda: Tree(Constituent("S", (0, 2)), tokens("a b c")), "token 1 is not part of the tree"),
        (lambda: Tree(Constituent("S", (0, 1)), tokens("a")), "the tree covers token 1 of a sentence of 1 tokens"),
        (lambda: Tree(Constituent("S", (0,)), tokens("a"), None, None, (SecondaryEdge(0, "X", -2),)), "do not exist"),
        (lambda: Token(""), "empty word"),
    ],
)
def test_what_is_not_a_tree_is_refused(build: object, reason: str) -> None:
    assert callable(build)
    with pytest.raises(TreeError, match=reason):
        build()


def test_a_draft_with_a_cycle_is_refused() -> None:
    draft = Draft.rooted("ROOT")
    first = draft.add("NP")
    second = draft.add("PP", parent=first)
    draft.add_token(Token("a"), first)
    draft.attach(first, second)
    with pytest.raises(TreeError, match="its own ancestor"):
        draft.freeze()


def test_an_empty_sentence_has_an_empty_root() -> None:
    tree = Draft.rooted("ROOT").freeze()
    assert tree.words == ()
    assert str(tree) == "(ROOT )"
    assert not tree.is_discontinuous
    assert tree.gap_degree == 0


def deep(levels: int, nested: bool) -> Tree:
    """Levels of unary constituents, or each with a further token to its right."""
    part: Child = 0
    for level in range(levels):
        part = Constituent("X", (part, level + 1) if nested else (part,))
    assert not isinstance(part, int)
    return Tree(part, tuple(Token(f"w{i}") for i in range(levels + 1 if nested else 1)))


@pytest.mark.parametrize("nested", [False, True])
def test_a_deep_tree_hits_no_recursion_limit(nested: bool) -> None:
    tree = deep(5000, nested)
    assert tree == deep(5000, nested)
    assert hash(tree) == hash(deep(5000, nested))
    assert tree.depth == 5000
    assert str(tree).count("(X") == 5000
    assert len(repr(tree)) < 150
    assert Tree.fromstring(str(tree)) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert Draft.of(tree).freeze() == tree
    assert not tree.is_discontinuous
    assert not tree.is_ill_nested
