"""Weak constraints: the mask of the authors' state machine, and the eager oracle, which needs it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.errors import LinearizationError
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Action, Move
from discoseq.linearizations.builder import TreeBuilder
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization, longest_unary_chain
from discoseq.linearizations.machine import WEAK, Machine
from discoseq.search.beam import SearchOptions
from discoseq.trees.tree import Token, Tree
from search.fakes import FakeScorer, run_search
from tree_strategies import trees

EAGER = [
    f"{name}+eager-swap" for name in ("top-down", "enriched-top-down", "in-order", "enriched-in-order", "bottom-up")
]
INVERTED = Tree.fromstring("(S (A (B 0=a 3=d) 2=c) 1=b)")  # after the first, the words are taken in reverse order


def weak_machine(name: str, *sequences: list[Action], unary_limit: int = 2) -> Machine:
    system = linearization(name)
    basic = system.basic_actions(["X", "Y"])
    return Machine(system, ActionVocabulary.of(system, [basic, *sequences]), unary_limit, WEAK)


class AuthorsRules:
    """What is allowed in in-order+swap by the facts about the authors' code, for one sentence, on lists.

    A word may be swapped any number of times here.
    """

    def __init__(self, words: int) -> None:
        self.stack: list[int] = []
        self.buffer = list(range(words))[::-1]
        self.first_words: list[int] = []  # of the open constituents
        self.words = self.unary = 0  # shifted since the last NT or RE; unary steps in a row
        self.previous = Move.PAD

    def allowed(self) -> set[Move]:
        if not self.stack:
            return {Move.SHIFT}
        found = set()
        if self.buffer and self.first_words:
            found.add(Move.SHIFT)
        if self.previous is not Move.NON_TERMINAL and (self.buffer or self.unary < 3):
            found.add(Move.NON_TERMINAL)
        if self.first_words and (self.unary < 4 or not self.buffer):
            found.add(Move.REDUCE)
        if self.words > 1:
            found.add(Move.SWAP)
        if len(self.stack) == 1 and not self.buffer and self.previous is Move.REDUCE:
            found.add(Move.FINISH)
        return found

    def apply(self, move: Move) -> None:
        if move is Move.SHIFT:
            self.stack.append(self.buffer.pop())
            self.words, self.unary = self.words + 1, 0
        elif move is Move.SWAP:
            self.buffer.append(self.stack.pop(-2))
            self.words -= 1
        elif move is Move.NON_TERMINAL:
            self.first_words.append(self.stack[-1])
            self.words = 0
        elif move is Move.REDUCE:
            self.unary = self.unary + 1 if self.previous is Move.NON_TERMINAL else 0
            del self.stack[self.stack.index(self.first_words.pop()) + 1 :]
            self.words = 0
        self.previous = move


@given(data=st.data())
def test_the_mask_of_in_order_swap_is_that_of_the_authors_rules(data: st.DataObject) -> None:
    machine, words = weak_machine("in-order+swap"), data.draw(st.integers(1, 6))
    rules, state = AuthorsRules(words), machine.start([words])
    moves = machine.vocabulary.moves
    for _ in range(60):
        allowed = np.flatnonzero(machine.action_mask(state)[0])
        assert {Move(moves[i]) for i in allowed} == rules.allowed()
        assert np.flatnonzero(state.stack_mask()[0]).tolist() == sorted(rules.stack)
        assert np.flatnonzero(state.buffer_mask()[0]).tolist() == sorted(rules.buffer)
        action = data.draw(st.sampled_from(allowed.tolist()))
        state = machine.apply(state, np.array([action]))
        if state.is_finished[0]:
            break
        rules.apply(Move(moves[action]))


@pytest.mark.parametrize("name", EAGER)
@given(tree=trees())
def test_the_eager_oracle_rebuilds_the_tree_and_is_allowed(name: str, tree: Tree) -> None:
    system = linearization(name)
    actions = system.linearize(tree)
    assert system.build(tree.tokens, actions) == tree
    lazy = linearization(name.replace("eager-", "")).linearize(tree)
    assert sorted(map(str, lazy)) == sorted(map(str, actions))  # the same actions in another order
    chain = max(1, longest_unary_chain(tree.root))
    machine, builder = weak_machine(name, actions, unary_limit=chain), TreeBuilder(system, len(tree.tokens))
    state = machine.start([len(tree.tokens)])
    for action, number in zip(actions, machine.vocabulary.encode(actions), strict=True):
        assert machine.action_mask(state)[0, number] or chain > 3  # longer ones are not, in the authors' code either
        state = machine.apply(state, np.array([number]))
        builder.apply(action)
        assert np.flatnonzero(state.buffer_mask()[0]).tolist() == sorted(builder.buffer)


def test_eager_and_lazy_differ_where_the_words_jumped_over_are_inverted_themselves() -> None:
    lazy, eager = (linearization(name) for name in ("in-order+swap", "in-order+eager-swap"))
    assert lazy.write(lazy.linearize(INVERTED)) == "SH NT-B SH SH SH SW SW RE NT-A SH SH SW RE NT-S SH RE FI"
    assert eager.write(eager.linearize(INVERTED)) == "SH NT-B SH SH SW SH SH SW SW RE NT-A SH RE NT-S SH RE FI"
    plain = Tree.fromstring("(S (A 0=a 2=c) 1=b)")
    assert lazy.linearize(plain) == eager.linearize(plain)


def test_the_eager_oracle_needs_weak_constraints() -> None:
    system = linearization("in-order+eager-swap")
    with pytest.raises(LinearizationError, match=r"in-order\+eager-swap needs weak constraints"):
        Machine(system, ActionVocabulary.of(system, [system.basic_actions(["X"])]))
    with pytest.raises(LinearizationError, match="constraints must be exact or weak, not 'none'"):
        Machine(system, ActionVocabulary.of(system, [system.basic_actions(["X"])]), constraints="none")


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", [*LINEARIZATIONS, *EAGER])
def test_search_ends_and_what_is_no_tree_is_repaired(name: str, beam_size: int) -> None:
    machine, lengths = weak_machine(name), [4, 1, 6, 2]
    scorer = FakeScorer(list(range(4)), len(machine.vocabulary), spread=2.0)
    for score in ("sum", "mean"):
        options = SearchOptions(beam_size, beam_size, score)
        for length, hypotheses in zip(lengths, run_search(machine, scorer, lengths, options, 1000), strict=True):
            for hypothesis in hypotheses:
                assert len(hypothesis.actions) <= 25 * length
                built = machine.build([Token("w")] * length, hypothesis.actions)
                assert built.tree.words == ("w",) * length
                assert bool(built.repairs) == (len(hypothesis.actions) == 25 * length)


def test_any_word_can_be_shifted() -> None:
    machine = Machine(linearization("in-order+shift#k"), weak_vocabulary(), constraints=WEAK)
    exact = Machine(linearization("in-order+shift#k"), weak_vocabulary())
    for each, shifts in ((machine, [0, 1, 2]), (exact, [0])):
        allowed = each.vocabulary.decode(np.flatnonzero(each.action_mask(each.start([3]))[0]))
        assert [action.count for action in allowed] == shifts


def weak_vocabulary() -> ActionVocabulary:
    system = linearization("in-order+shift#k")
    return ActionVocabulary.of(system, [system.basic_actions(["X"]), system.read("SH#1 SH#2 SH#3")])
