"""Building trees from sequences: strictly, with the first fault named; leniently, with all faults repaired."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discoseq.errors import ActionError
from discoseq.linearizations.actions import Action
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.trees.tree import Token, Tree
from tree_strategies import trees

ABC = (Token("a"), Token("b"), Token("c"))


@pytest.mark.parametrize(
    ("name", "sequence", "fault"),
    [
        ("in-order", "SH SH", "action 2 (SH): no constituent is open to take the word"),
        ("in-order", "NT-X", "action 1 (NT-X): there is no first child on top of the stack"),
        ("in-order", "SH NT-X NT-Y", "action 3 (NT-Y): there is no first child on top of the stack"),
        ("in-order", "SH RE", "action 2 (RE): no constituent is open"),
        ("in-order", "SH NT-X SH SH SH", "action 5 (SH): no words are left in the buffer"),
        ("in-order", "SH NT-X RE FI", "action 4 (FI): the tree is not complete"),
        ("in-order", "SH NT-X SH SH RE FI FI", "action 7 (FI): the tree is complete"),
        ("in-order", "SH NT-X SH SH RE", "action 6 (end of the sequence): FINISH is missing"),
        ("in-order", "SH NT-X SH SH", "action 5 (end of the sequence): X is still open"),
        ("in-order", "SH NT-X SH", "action 4 (end of the sequence): words still in the buffer: 1"),
        ("in-order", "SH SW", "action 2 (SW): it is not an action of in-order"),
        ("in-order", "SH NT-X SH#1", "action 3 (SH#1): it is not an action of in-order"),
        ("in-order", "SH NT-X RE-X", "action 3 (RE-X): it is not an action of in-order"),
        ("in-order", "SH foo", "action 2 (foo): 'foo' is not an action"),
        ("in-order", "SH NT", "action 2 (NT): it is not an action of in-order"),
        ("enriched-in-order", "SH NT-X RE-Y", "action 3 (RE-Y): it would close X"),
        ("in-order+swap", "SH NT-X SH SW", "action 4 (SW): the 2 top elements of the stack are not all words"),
        (
            "in-order+swap",
            "SH NT-X SH NT-Y RE SH SW",
            "action 7 (SW): the 2 top elements of the stack are not all words",
        ),
        ("in-order+swap#k", "SH NT-X SH SH SW#2", "action 5 (SW#2): the 3 top elements of the stack are not all words"),
        ("in-order+swap#k", "SH NT-X SH SH SW#0", "action 5 (SW#0): it is not an action of in-order+swap#k"),
        ("in-order+shift#k", "SH#3", "action 1 (SH#3): it needs 4 words, but the buffer has 3"),
        ("top-down", "SH", "action 1 (SH): no constituent is open to take the word"),
        ("top-down", "NT-X RE", "action 2 (RE): the root can't be closed while words are left"),
        ("top-down", "NT-X NT-Y RE", "action 3 (RE): Y has no children"),
        ("top-down", "NT- SH SH SH NT- RE", "action 6 (RE): the constituent without a label has no children"),
        ("top-down", "NT-X SH SH SH RE NT-X", "action 6 (NT-X): the tree is complete"),
        ("top-down", "", "action 1 (end of the sequence): words still in the buffer: 3"),
        ("bottom-up", "SH RE#2-X", "action 2 (RE#2-X): it needs 2 elements, but the stack has 1"),
        ("bottom-up", "SH RE#0-X", "action 2 (RE#0-X): it is not an action of bottom-up"),
        ("bottom-up", "RE#1-X", "action 1 (RE#1-X): it is not allowed here"),
        ("bottom-up", "SH SH SH", "action 4 (end of the sequence): 3 elements are on the stack instead of one tree"),
        ("bracketed", "(X XX )Y", "action 3 ()Y): the root can't be closed while words are left"),
        ("bracketed", "(X XX XX XX )Y", "action 5 ()Y): it would close X"),
        ("bracketed", "(X SH", "action 2 (SH): 'SH' is neither a bracket nor XX"),
    ],
)
def test_the_first_fault_is_named_with_its_position(name: str, sequence: str, fault: str) -> None:
    chosen = linearization(name)
    with pytest.raises(ActionError) as caught:
        chosen.build(ABC, chosen.read(sequence))
    assert str(caught.value) == fault


def test_a_bare_word_is_not_a_tree() -> None:
    chosen = linearization("bottom-up")
    with pytest.raises(ActionError, match="no constituent was built"):
        chosen.build(ABC[:1], chosen.read("SH"))


def test_swaps_of_an_eager_oracle_are_read_too() -> None:
    """An eager oracle swaps as soon as two words are in the wrong order, so its buffer may not be in sentence order."""
    chosen = linearization("in-order+swap")
    tokens = tuple(map(Token, "abcd"))
    eager = chosen.build(tokens, chosen.read("SH NT-X SH SH SW SH SH SW SW RE NT-S SH SH RE FI"))
    lazy = chosen.build(tokens, chosen.read("SH NT-X SH SH SH SW SW RE NT-S SH SH RE FI"))
    assert eager == lazy


@pytest.mark.parametrize(
    ("name", "sequence", "tree", "repairs"),
    [
        ("in-order", "SH NT-X SH SH RE", "(X 0 1 2)", ["action 6: FINISH is missing"]),
        ("in-order", "SH NT-X SH SH", "(X 0 1 2)", ["action 5: X closed"]),
        ("in-order", "SH NT-X SH", "(X 0 1 2)", ["action 4: X closed", "action 4: remaining words attached to X: 1"]),
        (
            "in-order",
            "SH SH NT-X what SH RE RE SH RE FI FI",
            "(X 0 1 2)",
            [
                "action 2: SH left out: no constituent is open to take the word",
                "action 4: what left out: it is not an action of in-order",
                "action 7: RE left out: no constituent is open",
                "action 8: SH left out: no constituent is open to take the word",
                "action 9: RE left out: no constituent is open",
                "action 10: FI left out: the tree is not complete",
                "action 11: FI left out: the tree is not complete",
                "action 12: remaining words attached to X: 1",
            ],
        ),
        ("enriched-in-order", "SH NT-X SH SH RE-Y FI", "(X 0 1 2)", ["action 5: RE-Y closes X"]),
        ("bracketed", "(X XX (Y XX )Z XX )X", "(X 0 (Y 1) 2)", ["action 5: )Z closes Y"]),
        ("top-down", "", "(TOP 0 1 2)", ["action 1: root TOP added over 3 elements"]),
        (
            "top-down",
            "NT-X SH NT-Y NT-Z",
            "(X 0 1 2)",
            [
                "action 5: Z dropped: it has no children",
                "action 5: Y dropped: it has no children",
                "action 5: X closed",
                "action 5: remaining words attached to X: 2",
            ],
        ),
        ("bottom-up", "SH SH RE#2-X", "(X 0 1 2)", ["action 4: remaining words attached to X: 1"]),
        ("bottom-up", "SH SH RE#2-X SH FI", "(TOP (X 0 1) 2)", None),
        ("in-order+shift#k", "SH#1 NT-X SH#5 SH#1 RE NT-Y SH#0 RE FI", "(Y 0 (X 1 2))", None),
    ],
)
def test_repairs_follow_the_rules(name: str, sequence: str, tree: str, repairs: list[str] | None) -> None:
    chosen = linearization(name)
    repaired = chosen.repair(ABC, chosen.read_leniently(sequence), root_label="TOP")
    assert str(repaired.tree.root) == tree
    assert repaired.repairs
    assert repairs is None or list(map(str, repaired.repairs)) == repairs


@pytest.mark.parametrize("name", LINEARIZATIONS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_sequence_can_be_repaired_and_strictness_is_the_absence_of_repairs(name: str, data: st.DataObject) -> None:
    chosen = linearization(name)
    known = [chosen.token(action) for action in chosen.basic_actions(["X", "Y"])]
    texts = st.lists(st.sampled_from([*known, *known, "SH#2", "SW#2", "RE#3-X", "huh"]), max_size=25)
    text = " ".join(data.draw(texts))
    words = data.draw(st.integers(1, 6))
    tokens = (Token("w"),) * words
    repaired = chosen.repair(tokens, chosen.read_leniently(text))
    assert repaired.tree.root.cover == (1 << words) - 1
    try:
        strict: Tree | None = chosen.build(tokens, chosen.read(text))
    except ActionError:
        strict = None
    assert (strict is None) == bool(repaired.repairs)
    assert strict is None or strict == repaired.tree


@settings(max_examples=50, deadline=None)
@given(tree=trees(), data=st.data())
def test_a_sequence_cut_off_still_gives_a_tree_over_all_words(tree: Tree, data: st.DataObject) -> None:
    chosen = linearization(data.draw(st.sampled_from(["in-order+swap", "top-down+shift#k", "bottom-up+swap#k"])))
    actions: list[Action] = chosen.linearize(tree)
    cut = data.draw(st.integers(0, len(actions) - 1))
    repaired = chosen.repair(tree.tokens, actions[:cut])
    assert repaired.tree.tokens == tree.tokens
    assert repaired.repairs
    assert all(repair.position == cut + 1 for repair in repaired.repairs)


def test_an_empty_sentence_is_repaired_to_an_empty_tree() -> None:
    chosen = linearization("top-down")
    assert str(chosen.repair((), chosen.read_leniently("NT-X RE"), "TOP").tree.root) == "(TOP )"
