"""What holds for every kind of drawing."""

import time
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing import draw_svg, draw_text, draw_tikz
from discoseq.trees.tree import Child, Constituent, Token, Tree
from tree_strategies import trees


def draw_ascii(tree: Tree) -> str:
    return draw_text(tree, ascii=True)


def draw_outline(tree: Tree) -> str:
    return draw_text(tree, width=0)


def draw_document(tree: Tree) -> str:
    return draw_tikz(tree, standalone=True)


DRAWINGS = [draw_text, draw_ascii, draw_outline, draw_svg, draw_tikz, draw_document]
ANYTHING = st.text(st.characters(exclude_categories=()), min_size=1)
PLAIN = st.sampled_from(["a", "Haus", "größer", "漢字", "10-mal", "x=y", "(", "/"])


def shown_by(draw: Callable[[Tree], str], tree: Tree) -> str:
    drawing = draw(tree)
    if draw is draw_svg:
        drawing = "\n".join(ElementTree.fromstring(drawing).itertext())
    return drawing.replace(r"\_", "_").replace(r"\$", "$")


@pytest.mark.parametrize("draw", DRAWINGS)
@given(tree=trees(words=PLAIN, functions=True))
def test_every_word_tag_and_label_is_shown(draw: Callable[[Tree], str], tree: Tree) -> None:
    shown = shown_by(draw, tree)
    for text in {token.word for token in tree.tokens} | {token.tag or "" for token in tree.tokens}:
        assert text in shown
    for constituent in tree.root.walk():
        assert constituent.label in shown
        assert (constituent.function or "") in shown


@pytest.mark.parametrize("draw", DRAWINGS)
@given(tree=trees(words=ANYTHING, root="", functions=True, fields=True, secondary=True))
def test_a_drawing_of_anything_is_text_that_can_be_written(draw: Callable[[Tree], str], tree: Tree) -> None:
    drawing = draw(tree)
    assert drawing.endswith("\n")
    assert drawing.encode("utf-8")
    assert all(character == "\n" or ord(character) >= 32 for character in drawing)


@pytest.mark.parametrize("draw", DRAWINGS)
@given(label=ANYTHING)
def test_labels_may_be_anything(draw: Callable[[Tree], str], label: str) -> None:
    tree = Tree(
        Constituent(label, (Constituent(label, (0, 2), label), Constituent("", (1,)))),
        (Token("a"), Token("b", label, function=label), Token("c", "X")),
    )
    assert draw(tree).encode("utf-8")


@pytest.mark.parametrize("draw", DRAWINGS)
@given(tree=trees(functions=True))
def test_equal_trees_give_equal_drawings(draw: Callable[[Tree], str], tree: Tree) -> None:
    assert draw(tree) == draw(Tree(tree.root, tree.tokens, id="another"))


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("label", ["ROOT", ""])
def test_an_empty_sentence_can_be_drawn(draw: Callable[[Tree], str], label: str) -> None:
    assert label in draw(Tree(Constituent(label, ()), ()))


def unary(levels: int) -> Tree:
    part: Child = 0
    for _ in range(levels):
        part = Constituent("X", (part,))
    assert isinstance(part, Constituent)
    return Tree(part, (Token("w"),))


def nested(levels: int) -> Tree:
    part: Child = 0
    for level in range(levels):
        part = Constituent("X", (part, level + 1))
    assert isinstance(part, Constituent)
    return Tree(part, tuple(Token(f"w{i}") for i in range(levels + 1)))


def interleaved(levels: int) -> Tree:
    """Two chains, one over the even tokens and one over the odd ones."""
    even: Child = 0
    odd: Child = 1
    for level in range(1, levels):
        even, odd = Constituent("E", (even, 2 * level)), Constituent("O", (odd, 2 * level + 1))
    return Tree(Constituent("X", (even, odd)), tuple(Token(f"w{i}") for i in range(2 * levels)))


def enclosing(pairs: int) -> Tree:
    """No two of these phrases fit on one level."""
    phrases = tuple(Constituent("P", (i, 2 * pairs - 1 - i)) for i in range(pairs))
    return Tree(Constituent("X", phrases), tuple(Token(f"w{i}") for i in range(2 * pairs)))


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("tree", [unary(5000), nested(5000), interleaved(2500), enclosing(1000)], ids=lambda _: "tree")
def test_deep_trees_hit_no_limit_and_take_seconds_at_most(draw: Callable[[Tree], str], tree: Tree) -> None:
    start = time.process_time()  # of this process alone: a busy machine changes nothing
    drawing = draw(tree)
    assert time.process_time() - start < 30  # no claim about speed: a cubic step would not end
    assert len(drawing) < 10_000_000
    for token in (tree.tokens[0], tree.tokens[-1]):
        assert token.word in drawing
