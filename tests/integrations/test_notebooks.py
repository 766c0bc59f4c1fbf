"""What a notebook displays is valid, whatever the words are."""

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from discoseq.decoding.decode import EMPTY_TREE, Candidate
from discoseq.trees.tree import Tree
from tree_strategies import trees

SVG = "{http://www.w3.org/2000/svg}"


def drawn_words(picture: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]


@given(tree=st.one_of(trees(), st.just(EMPTY_TREE)))
def test_a_tree_is_displayed_as_an_svg_with_its_words(tree: Tree) -> None:
    picture = ElementTree.fromstring(tree._repr_svg_())
    assert picture.tag == f"{SVG}svg"
    assert set(tree.words) <= set(drawn_words(picture))


def test_a_candidate_is_displayed_with_its_figures_above_its_tree() -> None:
    tree = Tree.fromstring("(S (NP (PRP It)) (VP (VBZ works)))")
    candidate = Candidate(tree, log_probability=-0.25, share=0.5)
    assert repr(candidate) == f"Candidate({tree!r}, log_probability=-0.2500, share=0.5000)"
    figure = ElementTree.fromstring(candidate._repr_html_())
    assert figure.findtext("figcaption") == "log-probability -0.2500, share 0.5000"
    picture = figure.find(f"{SVG}svg")
    assert picture is not None
    assert {"It", "works"} <= set(drawn_words(picture))
