"""Greedy search: the best action at every step. It also knows what it has passed by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discoseq.linearization.action_vocabulary import PAD_INDEX
from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Ints
from discoseq.search.hypothesis import Hypothesis
from discoseq.search.probabilities import log_probabilities
from discoseq.search.scorer import Floats, Scorer


@dataclass(frozen=True, slots=True)
class Greedy:
    """What is found for a sentence."""

    hypothesis: Hypothesis
    rival: float  # the log-probability, up to there, of the best way that was not taken

    @property
    def is_best(self) -> bool:
        """Whether no sequence at all is more probable: what was not taken only gets less so."""
        return self.rival <= self.hypothesis.log_probability


def greedy_search(machine: Machine, scorer: Scorer, lengths: ArrayLike) -> list[Greedy]:
    """For every sentence, given its number of words."""
    state = machine.start(lengths)
    count = len(state)
    sums, rivals = np.zeros(count), np.full(count, -np.inf)  # (sentences,)
    steps: list[tuple[Ints, Ints, Floats]] = []  # of each row its sentence, its action and the action's log-probability
    sentences: Ints = np.arange(count)  # of every row; one has no row any more when it is done
    last_actions: Ints = np.full(count, PAD_INDEX)
    while True:
        parents = np.flatnonzero(~state.is_finished)
        if len(parents) < len(state):
            state, sentences, last_actions = state.select(parents), sentences[parents], last_actions[parents]
        if not len(state):
            break
        is_allowed = machine.action_mask(state)
        gains = log_probabilities(scorer.step(state, parents, last_actions, is_allowed), is_allowed)
        rows: Ints = np.arange(len(state))
        last_actions = gains.argmax(axis=1)
        best = gains[rows, last_actions]
        steps.append((sentences, last_actions, best))
        gains[rows, last_actions] = -np.inf
        rivals[sentences] = np.maximum(rivals[sentences], sums[sentences] + gains.max(axis=1))
        sums[sentences] += best
        state = machine.apply(state, last_actions)
    return [
        Greedy(Hypothesis(actions, total, total, gains), rival)
        for (actions, gains), total, rival in zip(_sequences(steps, count), sums.tolist(), rivals.tolist(), strict=True)
    ]


def _sequences(steps: list[tuple[Ints, Ints, Floats]], count: int) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """For every sentence its actions and their log-probabilities."""
    sequences: list[tuple[list[int], list[float]]] = [([], []) for _ in range(count)]
    for sentences, actions, gains in steps:
        for sentence, action, gain in zip(sentences.tolist(), actions.tolist(), gains.tolist(), strict=True):
            sequences[sentence][0].append(action)
            sequences[sentence][1].append(gain)
    return [(tuple(actions), tuple(gains)) for actions, gains in sequences]
