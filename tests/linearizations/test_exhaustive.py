"""All walks over small sentences: together they are exactly the trees within the limit, and all oracle sequences."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.linearizations.machine import Machine
from discoseq.trees.tree import Child, Constituent, Token, Tree


def partitions(words: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not words:
        yield []
        return
    first, *others = words
    for rest in partitions(tuple(others)):
        yield [(first,), *rest]
        for i, block in enumerate(rest):
            yield [*rest[:i], (first, *block), *rest[i + 1 :]]


def parts(words: tuple[int, ...], limit: int) -> Iterator[Child]:
    """All that can stand over these words: a bare word or a constituent, with chains up to the limit."""
    if len(words) == 1:
        cores: list[Child] = [words[0]]
    else:
        cores = [
            Constituent("X", children)
            for blocks in partitions(words)
            if len(blocks) > 1
            for children in product(*(list(parts(block, limit)) for block in blocks))
        ]
    for core in cores:
        part = core
        yield part
        for _ in range(limit):
            part = Constituent("X", (part,))
            yield part


def all_trees(words: int, limit: int) -> list[Tree]:
    whole = parts(tuple(range(words)), limit)
    return [Tree(part, (Token("w"),) * words) for part in whole if isinstance(part, Constituent)]


def all_walks(machine: Machine, words: int) -> set[tuple[int, ...]]:
    """Every sequence that the mask allows, from its start to its end."""
    state = machine.start([words])
    sequences: list[tuple[int, ...]] = [()]
    ended: set[tuple[int, ...]] = set()
    while len(state):
        ended.update(
            sequence for sequence, is_finished in zip(sequences, state.is_finished, strict=True) if is_finished
        )
        running = ~state.is_finished
        sequences = [sequence for sequence, is_running in zip(sequences, running, strict=True) if is_running]
        state = state.select(running)
        rows, actions = np.nonzero(machine.action_mask(state))
        assert set(rows) == set(range(len(state))), "a row is stuck"
        sequences = [(*sequences[row], int(action)) for row, action in zip(rows, actions, strict=True)]
        state = machine.apply(state.select(rows), actions)
    return ended


@pytest.mark.parametrize(("words", "limit"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_the_walks_are_the_trees_within_the_limit(name: str, words: int, limit: int) -> None:
    chosen = linearization(name)
    trees = [tree for tree in all_trees(words, limit) if chosen.reordering.can_reorder or not tree.is_discontinuous]
    sequences = [chosen.linearize(tree) for tree in trees]
    machine = Machine(chosen, ActionVocabulary.of(chosen, sequences), limit)
    walks = all_walks(machine, words)
    tokens = (Token("w"),) * words
    assert {str(chosen.build(tokens, machine.vocabulary.decode(walk))) for walk in walks} == set(map(str, trees))
    assert walks >= {tuple(machine.vocabulary.encode(sequence)) for sequence in sequences}
    assert max(map(len, walks)) <= machine.max_steps(words)
    if not chosen.reordering.can_reorder:
        assert len(walks) == len(trees)  # without reordering, a tree has one sequence
