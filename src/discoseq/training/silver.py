"""Silver trees: those that a parser made, with a weight in the comment of each, and how they join the gold trees."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from discoseq.errors import TreeError
from discoseq.trees.tree import Tree

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
