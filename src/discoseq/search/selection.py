"""Which of all continuations stay in the beam."""

from __future__ import annotations

import numpy as np

from discoseq.linearization.state import Ints
from discoseq.search.scorer import Floats

_LEAST = np.finfo(np.float64).min


def best_candidates(
    candidates: Floats, sentence_of_row: Ints, beam_size: int, prune: float | None
) -> tuple[Ints, Ints, Floats]:
    """Rows, actions and log-probabilities (chosen,) of the best candidates (rows, actions) of every sentence.

    The rows of a sentence stand together, at most `beam_size` of them, and so do the chosen ones, best first. Of equals
    the one that stands first is taken.
    """
    best_of_row = candidates.max(axis=1)
    if beam_size == 1:
        rows = np.arange(len(candidates))
        return rows, candidates.argmax(axis=1), best_of_row
    is_first = np.diff(sentence_of_row, prepend=-1) != 0
    starts = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1  # (rows,) sentences counted without those that have no rows
    bounds = _bounds(best_of_row, starts, beam_size, prune)
    rows, actions = np.nonzero(candidates >= bounds[group][:, None])
    scores = candidates[rows, actions]
    order = np.lexsort((-scores, group[rows]))
    rows, actions, scores = rows[order], actions[order], scores[order]
    counts = np.bincount(group[rows])
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    is_kept = rank < beam_size
    return rows[is_kept], actions[is_kept], scores[is_kept]


def _bounds(best_of_row: Floats, starts: Ints, beam_size: int, prune: float | None) -> Floats:
    """For every sentence a log-probability (sentences,) below which no candidate can be chosen."""
    row_counts = np.diff(starts, append=len(best_of_row))
    # where the beam is full, each row has a candidate of its own that is at least as good as the worst row's best
    bounds = np.where(row_counts == beam_size, np.minimum.reduceat(best_of_row, starts), _LEAST)
    if prune is not None:
        bounds = np.maximum(bounds, np.maximum.reduceat(best_of_row, starts) - prune)
    return bounds
