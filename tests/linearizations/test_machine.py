"""The vectorised machine: its walks end, gold actions are allowed, and a row does not depend on the others."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discoseq.errors import LinearizationError
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import FINISH, PAD, SHIFT, Action, Move, reduce, shift, swap
from discoseq.linearizations.linearization import LINEARIZATIONS, Linearization, linearization
from discoseq.linearizations.machine import Machine, states_before
from discoseq.linearizations.state import NO_WORD, ParserState
from discoseq.trees.tree import Child, Constituent, Token, Tree
from linearizations.contracts import (
    PREFERENCES,
    basic_machine,
    check_gold_is_allowed,
    check_walk,
    machine_for,
    replay,
    walk,
)
from linearizations.scalar_machine import Element, ScalarMachine
from tree_strategies import trees


def further_actions(chosen: Linearization) -> list[Action]:
    """Counts with holes between them, as a small treebank leaves them."""
    counted = {"swap#k": [swap(3), swap(4)], "shift#k": [shift(2), shift(5)]}.get(chosen.reordering.name, [])
    return [*counted, reduce("X", 5)] if chosen.traversal.name == "bottom-up" else counted


@pytest.mark.parametrize("preference", PREFERENCES)
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_every_walk_ends_in_a_tree_within_the_budget(name: str, preference: Move | None) -> None:
    chosen = linearization(name)
    for unary_limit in (1, 3):
        lengths = [1, 2, 3, 4, 6, 8] * 5
        check_walk(basic_machine(chosen, unary_limit), lengths, preference, seed=unary_limit)
        check_walk(basic_machine(chosen, unary_limit, *further_actions(chosen)), lengths, preference, seed=unary_limit)


@pytest.mark.parametrize("name", LINEARIZATIONS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_walks_of_any_kind_end(name: str, data: st.DataObject) -> None:
    machine = basic_machine(linearization(name), data.draw(st.integers(1, 4)))
    lengths = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    check_walk(machine, lengths, data.draw(st.sampled_from(PREFERENCES)), data.draw(st.integers(0, 1000)))


@pytest.mark.parametrize("name", ["top-down+swap", "in-order+swap#k", "bottom-up+swap"])
@pytest.mark.parametrize("preference", [None, Move.SWAP])
def test_long_sentences_end_too(name: str, preference: Move | None) -> None:
    check_walk(basic_machine(linearization(name), 2), [45, 1, 30], preference, seed=1)


@pytest.mark.parametrize("name", LINEARIZATIONS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_oracle_sequence_is_allowed(name: str, data: st.DataObject) -> None:
    chosen = linearization(name)
    some = trees(max_tokens=8, continuous=not chosen.reordering.can_reorder)
    batch = data.draw(st.lists(some, min_size=1, max_size=3))
    check_gold_is_allowed(machine_for(chosen, *batch), *batch)


def chains(over: Child, count: int) -> Child:
    for _ in range(count):
        over = Constituent("X", (over,))
    return over


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_the_largest_trees_are_allowed_and_take_all_the_steps_there_are(name: str, limit: int) -> None:
    """A left-branching tree with the longest chains everywhere takes the most consecutive NON-TERMINALs."""
    chosen = linearization(name)
    words = 6
    part = chains(0, limit)
    for word in range(1, words):
        part = chains(Constituent("X", (part, chains(word, limit))), limit)
    assert isinstance(part, Constituent)
    tree = Tree(part, (Token("w"),) * words)
    machine = machine_for(chosen, tree)
    assert machine.unary_limit == limit
    check_gold_is_allowed(machine, tree)
    unneeded = chosen.reordering.max_steps(words) - words  # the SWAPs that this tree does not need
    assert len(chosen.linearize(tree)) == machine.max_steps(words) - unneeded


@pytest.mark.parametrize(
    ("name", "start", "end"), [("top-down+swap", "NT-X", "RE"), ("bottom-up+swap", "", "RE#4-X FI")]
)
def test_words_in_reverse_order_take_all_the_swaps_there_are(name: str, start: str, end: str) -> None:
    chosen = linearization(name)
    actions = chosen.read(f"{start} SH SH SH SH SW SW SW SH SH SH SW SW SH SH SW SH {end}")
    machine = basic_machine(chosen, 1, *actions)
    indices = machine.vocabulary.encode_all([actions])
    allowed = replay(machine, [4], indices).action_masks
    assert np.take_along_axis(allowed, indices[:, :, None], axis=2).all()
    moves = machine.vocabulary.moves[indices]
    assert np.isin(moves, [Move.SHIFT, Move.SWAP]).sum() == chosen.reordering.max_steps(4) == 16


@pytest.mark.parametrize("name", LINEARIZATIONS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_masks_equal_those_of_the_scalar_machine(name: str, data: st.DataObject) -> None:
    chosen = linearization(name)
    machine = basic_machine(chosen, data.draw(st.integers(1, 3)), *further_actions(chosen))
    lengths = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    actions = walk(machine, lengths, data.draw(st.sampled_from(PREFERENCES)), data.draw(st.integers(0, 1000)))
    names = ["", *machine.vocabulary.labels]
    scalars = [ScalarMachine(chosen, machine.unary_limit, length) for length in lengths]
    for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
        allowed, stack, buffer = machine.action_mask(state), state.stack_mask(), state.buffer_mask()
        for row, scalar in enumerate(scalars):
            assert list(allowed[row]) == scalar.allowed(machine.vocabulary.actions)
            assert list(np.flatnonzero(stack[row])) == sorted(element.word for element in scalar.stack)
            assert list(np.flatnonzero(buffer[row])) == scalar.buffer
            for number in (1, 2, 3):
                element = scalar.stack[-number] if len(scalar.stack) >= number else Element(NO_WORD, last=NO_WORD)
                assert state.stack_word(number)[row] == element.word
                assert state.last_word(number)[row] == element.last
                being_built = scalar.open[-number].label if len(scalar.open) >= number else ""
                assert names[state.stack_label(number)[row]] == element.label
                assert names[state.open_label(number)[row]] == being_built
                in_buffer = scalar.buffer[number - 1 : number] or [NO_WORD]
                assert state.buffer_word(number)[row] == in_buffer[0]
            top = scalar.stack[-1].last if scalar.stack else NO_WORD
            assert state.next_word()[row] == next((word for word in scalar.buffer if word > top), NO_WORD)
            scalar.apply(machine.vocabulary.actions[column[row]])


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_row_is_the_same_alone_and_in_a_batch(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [1, 9, 4, 2, 7]
    actions = walk(machine, lengths, None, seed=5)
    together = replay(machine, lengths, actions)
    for row, length in enumerate(lengths):
        alone = replay(machine, [length], actions[row : row + 1])
        assert (alone.action_masks[0] == together.action_masks[row]).all()
        assert (alone.stack_masks[0] == together.stack_masks[row, :, :length]).all()
        assert (alone.buffer_masks[0] == together.buffer_masks[row, :, :length]).all()
        assert not together.stack_masks[row, :, length:].any()
        assert not together.buffer_masks[row, :, length:].any()


def observe(machine: Machine, state: ParserState) -> list[object]:
    views = [machine.action_mask(state), state.stack_mask(), state.buffer_mask(), state.is_finished]
    words = [word(number) for word in (state.stack_word, state.last_word, state.buffer_word) for number in (1, 2, 3)]
    labels = [label(number) for label in (state.stack_label, state.open_label) for number in (1, 2, 3)]
    return [view.tolist() for view in [*views, *words, *labels]]


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_select_commutes_with_apply_and_nothing_is_changed_in_place(name: str) -> None:
    machine = basic_machine(linearization(name), 2)
    lengths = [3, 8, 1, 6]
    actions = walk(machine, lengths, None, seed=8)
    rows = np.array([3, 1, 1, 0])
    for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
        before = observe(machine, state)
        selected = state.select(rows)
        one = observe(machine, machine.apply(selected, column[rows]))
        two = observe(machine, machine.apply(state, column).select(rows))
        assert one == two
        assert observe(machine, state) == before
        assert observe(machine, state.select(np.array([False, True, False, True]))) == [
            [view[1], view[3]] for view in before if isinstance(view, list)
        ]


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_a_finished_row_is_frozen(name: str) -> None:
    machine = basic_machine(linearization(name), 1)
    actions = walk(machine, [2, 12], None, seed=2)
    states = list(states_before(machine, [2, 12], actions))
    end = next(step for step, state in enumerate(states) if state.is_finished[0])
    for state in states[end:]:
        assert list(np.flatnonzero(machine.action_mask(state)[0])) == [machine.vocabulary.encode([PAD])[0]]
        assert list(state.stack_mask()[0]) == list(states[end].stack_mask()[0])


def test_a_row_without_words_is_finished_from_the_start() -> None:
    machine = basic_machine(linearization("in-order+swap"), 1)
    state = machine.start([0, 2])
    assert list(state.is_finished) == [True, False]
    assert machine.action_mask(state)[0].sum() == 1
    assert len(machine.start([0]).select(np.array([0, 0]))) == 2
    assert len(machine.start([])) == 0


def test_an_arity_never_seen_does_not_strand_a_row() -> None:
    chosen = linearization("bottom-up")
    vocabulary = ActionVocabulary.of(chosen, [[SHIFT, reduce("X", 7), FINISH]])
    check_walk(Machine(chosen, vocabulary), [1, 2, 3, 8, 20], Move.SHIFT, seed=0)


def test_a_swap_never_seen_can_be_made_of_smaller_ones() -> None:
    chosen = linearization("in-order+swap#k")
    tree = Tree(Constituent("S", (Constituent("X", (0, 5)), 1, 2, 3, 4)), (Token("w"),) * 6)
    machine = basic_machine(chosen, 1)
    text = "SH NT-X SH SH SH SH SH SW#1 SW#1 SW#1 SW#1 RE NT-Y SH SH SH SH RE FI"
    indices = machine.vocabulary.encode_all([chosen.read(text)])
    allowed = replay(machine, [6], indices).action_masks
    assert np.take_along_axis(allowed, indices[:, :, None], axis=2).all()
    assert str(chosen.build(tree.tokens, chosen.read(text)).root) == "(Y (X 0 5) 1 2 3 4)"


def test_consecutive_non_terminals_may_be_as_many_as_the_tree_is_deep() -> None:
    chosen = linearization("top-down")
    part: Child = 0
    for word in range(1, 400):
        part = Constituent("X", (part, word))
    assert isinstance(part, Constituent)
    tree = Tree(part, (Token("w"),) * 400)
    check_gold_is_allowed(machine_for(chosen, tree, unary_limit=1), tree)


def test_a_machine_survives_pickling() -> None:
    machine = pickle.loads(pickle.dumps(basic_machine(linearization("in-order+swap"), 2)))
    check_walk(machine, [3], None, seed=0)


@pytest.mark.parametrize(
    ("tokens", "limit", "reason"),
    [
        (["<pad>", "SH", "SW", "NT-X", "RE"], 1, "has no FI"),
        (["<pad>", "SH", "SW", "RE", "FI"], 1, "has no labels"),
        (["<pad>", "SH", "SH#0", "SW", "NT-X", "RE", "FI"], 1, r"SH#0 is not an action of in-order\+swap"),
        (["<pad>", "SH", "SW", "NT-X", "RE", "FI"], 0, "unary_limit must be at least 1"),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(tokens: list[str], limit: int, reason: str) -> None:
    with pytest.raises(LinearizationError, match=reason):
        Machine(linearization("in-order+swap"), ActionVocabulary.from_tokens(tokens), limit)
