"""What search finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A complete sequence, as numbers of the action vocabulary, and how probable it and each of its actions are."""

    actions: tuple[int, ...]
    score: float  # the sum or the mean of `step_log_probabilities`
    log_probability: float  # their sum
    step_log_probabilities: tuple[float, ...]  # for each action
