"""How probable a model finds given trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from discoseq.batching.batches import batches_of_like_length
from discoseq.batching.examples import Example, Vectors, make_batch, make_examples
from discoseq.decoding.evaluating import evaluating
from discoseq.errors import LinearizationError
from discoseq.linearization.linearization import longest_unary_chain
from discoseq.linearization.machine import Machine
from discoseq.model.bundle import Model
from discoseq.trees.tree import Tree

BATCH_ACTIONS = 8000


@torch.inference_mode()
def score_trees(
    model: Model, trees: Sequence[Tree], batch_actions: int = BATCH_ACTIONS, vectors: Sequence[Vectors] | None = None
) -> list[float]:
    """The log-probability of every tree's oracle sequence, as search would give it; of words and labels alone.

    A tree that search can't reach has none, which is minus infinity: one with an action that the model does not know,
    with longer unary chains than it builds, or with a gap where its linearization has no way to reorder.
    """
    known = [i for i, tree in enumerate(trees) if _is_within_reach(model.machine, tree)]
    given = None if vectors is None else [vectors[i] for i in known]
    examples = make_examples(model.machine, [trees[i] for i in known], given)
    found = [-math.inf] * len(trees)
    with evaluating(model.network):
        for chosen in batches_of_like_length([len(example.actions) for example in examples], batch_actions):
            scores = _log_probabilities(model, [examples[i] for i in chosen])
            for i, score in zip(chosen, scores, strict=True):
                found[known[i]] = score
    return found


def _is_within_reach(machine: Machine, tree: Tree) -> bool:
    try:
        machine.vocabulary.encode(machine.linearization.linearize(tree))
    except LinearizationError:
        return False
    return longest_unary_chain(tree.root) <= machine.unary_limit


def _log_probabilities(model: Model, examples: Sequence[Example]) -> list[float]:
    batch = make_batch(model.vocabularies, model.machine, examples).to(next(model.network.parameters()).device)
    scores = model.network(batch).actions.float().masked_fill(~batch.is_allowed, -math.inf)
    gains = scores.log_softmax(dim=-1).gather(2, batch.targets[..., None])[..., 0]  # (batch, steps); padding: zeros
    sums: list[float] = gains.double().sum(dim=1).tolist()
    return sums
