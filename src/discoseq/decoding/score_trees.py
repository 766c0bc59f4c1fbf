"""The log-probability of given trees under one model or an ensemble."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from discoseq.batching.batches import batches_by_length
from discoseq.batching.examples import Vectors, make_batch, make_examples
from discoseq.decoding.decode import evaluation_mode
from discoseq.errors import LinearizationError
from discoseq.linearizations.machine import Machine
from discoseq.model.network import Model
from discoseq.trees.tree import Tree

_BATCH_ACTIONS = 8000


@torch.inference_mode()
def score_trees(
    models: Sequence[Model], trees: Sequence[Tree], vectors: Sequence[Vectors] | None = None
) -> list[float]:
    """The log-probability of every tree's oracle sequence given its words, as search would compute it.

    Models are averaged as in search. A tree that search can't reach has minus infinity: one with an action that the
    models do not know, with longer unary chains than they build, or with a gap that their linearization can't express.
    """
    machine = models[0].machine
    reachable = [i for i, tree in enumerate(trees) if _is_reachable(machine, tree)]
    chosen_vectors = None if vectors is None else [vectors[i] for i in reachable]
    examples = make_examples(machine, [trees[i] for i in reachable], chosen_vectors)
    found = [-math.inf] * len(trees)
    with evaluation_mode(models):
        for numbers in batches_by_length([len(example.actions) for example in examples], _BATCH_ACTIONS):
            steps = []  # a model: (batch, steps)
            for model in models:
                batch = make_batch(model.vocabularies, machine, [examples[i] for i in numbers])
                batch = batch.to(next(model.network.parameters()).device)
                scores = model.network(batch).actions.float().masked_fill(~batch.is_allowed, -math.inf)
                steps.append(scores.log_softmax(dim=-1).gather(2, batch.targets[..., None])[..., 0].double())
            mean = torch.stack(steps).logsumexp(dim=0) - math.log(len(models))
            for i, total in zip(numbers, mean.sum(dim=1).tolist(), strict=True):
                found[reachable[i]] = total
    return found


def _is_reachable(machine: Machine, tree: Tree) -> bool:
    try:
        machine.oracle(tree)
    except LinearizationError:
        return False
    return True
