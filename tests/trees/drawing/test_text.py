from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.draft import Draft
from discoseq.trees.drawing import draw_text
from discoseq.trees.drawing.characters import cell_width
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

LEFT, RIGHT, UP, DOWN = "─┐┘┬┴┤┼", "─┌└┬┴├┼", "│└┘┴├┤┼", "│┌┐┬├┤┼"


@dataclass(frozen=True)
class Reader:
    """Reads the tree off a drawing by following the lines, as a person would."""

    rows: list[str]

    @classmethod
    def of(cls, drawing: str) -> "Reader":
        width = max(map(len, drawing.splitlines()))
        return cls([line.ljust(width) for line in drawing.splitlines()])

    def parent(self, row: int, x: int) -> tuple[int, int]:
        """The row and the first column of the label above a text."""
        row -= 1
        while self.rows[row][x] == "│":
            row -= 1
        if self.rows[row][x] in DOWN:
            x = self._stem(row, x)
            row -= 1
        return row, self.start(row, x)

    def start(self, row: int, x: int) -> int:
        while x > 0 and self.rows[row][x - 1] not in " │":
            x -= 1
        return x

    def label(self, row: int, start: int) -> str:
        return self.rows[row][start:].split(" ")[0]

    def _stem(self, row: int, x: int) -> int:
        """The place on a bar from which a line goes up; a line that crosses the bar is no part of it."""
        left = right = x
        while self.rows[row][left] in LEFT + "│":
            left -= 1
        while self.rows[row][right] in RIGHT + "│":
            right += 1
        (stem,) = (i for i in range(left, right + 1) if self.rows[row][i] in UP and self.rows[row][i] != "│")
        return stem


def read_off(drawing: str) -> Tree:
    """The tree in a drawing without tags and with words of one letter."""
    reader = Reader.of(drawing)
    bottom = len(reader.rows) - 1
    words = [(x, word) for x, word in enumerate(reader.rows[bottom]) if word != " "]
    draft = Draft([], [], [], [Token(word) for _, word in words], [])
    numbers: dict[tuple[int, int], int] = {}

    def number(place: tuple[int, int]) -> int:
        if place not in numbers:
            numbers[place] = draft.add(reader.label(*place))
        return numbers[place]

    # the root stands alone in the first row
    number((0, len(reader.rows[0]) - len(reader.rows[0].lstrip())))
    draft.token_parents = [number(reader.parent(bottom, x)) for x, _ in words]
    agenda = [place for place in numbers if place[0] > 0]
    while agenda:
        place = agenda.pop()
        # the line leaves a label of width w above its column w // 2
        parent = reader.parent(place[0], place[1] + len(reader.label(*place)) // 2)
        if parent not in numbers:
            agenda.append(parent)
        draft.attach(number(place), number(parent))
    return draft.freeze()


def untagged(tree: Tree) -> Tree:
    return Tree(tree.root, tuple(Token(token.word) for token in tree.tokens))


@given(trees(max_tokens=12, words=st.sampled_from("abc")))
def test_the_tree_can_be_read_off_the_drawing(tree: Tree) -> None:
    assert read_off(draw_text(untagged(tree))) == untagged(tree)


@given(trees(max_tokens=12))
def test_ascii_differs_only_in_the_lines(tree: Tree) -> None:
    plain = draw_text(tree, ascii=True)
    fancy = draw_text(tree)
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in fancy.splitlines()]
    assert not set("│─┌┐└┘┬┴├┤┼") & set(plain)


@given(trees(words=st.sampled_from(["漢字", "e\u0301", "Haus"])))
def test_every_word_is_straight_under_its_tag(tree: Tree) -> None:
    *_, tags, lines, words = draw_text(tree).splitlines()
    places = {cell_width(lines[:x]) for x, character in enumerate(lines) if character == "│"}
    for row, texts in [(tags, [token.tag or "" for token in tree.tokens]), (words, tree.words)]:
        end, middles = 0, set()
        for text in texts:
            start = row.index(text, end)
            end = start + len(text)
            middles.add(cell_width(row[:start]) + cell_width(text) // 2)
        assert middles == places


def test_the_german_example() -> None:
    words = ["Allerdings", "wird", "in", "bestimmten", "Vierteln", "Wasser", "aus", "Brunnen", "verteilt", "."]
    verb_phrase = Constituent("VP", (0, Constituent("PP", (2, 3, 4)), Constituent("PP", (6, 7)), 8))
    tree = Tree(Constituent("VROOT", (Constituent("S", (verb_phrase, 1, 5)), 9)), tuple(map(Token, words)))
    assert draw_text(tree) == (
        "                                                 VROOT\n"
        "                           ┌───────────────────────┴────────────────────────┐\n"
        "                           S                                                │\n"
        "              ┌────────────┼───────────────────┐                            │\n"
        "              │           VP                   │                            │\n"
        "     ┌────────│────────────┼───────────────────│────────┬─────────────┐     │\n"
        "     │        │           PP                   │       PP             │     │\n"
        "     │        │    ┌───────┼──────────┐        │     ┌──┴───┐         │     │\n"
        "Allerdings  wird  in  bestimmten  Vierteln  Wasser  aus  Brunnen  verteilt  .\n"
    )


def test_tags_stand_above_words_and_functions_after_labels() -> None:
    tree = Tree(
        Constituent("", (Constituent("NP", (0, 2), "SB"), Constituent("VP", (1,), "=2"))),
        (Token("a (b)", "NN"), Token("x=y", "VB", function="HD"), Token("c")),
    )
    assert draw_text(tree, ascii=True) == (
        "  +------+\n"
        "NP-SB    |\n"
        "  +------|----+\n"
        "  |    VP=2   |\n"
        "  |      |    |\n"
        " NN    VB-HD  |\n"
        "  |      |    |\n"
        "a (b)   x=y   c\n"
    )


def test_a_drawing_too_wide_becomes_an_outline() -> None:
    tree = Tree(
        Constituent("", (Constituent("NP", (0, 2), "SB"), 1)), (Token("a", "NN"), Token("b"), Token("c d", "NN"))
    )
    drawing = draw_text(tree)
    width = max(map(len, drawing.splitlines()))
    assert draw_text(tree, width=width) == drawing
    assert draw_text(tree, width=width - 1) == "()\n  NP-SB\n    NN 0=a\n    NN 2=c d\n  1=b\n"


def test_the_outline_of_a_deep_tree_numbers_its_levels() -> None:
    part = Constituent("X", (0,))
    for _ in range(99):
        part = Constituent("X", (part,))
    lines = draw_text(Tree(part, (Token("word"),)), width=1).splitlines()
    assert lines[1] == "  X"
    assert lines[40] == 80 * " " + "X"
    assert lines[41] == 80 * " " + "[41] X"
    assert lines[100] == 80 * " " + "[100] 0=word"


def test_a_huge_sentence_becomes_an_outline() -> None:
    phrases = tuple(Constituent("NP", (Constituent("N", (i,)),)) for i in range(2000))
    outline = draw_text(Tree(Constituent("S", phrases), (Token("antidisestablishmentarianism" * 6),) * 2000))
    assert outline.startswith("S\n  NP\n    N\n      0=anti")
    assert outline.count("\n") == 1 + 3 * 2000
