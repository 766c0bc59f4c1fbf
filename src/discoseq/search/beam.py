"""Beam search over the machine: many sentences at once, only valid actions, greedy with a beam of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from discoseq.linearization.action_vocabulary import PAD_INDEX
from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Ints
from discoseq.search.finished import Finished
from discoseq.search.history import History, Place
from discoseq.search.hypothesis import Hypothesis
from discoseq.search.options import DEFAULT_OPTIONS, SearchOptions
from discoseq.search.probabilities import log_probabilities
from discoseq.search.scorer import Floats, Scorer
from discoseq.search.selection import best_candidates

__all__ = ["Hypothesis", "search"]

_NOTHING = Hypothesis((), 0.0, 0.0, ())  # what a sentence of no words gets


def search(
    machine: Machine,
    scorer: Scorer,
    lengths: ArrayLike,
    options: SearchOptions = DEFAULT_OPTIONS,
    known: Sequence[Hypothesis] | None = None,
) -> list[list[Hypothesis]]:
    """For every sentence, given its number of words, its hypotheses: best first, at least one, at most `nbest`.

    A hypothesis that is complete leaves the beam. A sentence is done when none of those left in its beam can get among
    the best, which is known for certain: each further action makes a sum smaller, and a mean can't get above what it
    would be if all the actions that may still come were certain. A complete hypothesis of each sentence may be `known`
    before; then only what is better is looked for, and the known one is the result where there is nothing.
    """
    state = machine.start(lengths)
    words = state.buffer_size.tolist()
    history = History()
    finished = Finished(machine, words, options, history, known)
    # of every row: its sentence, its row among those chosen at the step before, and how it got here
    sentences: Ints = np.arange(len(state))
    places: Ints = np.arange(len(state))
    parents: Ints = np.arange(len(state))
    last_actions: Ints = np.full(len(state), PAD_INDEX)
    sums: Floats = np.zeros(len(state))
    is_searched = ~state.is_finished
    while True:
        if not is_searched.all():
            state, sentences, places = state.select(is_searched), sentences[is_searched], places[is_searched]
            parents, last_actions, sums = parents[is_searched], last_actions[is_searched], sums[is_searched]
        if not len(state):
            return [found or [_NOTHING] for found in finished.hypotheses()]
        is_allowed = machine.action_mask(state)
        gains = log_probabilities(scorer.step(state, parents, last_actions, is_allowed), is_allowed)
        parents, last_actions, new_sums = best_candidates(
            sums[:, None] + gains, sentences, options.beam_size, options.prune
        )
        history.add(places[parents], last_actions, gains[parents, last_actions])
        state = machine.apply(state.select(parents), last_actions)
        sums, sentences = new_sums, sentences[parents]
        places = np.arange(len(state))
        for row in np.flatnonzero(state.is_finished).tolist():
            finished.add(int(sentences[row]), float(sums[row]), Place(len(history) - 1, row))
        is_searched = ~state.is_finished & finished.can_improve(sentences, sums)
