"""Batches of about equal size: sentences of like length together, under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_JITTER = 0.1  # how far, as a share of its cost, an example may stray among its like


def make_buckets(costs: Sequence[int], budget: int, seed: int, epoch: int) -> list[list[int]]:
    """The indices of every batch of an epoch, a function of its arguments alone.

    The budget counts padding: number of sentences times the highest cost. One sentence over the budget is a batch.
    """
    generator = np.random.default_rng([seed, epoch])
    cost = np.asarray(costs, dtype=np.float64)
    order = np.argsort(cost * (1 + _JITTER * generator.random(len(cost))), kind="stable")
    buckets: list[list[int]] = []
    current: list[int] = []
    highest = 0
    for index in order.tolist():
        highest = max(highest, costs[index])
        if current and highest * (len(current) + 1) > budget:
            buckets.append(current)
            current, highest = [], costs[index]
        current.append(index)
    if current:
        buckets.append(current)
    return [buckets[i] for i in generator.permutation(len(buckets))]
