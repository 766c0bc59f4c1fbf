"""The properties that every linearization must have, as functions, so that a test can check a new one too."""

from dataclasses import dataclass

import numpy as np

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Action, Move
from discoseq.linearizations.linearization import Linearization, longest_unary_chain
from discoseq.linearizations.machine import Machine, states_before
from discoseq.linearizations.state import Bools, Ints
from discoseq.trees.tree import Token, Tree

# the move that a walk prefers, or None
PREFERENCES = [None, Move.SHIFT, Move.SWAP, Move.NON_TERMINAL, Move.REDUCE, Move.FINISH]


def machine_for(linearization: Linearization, *trees: Tree, unary_limit: int = 0) -> Machine:
    """A machine that knows the actions of these trees; the limit is that of the trees unless one is passed."""
    sequences = [linearization.linearize(tree) for tree in trees]
    longest = max((longest_unary_chain(tree.root) for tree in trees), default=1)
    return Machine(linearization, ActionVocabulary.of(linearization, sequences), unary_limit or max(1, longest))


def basic_machine(linearization: Linearization, unary_limit: int, *further: Action) -> Machine:
    """A machine with two labels and no more actions than there must be."""
    basic = linearization.basic_actions(["X", "Y"])
    return Machine(linearization, ActionVocabulary.of(linearization, [basic, further]), unary_limit)


def check_round_trip(linearization: Linearization, tree: Tree) -> None:
    actions = linearization.linearize(tree)
    assert all(map(linearization.uses, actions))
    assert linearization.read(linearization.write(actions)) == actions
    assert linearization.build(tree.tokens, actions) == tree
    repaired = linearization.repair(tree.tokens, actions)
    assert repaired.tree == tree
    assert not repaired.repairs


@dataclass(frozen=True)
class Replay:
    """The masks before each action; after the end of a sequence they stay as they were at its end."""

    stack_masks: Bools  # (rows, steps, words)
    buffer_masks: Bools  # (rows, steps, words)
    action_masks: Bools  # (rows, steps, actions)


def replay(machine: Machine, lengths: list[int], actions: Ints) -> Replay:
    """The masks of padded sequences (rows, steps) over sentences of so many words (rows,)."""
    before = list(states_before(machine, lengths, actions))
    return Replay(
        np.stack([state.stack_mask() for state in before], axis=1),
        np.stack([state.buffer_mask() for state in before], axis=1),
        np.stack([machine.action_mask(state) for state in before], axis=1),
    )


def check_gold_is_allowed(machine: Machine, *trees: Tree) -> None:
    """Every action of the oracle is allowed where it stands, and nothing but padding after its last."""
    indices = machine.vocabulary.encode_all(machine.linearization.linearize(tree) for tree in trees)
    lengths = [len(tree.tokens) for tree in trees]
    allowed = replay(machine, lengths, indices).action_masks
    gold = np.take_along_axis(allowed, indices[:, :, None], axis=2)[:, :, 0]
    assert gold.all(), [
        machine.vocabulary.decode(row[: 1 + ok.argmin()]) for row, ok in zip(indices, gold, strict=True)
    ]
    is_padding = indices == 0
    assert (allowed[is_padding].sum(axis=1) == 1).all()
    for row, length in zip(indices, lengths, strict=True):
        assert np.count_nonzero(row) <= machine.max_steps(length)


def walk(machine: Machine, lengths: list[int], preference: Move | None, seed: int) -> Ints:
    """Follow the mask to the end, with a preferred move or at random, and return the actions (rows, steps)."""
    random = np.random.default_rng(seed)
    state = machine.start(lengths)
    taken: list[Ints] = []
    while not state.is_finished.all():
        assert len(taken) < machine.max_steps(max(lengths)), "a walk goes on for too long"
        mask = machine.action_mask(state)
        assert mask.any(axis=1).all(), "a row is stuck"
        is_preferred = machine.vocabulary.moves == (-1 if preference is None else preference)
        scores = random.random(mask.shape) + 2 * is_preferred
        taken.append(np.where(mask, scores, -1).argmax(axis=1))
        state = machine.apply(state, taken[-1])
    return np.stack(taken, axis=1)


def check_walk(machine: Machine, lengths: list[int], preference: Move | None, seed: int) -> None:
    """A walk ends in one tree over all words, within the budget, and no unary chain exceeds the limit."""
    for length, row in zip(lengths, walk(machine, lengths, preference, seed), strict=True):
        actions = machine.vocabulary.decode(row)
        assert len(actions) <= machine.max_steps(length)
        tree = machine.linearization.build([Token("w")] * length, actions)
        assert longest_unary_chain(tree.root) <= machine.unary_limit
