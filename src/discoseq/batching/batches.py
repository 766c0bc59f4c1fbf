"""Batches of sentences of similar length under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_JITTER = 0.1  # relative noise on the costs by which training examples are sorted


def batches_by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Sentence numbers from short to long in batches whose size with padding is within the budget.

    A sentence over the budget is a batch of its own.
    """
    batches: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batches and lengths[i] * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


def training_batches(costs: Sequence[int], budget: int, seed: int, epoch: int) -> list[list[int]]:
    """The example numbers of every batch of an epoch, in random order: a function of the arguments alone.

    The budget counts padding: number of examples times the highest cost. An example over the budget is a batch.
    """
    generator = np.random.default_rng([seed, epoch])
    cost = np.asarray(costs, dtype=np.float64)
    order = np.argsort(cost * (1 + _JITTER * generator.random(len(cost))), kind="stable")
    batches: list[list[int]] = []
    current: list[int] = []
    highest = 0
    for index in order.tolist():
        highest = max(highest, costs[index])
        if current and highest * (len(current) + 1) > budget:
            batches.append(current)
            current, highest = [], costs[index]
        current.append(index)
    if current:
        batches.append(current)
    return [batches[i] for i in generator.permutation(len(batches))]
