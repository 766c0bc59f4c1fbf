"""The size of the vocabulary and the length of the sequences of a treebank, as in the paper's table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from discoseq.linearizations.actions import Action
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Size:
    """The figures of one linearization over a treebank, or over its continuous trees if it can't reorder."""

    linearization: str
    sentences: int
    vocabulary: int  # distinct actions
    longest: int
    mean: float


def measure_sizes(trees: Iterable[Tree], names: Sequence[str] = LINEARIZATIONS) -> list[Size]:
    """The sizes of several linearizations, in one pass over the trees."""
    chosen = [linearization(name) for name in names]
    actions: list[set[Action]] = [set() for _ in chosen]
    lengths: list[list[int]] = [[] for _ in chosen]
    for tree in trees:
        is_continuous = not tree.is_discontinuous
        for number, each in enumerate(chosen):
            if tree.tokens and (is_continuous or each.reordering.can_reorder):
                sequence = each.linearize(tree)
                actions[number].update(sequence)
                lengths[number].append(len(sequence))
    return [
        Size(name, len(found), len(seen), max(found, default=0), sum(found) / max(len(found), 1))
        for name, seen, found in zip(names, actions, lengths, strict=True)
    ]
