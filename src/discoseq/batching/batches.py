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


def training_batches(
    costs: Sequence[int], budget: int, seed: int, epoch: int, silver_costs: Sequence[int] = (), silver_share: float = 0
) -> list[list[int]]:
    """The example numbers of every batch of an epoch, in random order: a function of the arguments alone.

    The budget counts padding: number of examples times the highest cost. An example over the budget is a batch. Silver
    examples, which are numbered after the others, have this share of the costs of every batch.
    """
    generator = np.random.default_rng([seed, epoch])
    order = _by_cost(costs, generator)
    if silver_costs:
        silver = [len(costs) + i for i in _by_cost(silver_costs, generator)]
        costs = [*costs, *silver_costs]
        order = _mix(order, silver, costs, silver_share)
    batches: list[list[int]] = []
    current: list[int] = []
    highest = 0
    for index in order:
        highest = max(highest, costs[index])
        if current and highest * (len(current) + 1) > budget:
            batches.append(current)
            current, highest = [], costs[index]
        current.append(index)
    if current:
        batches.append(current)
    return [batches[i] for i in generator.permutation(len(batches))]


def _by_cost(costs: Sequence[int], generator: np.random.Generator) -> list[int]:
    """The numbers of the examples from low to high costs, not quite exactly."""
    noise = 1 + _JITTER * generator.random(len(costs))
    order: list[int] = np.argsort(np.asarray(costs, dtype=np.float64) * noise, kind="stable").tolist()
    return order


def _mix(gold: Sequence[int], silver: Sequence[int], costs: Sequence[int], share: float) -> list[int]:
    """Both in their order, one after the other as the share of the costs requires it."""
    mixed: list[int] = []
    gold_cost = silver_cost = 0
    waiting = iter(silver)
    for index in gold:
        mixed.append(index)
        gold_cost += costs[index]
        while (1 - share) * silver_cost < share * gold_cost and (number := next(waiting, None)) is not None:
            mixed.append(number)
            silver_cost += costs[number]
    return [*mixed, *waiting]
