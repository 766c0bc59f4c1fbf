"""Sentences of like length together."""

from __future__ import annotations

from collections.abc import Sequence


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
