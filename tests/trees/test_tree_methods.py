"""What a user does with a tree at a prompt: read it, print it, look at its parts, draw it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import TreeError
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree
from tree_strategies import WORDS, trees

ANN = "(S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)) (. .))"
DAS = "(S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))"
LONG = """\
(ROOT
  (S
    (VP
      (PP (APPR 0=Über) (ART 1=die) (ADJA 2=neuen) (NN 3=Regeln))
      (VVPP 9=gesprochen))
    (VAFIN 4=haben)
    (NP (ADJA 5=viele) (NN 6=Leute))
    (PP (APPR 7=im) (NN 8=Ausschuss)))
  ($. 10=.))"""

words = st.sampled_from([*WORDS, "0=a", "3=3"])


@given(tree=st.one_of(trees(words=words, functions=True), trees(words=words, continuous=True)))
def test_a_tree_is_what_its_string_says(tree: Tree) -> None:
    assert Tree.fromstring(str(tree)) == tree
    assert max(map(len, str(tree).split("\n"))) <= 80 or "\n" in str(tree)
    if repr(tree).startswith("Tree.fromstring("):
        assert eval(repr(tree)) == tree


@given(tree=trees(words=words, functions=True, fields=True, secondary=True))
def test_a_tree_is_what_its_dictionary_says(tree: Tree) -> None:
    assert Tree.from_dict(tree.to_dict()) == tree


@pytest.mark.parametrize("text", [ANN, DAS, LONG])
def test_a_string_shows_tags_and_indices_only_where_they_are_needed(text: str) -> None:
    assert str(Tree.fromstring(text)) == text


def test_a_string_is_read_over_several_lines_with_or_without_a_comment() -> None:
    assert Tree.fromstring(" (S\n\t(NP-SBJ (NNP\n Ann))\n (VP (VBZ sleeps)) (. .))\n") == Tree.fromstring(ANN)
    assert Tree.fromstring(f"{DAS}\ta note\n").comment == "a note"
    assert Tree.fromstring("( (S (NN 0=a)) )").words == ("a",)


def test_the_format_of_a_string_may_be_named() -> None:
    assert Tree.fromstring("(S (CD 0=0))").words == ("0",)
    assert Tree.fromstring("(S (CD 0=0))", "bracket").words == ("0=0",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "one tree is expected, and the text contains 0"),
        ("(S (A a)) (S (B b))", "one tree is expected, and the text contains 2"),
        ("(S (A a)", "a bracket is not closed"),
        ("(S (A 0=a) (B 2=b))", "token index 1 is missing"),
    ],
)
def test_a_string_that_is_no_tree_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TreeError, match=reason):
        Tree.fromstring(text)


def test_a_string_is_in_brackets() -> None:
    with pytest.raises(TreeError, match="read as bracket or discbracket, not as 'export'"):
        Tree.fromstring(ANN, "export")


def test_a_repr_is_short() -> None:
    assert repr(Tree.fromstring(ANN)) == f"Tree.fromstring('{ANN}')"
    long = Tree(Constituent("S", tuple(range(50))), tuple(Token("word", "NN") for _ in range(50)), id="s7")
    assert re.fullmatch(r"<Tree s7 of 50 tokens: \(S \(NN word\).{80,}\.\.\.>", repr(long))
    assert len(repr(long)) < 140


def test_the_parts_of_a_tree_are_at_hand() -> None:
    tree = Tree.fromstring(DAS)
    assert tree.words == tree.leaves() == ("Das", "muss", "man", "tun")
    assert tree.tags == ("PDS", "VMFIN", "PIS", "VVINF")
    (phrase,) = tree.subtrees("VP")
    assert tree.leaves(phrase) == ("Das", "tun")
    assert [x.label for x in tree.subtrees()] == ["S", "VP"]
    assert list(tree.subtrees("S", "VP")) == list(tree.subtrees())
    assert list(tree.subtrees("NP")) == []


def test_a_tree_draws_itself() -> None:
    tree = Tree.fromstring(DAS)
    assert "┌" in tree.draw()
    assert tree.draw(ascii=True).isascii()
    assert tree.draw(width=10).splitlines()[0] == "S"
    assert tree._repr_svg_().startswith("<svg")


def test_a_dictionary_has_only_what_the_tree_has() -> None:
    assert Tree.fromstring(DAS).to_dict() == {
        "words": ["Das", "muss", "man", "tun"],
        "tags": ["PDS", "VMFIN", "PIS", "VVINF"],
        "root": {"label": "S", "children": [{"label": "VP", "function": "OC", "children": [0, 3]}, 1, 2]},
    }
    tokens = (Token("a", "A", "b", "c", "SB"), Token("d"))
    edges = (SecondaryEdge(0, "OA", -2),)
    tree = Tree(Constituent("S", (0, Constituent("X", (1,)))), tokens, "s1", "a note", edges)
    entry = tree.to_dict()
    assert (entry["id"], entry["comment"]) == ("s1", "a note")
    assert (entry["lemmas"], entry["morphology"], entry["functions"]) == (["b", None], ["c", None], ["SB", None])
    assert entry["secondary_edges"] == [{"child": 0, "label": "OA", "parent": -2}]
    back = Tree.from_dict(entry)
    assert (back, back.id, back.comment) == (tree, "s1", "a note")


def test_secondary_edges_follow_the_order_of_the_dictionary() -> None:
    root = {"label": "S", "children": [{"label": "B", "children": [1]}, {"label": "A", "children": [0]}]}
    edge = {
        "child": 1,
        "label": "x",
        "parent": -3,
    }  # A is the third constituent here, the second of the tree
    tree = Tree.from_dict({"words": ["a", "b"], "root": root, "secondary_edges": [edge]})
    assert tree.secondary_edges == (SecondaryEdge(1, "x", -2),)


BAD = [
    ({}, '"words" has to be a list of strings'),
    ({"words": ["a"]}, 'the root has to be an object with "label" and "children", not None'),
    ({"words": ["a"], "tags": ["A", "B"], "root": {}}, '"tags" has 2 entries, and there are 1 words'),
    ({"words": ["a"], "tags": [1], "root": {}}, '"tags" has to be a list of strings and nulls'),
    ({"words": ["a"], "root": {"label": "S"}}, 'the root lacks "label", a string, or "children", a list'),
    ({"words": ["a"], "root": {"label": "S", "children": [True]}}, "a child has to be a token index or an object"),
    ({"words": ["a"], "root": {"label": "S", "children": [0, 0]}}, "token index 0 occurs twice"),
    ({"words": ["a"], "root": {"label": "S", "children": [7]}}, "token index 7 is outside the sentence of 1 words"),
    ({"words": ["a", "b"], "root": {"label": "S", "children": [0]}}, "token index 1 is missing"),
    ({"words": ["a"], "root": {"label": "S", "children": [0, {"label": "X", "children": []}]}}, "'X' has no children"),
    ({"words": ["a"], "root": {"label": "S", "children": [0]}, "secondary_edges": [1]}, "a secondary edge has to be"),
    ({"words": ["a"], "root": {"label": "S", "children": [0]}, "comment": 1}, '"comment" has to be a string, not 1'),
    ({"words": [""], "root": {"label": "S", "children": [0]}}, "empty word"),
    ({"tree": "(S (A a)"}, "a bracket is not closed"),
]


@pytest.mark.parametrize(("entry", "reason"), BAD)
def test_a_dictionary_that_is_no_tree_is_refused(entry: dict[str, object], reason: str) -> None:
    with pytest.raises(TreeError, match=re.escape(reason)):
        Tree.from_dict(entry)
