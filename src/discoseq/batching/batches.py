"""Batches of sentences of similar length under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_JITTER = 0.1  # relative noise on the costs by which training examples are sorted
_MULTIPLE = 8  # fairseq's `required_batch_size_multiple`


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


def batches_by_words(words: Sequence[int], costs: Sequence[int], budget: int, seed: int, epoch: int) -> list[list[int]]:
    """As `training_batches`, but composed by fairseq's rule: examples sorted by words, batches of a multiple of eight.

    Examples of as many words are sorted by cost. Sequences of very different lengths come together, so batches are
    smaller and epochs have more updates. A batch of fewer than eight has what fits. The batches are the same in all
    epochs; only their order changes.
    """
    shuffled = np.random.default_rng([seed]).permutation(len(words)).tolist()
    batches: list[list[int]] = []
    current: list[int] = []
    for index in sorted(shuffled, key=lambda i: (words[i], costs[i])):
        highest = max(costs[i] for i in [*current, index])
        if current and highest * (len(current) + 1) > budget:
            count = len(current) - len(current) % _MULTIPLE or len(current)
            batches.append(current[:count])
            current = current[count:]
        current.append(index)
    if current:
        batches.append(current)
    return [batches[i] for i in np.random.default_rng([seed, epoch]).permutation(len(batches))]


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
