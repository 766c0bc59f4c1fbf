import pickle

import pytest
from hypothesis import given, settings

from discoseq.errors import LinearizationError
from discoseq.linearizations.linearization import (
    LINEARIZATIONS,
    REORDERINGS,
    Linearization,
    linearization,
    longest_unary_chain,
    most_constituents,
)
from discoseq.linearizations.traversals import BottomUp
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Child, Constituent, Token, Tree
from linearizations.contracts import check_round_trip
from tree_strategies import trees

DISCONTINUOUS = [name for name in LINEARIZATIONS if linearization(name).reordering.can_reorder]
CONTINUOUS = [name for name in LINEARIZATIONS if name not in DISCONTINUOUS]


@pytest.mark.parametrize("name", DISCONTINUOUS)
@settings(max_examples=30, deadline=None)
@given(tree=trees())
def test_every_tree_comes_back_from_its_actions(name: str, tree: Tree) -> None:
    check_round_trip(linearization(name), tree)


@pytest.mark.parametrize("name", CONTINUOUS)
@settings(max_examples=30, deadline=None)
@given(tree=trees(continuous=True))
def test_every_continuous_tree_comes_back_from_its_actions(name: str, tree: Tree) -> None:
    check_round_trip(linearization(name), tree)


@given(tree=trees(functions=True, fields=True, secondary=True))
def test_functions_are_not_part_of_the_sequence(tree: Tree) -> None:
    chosen = linearization("in-order+swap")
    bare = drop_functions(tree)
    assert chosen.linearize(tree) == chosen.linearize(bare)
    assert chosen.build(tree.tokens, chosen.linearize(tree)).root == bare.root


def order_of_words(tree: Tree) -> list[int]:
    agenda: list[Child] = [tree.root]
    order = []
    while agenda:
        item = agenda.pop()
        if isinstance(item, int):
            order.append(item)
        else:
            agenda.extend(reversed(item.children))
    return order


@given(tree=trees())
def test_the_lengths_are_what_the_laws_say(tree: Tree) -> None:
    order = order_of_words(tree)
    words = len(order)
    inversions = sum(1 for i, x in enumerate(order) for y in order[i + 1 :] if x > y)
    moved = sum(1 for i, x in enumerate(order) if any(y < x for y in order[i + 1 :]))
    constituents = sum(1 for _ in tree.root.walk())

    def length(name: str) -> int:
        return len(linearization(name).linearize(tree))

    assert length("in-order+shift#k") == words + 2 * constituents + 1
    assert length("in-order+swap") == words + 2 * inversions + 2 * constituents + 1
    assert length("in-order+swap#k") == words + inversions + moved + 2 * constituents + 1
    assert length("top-down+swap") == length("in-order+swap") - 1
    assert length("bottom-up+swap") == length("in-order+swap") - constituents
    for name in DISCONTINUOUS:
        assert length(name) == length(name.removeprefix("enriched-"))


@given(tree=trees(continuous=True))
def test_counted_shifts_take_as_many_actions_as_a_continuous_tree(tree: Tree) -> None:
    for name in ("top-down", "in-order", "bottom-up"):
        lengths = {len(linearization(name + suffix).linearize(tree)) for suffix in ("", "+swap", "+swap#k", "+shift#k")}
        assert len(lengths) == 1


@given(tree=trees(continuous=True))
def test_brackets_are_enriched_top_down_in_another_notation(tree: Tree) -> None:
    brackets, enriched = linearization("bracketed"), linearization("enriched-top-down")
    assert brackets.linearize(tree) == enriched.linearize(tree)
    assert brackets.write(brackets.linearize(tree)) != enriched.write(enriched.linearize(tree))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_discontinuous_tree_is_refused_by_name(name: str) -> None:
    tree = Tree(Constituent("S", (Constituent("VP", (0, 2)), 1)), (Token("a"), Token("b"), Token("c")), id="s12")
    with pytest.raises(
        LinearizationError, match=rf"sentence s12 is discontinuous \(VP has a gap at word 1\), which {name}"
    ):
        linearization(name).linearize(tree)


def test_a_sentence_without_words_is_refused() -> None:
    with pytest.raises(LinearizationError, match="sentence 7 has no words"):
        linearization("top-down").linearize(Tree(Constituent("S", ()), (), id="7"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        LinearizationError, match=r"no linearization 'inorder'; there are top-down, .*in-order\+swap#k.*bracketed"
    ):
        linearization("inorder")


def test_bottom_up_is_not_enriched() -> None:
    with pytest.raises(LinearizationError, match="can't be enriched"):
        Linearization("x", BottomUp(), REORDERINGS["swap"], is_enriched=True)


def left_branching(levels: int) -> Tree:
    part: Child = 0
    for level in range(1, levels + 1):
        part = Constituent("X", (part, level))
    assert isinstance(part, Constituent)
    return Tree(part, (Token("w"),) * (levels + 1))


def unary(levels: int) -> Tree:
    part: Child = 0
    for _ in range(levels):
        part = Constituent("X", (part,))
    assert isinstance(part, Constituent)
    return Tree(part, (Token("w"),))


@pytest.mark.parametrize("tree", [left_branching(5000), unary(5000)], ids=["left-branching", "unary"])
@pytest.mark.parametrize("name", ["top-down", "enriched-in-order+shift#k", "bottom-up+swap", "bracketed"])
def test_deep_trees_hit_no_recursion_limit(name: str, tree: Tree) -> None:
    check_round_trip(linearization(name), tree)


@pytest.mark.parametrize("name", DISCONTINUOUS)
def test_gap_degree_5_and_ill_nested_trees_come_back(name: str) -> None:
    one, two = Constituent("A", tuple(range(0, 12, 2))), Constituent("B", tuple(range(1, 12, 2)))
    tree = Tree(Constituent("S", (one, two)), (Token("w"),) * 12)
    assert tree.is_ill_nested
    assert tree.gap_degree == 5
    check_round_trip(linearization(name), tree)


def test_labels_with_white_space_and_none_at_all_survive_as_text() -> None:
    tree = Tree(Constituent("", (Constituent("N P\\20;\u00a0#2-x", (0,)), 1)), (Token("a"), Token("b")))
    for name in LINEARIZATIONS:
        check_round_trip(linearization(name), tree)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_linearization_survives_pickling(name: str) -> None:
    again = pickle.loads(pickle.dumps(linearization(name)))
    tree = left_branching(3)
    assert again.write(again.linearize(tree)) == linearization(name).write(linearization(name).linearize(tree))


def test_chains_are_counted_from_the_word_up() -> None:
    tree = Constituent("S", (Constituent("A", (Constituent("B", (0,)),)), Constituent("C", (1,))))
    assert longest_unary_chain(tree) == 2
    assert longest_unary_chain(Constituent("S", (0, 1))) == 0


@given(tree=trees())
def test_no_tree_has_more_constituents_than_its_chains_permit(tree: Tree) -> None:
    limit = longest_unary_chain(tree.root)
    assert sum(1 for _ in tree.root.walk()) <= most_constituents(len(tree.tokens), limit)
