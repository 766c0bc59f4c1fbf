from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing.picture import LABEL_TO_BAR, TEXT_TO_LINE, Picture, Text, build_picture
from discoseq.trees.tree import Child, Constituent, Token, Tree
from tree_strategies import trees

MAYBE = st.sampled_from([None, "SB"])


@st.composite
def bare_trees(draw: st.DrawFn) -> Tree:
    """Trees in which labels, functions and tags are missing here and there."""
    tree = draw(trees())
    tokens = [Token(word, draw(st.sampled_from([None, "NN"])), function=draw(MAYBE)) for word in tree.words]
    built: dict[int, Constituent] = {}
    for node in reversed(list(tree.root.walk())):
        children: tuple[Child, ...] = tuple(c if isinstance(c, int) else built[id(c)] for c in node.children)
        built[id(node)] = Constituent(draw(st.sampled_from(["", "NP"])), children, draw(MAYBE))
    return Tree(built[id(tree.root)], tuple(tokens))


def middle(text: Text) -> int:
    return text.y - text.style.size * 7 // 20


@given(bare_trees())
def test_every_branch_leads_from_a_bar_to_a_text_or_to_another_bar(tree: Tree) -> None:
    picture = build_picture(tree)
    below = {(text.x, middle(text) - TEXT_TO_LINE) for text in picture.texts} | {(b.x, b.y) for b in picture.bars}
    for branch in picture.branches:
        assert (branch.x, branch.bottom) in below
        assert branch.top < branch.bottom
        assert any(bar.y == branch.top and bar.left <= branch.x <= bar.right for bar in picture.bars)


@given(bare_trees())
def test_every_bar_hangs_from_its_label_or_from_a_branch(tree: Tree) -> None:
    picture = build_picture(tree)
    texts = {(text.x, middle(text) + LABEL_TO_BAR) for text in picture.texts}
    branches = {(branch.x, branch.bottom) for branch in picture.branches}
    for bar in picture.bars[1:]:  # the root may have nothing above it
        assert (bar.x, bar.y) in (texts if bar.top < bar.y else branches)


@given(bare_trees())
def test_texts_do_not_overlap(tree: Tree) -> None:
    picture = build_picture(tree)
    for text in picture.texts:
        for other in picture.texts:
            if text is not other and text.x == other.x:
                assert abs(middle(text) - middle(other)) >= 13


def sizes(picture: Picture) -> tuple[int, int]:
    return picture.width, picture.height


def test_tags_functions_levels_and_long_words_make_a_picture_larger() -> None:
    plain = Tree(Constituent("S", (0,)), (Token("a"),))
    width, height = sizes(build_picture(plain))
    for larger in [
        Tree(Constituent("S", (0,)), (Token("a", "NN"),)),
        Tree(Constituent("S", (0,)), (Token("a", function="SB"),)),
        Tree(Constituent("S", (plain.root,)), (Token("a"),)),
    ]:
        assert sizes(build_picture(larger))[1] > height
    assert sizes(build_picture(Tree(plain.root, (Token("aaaaa"),))))[0] > width
