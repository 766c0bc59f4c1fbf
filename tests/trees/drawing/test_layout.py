from bisect import bisect_left
from dataclasses import dataclass
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing.layout import Drop, Layout, PlacedConstituent, lay_out
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

MARGIN = 2


@dataclass(frozen=True)
class Case:
    tree: Tree
    token_widths: list[int]
    label_widths: list[int]
    layout: Layout


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Trees with texts of any width."""
    tree = draw(trees(max_tokens=12))
    token_widths = [draw(st.integers(1, 12)) for _ in tree.tokens]
    label_widths = [draw(st.integers(0, 30)) for _ in tree.root.walk()]
    return Case(tree, token_widths, label_widths, lay_out(tree, token_widths, label_widths, MARGIN))


def extent(x: int, width: int) -> range:
    return range(x - width // 2, x - width // 2 + width)


def distance(one: range, two: range) -> int:
    return max(one.start - two.stop, two.start - one.stop)


def crossings(layout: Layout) -> list[tuple[PlacedConstituent, Drop]]:
    """The bars that lie between the ends of a vertical line."""
    return [
        (bar, drop)
        for parent in layout.constituents
        for drop in parent.drops
        for bar in layout.constituents
        if drop.level < bar.level < parent.level and bar.left <= drop.x <= bar.right
    ]


@given(cases())
def test_a_bar_is_above_all_children_and_reaches_them(case: Case) -> None:
    places = {id(place.constituent): (place.level, place.x) for place in case.layout.constituents}
    for place in case.layout.constituents:
        assert [drop.child for drop in place.drops] == list(place.constituent.children)
        for drop in place.drops:
            child = drop.child
            expected = (0, case.layout.token_xs[child]) if isinstance(child, int) else places[id(child)]
            assert (drop.level, drop.x) == expected
            assert drop.level < place.level <= case.layout.level_count
        ends = [place.x, *(drop.x for drop in place.drops)]
        assert (place.left, place.right) == (min(ends), max(ends))


@given(cases())
def test_words_stand_in_order_apart_and_within_the_width(case: Case) -> None:
    extents = [extent(x, width) for x, width in zip(case.layout.token_xs, case.token_widths, strict=True)]
    assert all(two.start - one.stop >= 2 * MARGIN for one, two in pairwise(extents))
    assert extents[0].start >= 0
    assert extents[-1].stop <= case.layout.width


@given(cases())
def test_bars_and_labels_on_one_level_do_not_overlap(case: Case) -> None:
    placed = list(zip(case.layout.constituents, case.label_widths, strict=True))
    for (one, one_width), (two, two_width) in combinations(placed, 2):
        if one.level == two.level:
            assert one.right < two.left or two.right < one.left
            assert distance(extent(one.x, one_width), extent(two.x, two_width)) >= 2 * MARGIN
            for bar, x, width in [(one, two.x, two_width), (two, one.x, one_width)]:
                assert distance(range(bar.left, bar.right + 1), extent(x, width)) >= 0


@given(cases())
def test_no_line_passes_through_a_label(case: Case) -> None:
    for place, width in zip(case.layout.constituents, case.label_widths, strict=True):
        label = extent(place.x, width)
        assert label.start >= 0
        assert label.stop <= case.layout.width
        for parent in case.layout.constituents:
            for drop in parent.drops:
                if drop.level < place.level < parent.level:
                    assert drop.x not in range(label.start - MARGIN, label.stop + MARGIN)


@given(cases())
def test_vertical_lines_do_not_touch_each_other(case: Case) -> None:
    lines = [(drop.x, drop.level, parent.level) for parent in case.layout.constituents for drop in parent.drops]
    for (x, bottom, top), (other_x, other_bottom, other_top) in combinations(lines, 2):
        assert x != other_x or bottom >= other_top or other_bottom >= top


@given(cases())
def test_lines_cross_if_and_only_if_the_tree_is_discontinuous(case: Case) -> None:
    assert bool(crossings(case.layout)) == case.tree.is_discontinuous


@given(cases())
def test_a_label_is_next_to_a_token_of_its_own(case: Case) -> None:
    for place in case.layout.constituents:
        right = bisect_left(case.layout.token_xs, place.x)
        assert {right - 1, right} & set(place.constituent.tokens)


def test_the_levels_of_a_continuous_tree_are_its_heights() -> None:
    tree = Tree(
        Constituent("S", (Constituent("NP", (0, 1)), Constituent("VP", (2, Constituent("NP", (3,)))))),
        tuple(map(Token, ["the", "cat", "sees", "mice"])),
    )
    layout = lay_out(tree, [3, 3, 4, 4], [1, 2, 2, 2], 1)
    assert [place.level for place in layout.constituents] == [3, 1, 2, 1]
    assert layout.level_count == 3


def test_the_label_of_a_gapped_phrase_is_straight_above_one_of_its_words() -> None:
    tree = Tree(Constituent("S", (Constituent("VP", (0, 3)), 1, 2)), tuple(map(Token, "abcd")))
    layout = lay_out(tree, [1, 1, 1, 1], [1, 2], 1)
    assert layout.constituents[1].x in (layout.token_xs[0], layout.token_xs[3])


def test_interleaved_phrases_get_levels_of_their_own() -> None:
    tree = Tree(
        Constituent("S", tuple(Constituent(label, (i, i + 3, i + 6)) for i, label in enumerate("ABC"))),
        tuple(map(Token, "abcdefghi")),
    )
    layout = lay_out(tree, [1] * 9, [1] * 4, 1)
    assert [place.level for place in layout.constituents] == [4, 1, 2, 3]


def test_a_long_label_makes_room_for_itself() -> None:
    tree = Tree(Constituent("S", (Constituent("X", (0,)), 1)), (Token("a"), Token("b")))
    narrow = lay_out(tree, [1, 1], [1, 1], 1)
    wide = lay_out(tree, [1, 1], [1, 21], 1)
    assert wide.token_xs[1] - wide.token_xs[0] > 10 > narrow.token_xs[1] - narrow.token_xs[0]


def test_an_empty_sentence_is_a_label_alone() -> None:
    layout = lay_out(Tree(Constituent("ROOT", ()), ()), [], [4], 1)
    assert (layout.width, layout.token_xs, layout.level_count) == (4, (), 1)
    assert layout.constituents[0].x == 2
