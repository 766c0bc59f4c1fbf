"""Beam search over the machine: many sentences at once, only valid actions, greedy with a beam of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Bools, Ints
from discoseq.linearization.vocabulary import PAD_INDEX
from discoseq.search.scorer import Floats, Scorer


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A complete sequence, as numbers of the action vocabulary, and the sum of its log-probabilities."""

    actions: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One step of all hypotheses: where each came from and by which action."""

    parents: Ints  # (rows,) rows of the step before
    actions: Ints  # (rows,)


def search(machine: Machine, scorer: Scorer, lengths: ArrayLike, beam_size: int) -> list[Hypothesis]:
    """The best hypothesis for every sentence, given their numbers of words.

    A sentence leaves when its best hypothesis is complete: scores only fall, so no other can overtake it.
    """
    state = machine.start(lengths)
    sentences: Ints = np.arange(len(state))  # those still searched; each has equally many rows, which stand together
    scores: Floats = np.zeros(len(state))  # (rows,) minus infinity for a row that only fills a gap
    parents: Ints = np.arange(len(state))
    last_actions: Ints = np.full(len(state), PAD_INDEX)
    steps: list[_Step] = []
    found: dict[int, Hypothesis] = {}
    while True:
        beam = len(state) // max(len(sentences), 1)
        best = np.arange(len(sentences)) * beam  # the rows of a sentence stand best first
        is_done = state.is_finished[best]
        if is_done.any():
            for sentence, row in zip(sentences[is_done].tolist(), best[is_done].tolist(), strict=True):
                found[sentence] = Hypothesis(_trace_back(steps, row), float(scores[row]))
            rows = np.flatnonzero(np.repeat(~is_done, beam))
            state, scores, sentences = state.select(rows), scores[rows], sentences[~is_done]
            parents, last_actions = parents[rows], last_actions[rows]
            if steps:  # the next step counts its parents among the rows that are left, so this one may have no others
                steps[-1] = _Step(parents, last_actions)
        if not len(sentences):
            return [found[sentence] for sentence in range(len(found))]
        opinions = scorer.step(state, parents, last_actions)
        candidates = scores[:, None] + _log_probabilities(opinions, machine.action_mask(state))
        parents, last_actions, scores = _best_candidates(candidates, len(sentences), beam_size)
        state = machine.apply(state.select(parents), last_actions)
        steps.append(_Step(parents, last_actions))


def _log_probabilities(scores: Floats, is_allowed: Bools) -> Floats:
    """Of the allowed actions (rows, actions); minus infinity for the others."""
    # a network that has come apart says NaN; search still ends, in some tree
    scores = np.where(is_allowed, np.nan_to_num(scores).astype(np.float64), -np.inf)
    shifted = scores - scores.max(axis=1, keepdims=True)
    normalised: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised


def _best_candidates(candidates: Floats, sentences: int, beam_size: int) -> tuple[Ints, Ints, Floats]:
    """For every sentence the rows and actions (sentences x beam,) of its best candidates (rows, actions), best first.

    Where a sentence has fewer than the beam holds, its best one fills the gap with a score that can't win.
    """
    actions = candidates.shape[1]
    by_sentence = candidates.reshape(sentences, -1)
    size = min(beam_size, by_sentence.shape[1])
    chosen: Ints
    if size == 1:
        chosen = by_sentence.argmax(axis=1, keepdims=True)
    else:
        chosen = np.argpartition(-by_sentence, size - 1, axis=1)[:, :size]
    scores = np.take_along_axis(by_sentence, chosen, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    chosen, scores = np.take_along_axis(chosen, order, axis=1), np.take_along_axis(scores, order, axis=1)
    chosen = np.where(np.isfinite(scores), chosen, chosen[:, :1])
    rows_before = candidates.shape[0] // sentences
    parents = chosen // actions + np.arange(sentences)[:, None] * rows_before
    return parents.ravel(), (chosen % actions).ravel(), scores.ravel()


def _trace_back(steps: list[_Step], row: int) -> tuple[int, ...]:
    actions = []
    for step in reversed(steps):
        action = int(step.actions[row])
        if action != PAD_INDEX:
            actions.append(action)
        row = int(step.parents[row])
    return tuple(reversed(actions))
