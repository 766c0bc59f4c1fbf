"""Scores of actions as log-probabilities over those that are allowed."""

import numpy as np

from discoseq.linearization.state import Bools
from discoseq.search.scorer import Floats


def log_probabilities(scores: Floats, is_allowed: Bools) -> Floats:
    """Of the allowed actions (rows, actions), in the precision of the scores; minus infinity for the others."""
    # a network that has come apart says NaN; search still ends, in some tree
    finite = scores if np.isfinite(scores).all() else np.nan_to_num(scores)
    masked = np.where(is_allowed, finite, -np.inf)
    masked -= masked.max(axis=1, keepdims=True)
    masked -= np.log(np.exp(masked).sum(axis=1, keepdims=True))
    return masked
