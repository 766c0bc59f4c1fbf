from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing import draw_svg
from discoseq.trees.drawing.characters import visible
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

SVG = "{http://www.w3.org/2000/svg}"
REPOSITORY = Path(__file__).resolve().parents[3]
GERMAN = Tree(
    Constituent(
        "VROOT",
        (
            Constituent(
                "S",
                (
                    Constituent("VP", (0, Constituent("PP", (2, 3, 4)), Constituent("PP", (6, 7)), 8)),
                    1,
                    5,
                ),
            ),
            9,
        ),
    ),
    tuple(
        map(Token, ["Allerdings", "wird", "in", "bestimmten", "Vierteln", "Wasser", "aus", "Brunnen", "verteilt", "."])
    ),
)


def texts(svg: str) -> Counter[str]:
    return Counter(element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text"))


def bridges(svg: str) -> int:
    paths = ElementTree.fromstring(svg).iter(f"{SVG}path")
    return sum(path.attrib["d"].count("M") for path in paths if path.get("stroke") == "#ffffff")


@given(trees(words=st.text(st.characters(exclude_categories=()), min_size=1), functions=True))
def test_every_text_of_the_tree_is_an_element_of_its_own(tree: Tree) -> None:
    expected = Counter[str]()
    for token in tree.tokens:
        expected.update(visible(text) for text in (token.word, token.tag, token.function) if text)
    for constituent in tree.root.walk():
        expected.update(text for text in (constituent.label, constituent.function) if text)
    assert texts(draw_svg(tree)) == expected


@given(trees())
def test_there_are_bridges_if_and_only_if_the_tree_is_discontinuous(tree: Tree) -> None:
    assert (bridges(draw_svg(tree)) > 0) == tree.is_discontinuous


@given(trees())
def test_only_discontinuous_constituents_are_coloured(tree: Tree) -> None:
    labels = [
        "fill" in element.attrib
        for group in ElementTree.fromstring(draw_svg(tree)).iter(f"{SVG}g")
        if "font-weight" in group.attrib
        for element in group
    ]
    assert labels == [constituent.is_discontinuous for constituent in tree.root.walk()]


@given(trees(functions=True))
def test_everything_is_inside_the_picture(tree: Tree) -> None:
    root = ElementTree.fromstring(draw_svg(tree))
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width} {height}"
    for element in root.iter(f"{SVG}text"):
        assert 0 < int(element.attrib["x"]) < width
        assert 0 < int(element.attrib["y"]) < height


def test_the_title_is_the_sentence() -> None:
    tree = Tree(Constituent("S", (0, 1)), (Token("<a>"), Token("&\x00")))
    title = ElementTree.fromstring(draw_svg(tree)).find(f"{SVG}title")
    assert title is not None
    assert title.text == "<a> &␀"


def test_two_branches_lead_over_the_verb_phrase_of_the_german_example() -> None:
    svg = draw_svg(GERMAN)
    root = ElementTree.fromstring(svg)
    (verb_phrase,) = (element for element in root.iter(f"{SVG}text") if element.text == "VP")
    bar = next(p for p in root.iter(f"{SVG}path") if p.get("stroke") == verb_phrase.attrib["fill"])
    y = int(bar.attrib["d"].split("M")[-1].split("H")[0].split(",")[1])
    white = next(p.attrib["d"] for p in root.iter(f"{SVG}path") if p.get("stroke") == "#ffffff")
    crossing = set()
    for line in white.split("M")[1:]:
        start, bottom = line.split("V")
        x, top = start.split(",")
        if int(top) < y < int(bottom):
            crossing.add(x)
    words = {e.text: e.attrib["x"] for e in root.iter(f"{SVG}text")}
    # the full stop passes beside the bar
    assert crossing - {words["."]} == {words["wird"], words["Wasser"]}


@given(trees(functions=True))
def test_the_lines_of_a_constituent_carry_its_number(tree: Tree) -> None:
    root = ElementTree.fromstring(draw_svg(tree))
    constituents = list(tree.root.walk())
    for number, constituent in enumerate(constituents):
        lines = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.get("data-constituent") == str(number)]
        bar, branches = lines
        assert bar.count("H") == 1
        assert branches.count("M") == len(constituent.children)
    unowned = [path for path in root.iter(f"{SVG}path") if "data-constituent" not in path.attrib]
    assert all(path.get("stroke") == "#ffffff" for path in unowned)


@given(trees(functions=True))
def test_every_text_carries_the_number_of_its_constituent_or_the_index_of_its_word(tree: Tree) -> None:
    constituents = list(tree.root.walk())
    for element in ElementTree.fromstring(draw_svg(tree)).iter(f"{SVG}text"):
        assert ("data-word" in element.attrib) != ("data-constituent" in element.attrib)
        if "data-word" in element.attrib:
            token = tree.tokens[int(element.attrib["data-word"])]
            assert element.text in [visible(text or "") for text in (token.word, token.tag, token.function)]
        else:
            constituent = constituents[int(element.attrib["data-constituent"])]
            assert element.text in [constituent.label, constituent.function]


def test_an_empty_label_leaves_no_text_and_no_hole_in_the_line() -> None:
    tree = Tree(Constituent("", (Constituent("", (0,)), 1)), (Token("a"), Token("b")))
    svg = draw_svg(tree)
    assert texts(svg) == Counter("ab")
    root = ElementTree.fromstring(svg)
    lines = [part for path in root.iter(f"{SVG}path") for part in path.attrib["d"].split("M") if "V" in part]
    ends = {int(line.split("V")[1]) for line in lines}
    starts = {int(line.split("V")[0].split(",")[1]) for line in lines}
    assert ends & starts  # the line down to the unlabelled phrase ends where the line to its word begins


def test_the_picture_in_the_docs_is_what_the_code_draws() -> None:
    picture = REPOSITORY / "docs" / "images" / "german-example.svg"
    assert picture.read_text(encoding="utf-8") == draw_svg(GERMAN)
