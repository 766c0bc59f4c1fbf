"""Silver trees: those that a parser made, with a weight in the comment of each, and how they join the gold trees."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from discoseq.batching.examples import Example
from discoseq.errors import TreeError
from discoseq.trees.tree import Tree

_PASSES = 1  # beside seed and number of the pass, so that no other generator has the same numbers
_WEIGHT = re.compile(r"(?:^|\s)weight=(\S*)")


def weight_comment(weight: float, measures: Mapping[str, float]) -> str:
    """The comment of a tree: its weight, and what it was computed from."""
    return " ".join(f"{name}={value:.3f}" for name, value in {"weight": weight, **measures}.items())


def tree_weight(tree: Tree) -> float:
    """The weight in the comment of a tree, 1 if there is none."""
    match = _WEIGHT.search(tree.comment or "")
    if match is None:
        return 1.0
    try:
        weight = float(match[1])
    except ValueError:
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise TreeError(f"the weight of the tree {tree.id} is {match[1]!r}, and no number from 0 on")
    return weight


def draw_silver(
    silver: Sequence[Example], gold: Sequence[Example], share: float, seed: int, epoch: int
) -> list[Example]:
    """The silver examples of an epoch, as many as the share of all actions requires: a function of the arguments alone.

    All epochs together go through the silver examples in random order, and when all have been used through another one.
    """
    costs = np.array([example.cost for example in silver], dtype=np.int64)
    size = int(costs.sum())
    of_epoch = sum(example.cost for example in gold) * share / (1 - share)
    start, end = epoch * of_epoch, (epoch + 1) * of_epoch
    drawn: list[Example] = []
    for number in range(int(start // size), int(end // size) + 1):
        order = np.random.default_rng([seed, number, _PASSES]).permutation(len(silver))
        before = number * size + np.cumsum(costs[order]) - costs[order]  # the costs of all examples before each
        drawn += [silver[i] for i in order[(start <= before) & (before < end)].tolist()]
    return drawn
