"""A traversal that is not part of discoseq works with everything that is written once for all traversals."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discoseq.errors import ActionError
from discoseq.linearizations.actions import Move
from discoseq.linearizations.linearization import REORDERINGS, Linearization
from discoseq.linearizations.trace import trace
from discoseq.trees.tree import Constituent, Token, Tree
from linearizations.contracts import (
    PREFERENCES,
    basic_machine,
    check_gold_is_allowed,
    check_round_trip,
    check_walk,
    machine_for,
)
from linearizations.word_first import WordFirst
from tree_strategies import trees

NEW = [
    Linearization(f"{'enriched-' * is_enriched}word-first+{name}", WordFirst(), reordering, is_enriched)
    for name, reordering in REORDERINGS.items()
    for is_enriched in (False, True)
]


def test_it_takes_fewer_than_60_lines() -> None:
    assert len(Path(__file__).with_name("word_first.py").read_text().splitlines()) < 60


@pytest.mark.parametrize("new", NEW, ids=lambda new: new.name)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_it_keeps_the_contracts(new: Linearization, data: st.DataObject) -> None:
    tree = data.draw(trees(max_tokens=7, continuous=not new.reordering.can_reorder))
    check_round_trip(new, tree)
    check_gold_is_allowed(machine_for(new, tree), tree)


@pytest.mark.parametrize("preference", PREFERENCES)
@pytest.mark.parametrize("new", NEW, ids=lambda new: new.name)
def test_its_walks_end_in_trees(new: Linearization, preference: Move | None) -> None:
    for unary_limit in (1, 2):
        check_walk(basic_machine(new, unary_limit), [1, 2, 3, 5, 8] * 4, preference, seed=unary_limit)


def test_its_sequence_is_the_one_on_the_board() -> None:
    tree = Tree(Constituent("S", (Constituent("NP", (0, 2)), 1)), (Token("a"), Token("b"), Token("c")))
    plain = NEW[6]
    assert plain.write(plain.linearize(tree)) == "SH#0 NT-S NT-NP SH#1 RE SH#0 RE"
    assert [step.stack for step in trace(plain, tree)][3] == "[ a_0, S, NP ]"
    with pytest.raises(ActionError, match=r"action 2 \(SH#0\): no constituent is open to take the word"):
        plain.build(tree.tokens, plain.read("SH#0 SH#0"))
