"""Batches of sentences of similar length under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def batches_of_like_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Sentence numbers from short to long, in runs that, padding included, are at most the budget.

    A sentence that is longer than that is a batch of its own.
    """
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches: list[list[int]] = []
    for i in order:
        if batches and lengths[i] * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


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
