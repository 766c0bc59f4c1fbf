"""How probable given trees are under several models as one, by following their actions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np
import torch

from discoseq.batching.sentence_batch import encode_in_parts
from discoseq.decoding.evaluating import evaluating
from discoseq.decoding.scoring import score_trees
from discoseq.linearization.action_vocabulary import PAD_INDEX
from discoseq.linearization.state import Ints
from discoseq.model.bundle import Model
from discoseq.model.scorer import NetworkScorer
from discoseq.search.ensemble import Ensemble
from discoseq.search.probabilities import log_probabilities
from discoseq.trees.tree import Tree


@torch.inference_mode()
def log_probability(models: Sequence[Model], tree: Tree) -> float:
    """Of the tree's oracle sequence; minus infinity for a tree that the models can't build."""
    alone = score_trees(models[0], [tree])[0]
    if len(models) == 1 or math.isinf(alone):
        return alone
    with ExitStack() as stack:
        for model in models:
            stack.enter_context(evaluating(model.network))
        scorers = [NetworkScorer(x.network, encode_in_parts(x.vocabularies, [tree.words])) for x in models]
        return _follow(models[0], Ensemble(scorers), tree)


def _follow(model: Model, ensemble: Ensemble, tree: Tree) -> float:
    machine = model.machine
    state, total = machine.start([len(tree.tokens)]), 0.0
    row: Ints = np.arange(1)
    last = np.array([PAD_INDEX])
    for action in machine.vocabulary.encode(machine.linearization.linearize(tree)):
        is_allowed = machine.action_mask(state)
        total += float(log_probabilities(ensemble.step(state, row, last, is_allowed), is_allowed)[0, action])
        last = np.array([action])
        state = machine.apply(state, last)
    return total
