"""The second opinion of the joint score: how well a tree fits the labels that the encoder alone expects above words."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from discoseq.batching.vocabularies import ancestor_labels
from discoseq.model.network import Model
from discoseq.trees.tree import Tree

_WEIGHT = 0.3  # of a log-probability of these labels; that of the action sequence has 1 (docs/results.md)


class AncestorScores:
    """Weighted log-probabilities of the labels of parent and grandparent of all words, the mean of several models.

    The decoder builds a tree from left to right and can't take an early mistake back. The ancestor head judges every
    word from the whole sentence, and each on its own, so its mistakes are others.
    """

    def __init__(self, models: Sequence[Model], encoded: Sequence[Sequence[Tensor]]) -> None:
        """`encoded` are the vectors (words, width) of every sentence, of each model; some have an ancestor head."""
        self._members = [
            (model.vocabularies.ancestors, _log_probabilities(model.network.ancestor_head, vectors))
            for model, vectors in zip(models, encoded, strict=True)
            if model.network.ancestor_head is not None
        ]

    def of(self, sentence: int, tree: Tree) -> float:
        """That of a tree of this sentence."""
        labels = ancestor_labels(tree)
        total = 0.0
        for vocabulary, log_probabilities in self._members:
            numbers = torch.tensor(vocabulary.encode(labels))
            total += float(log_probabilities[sentence].gather(1, numbers[:, None]).sum())
        return _WEIGHT * total / len(self._members)

    def highest(self, sentence: int) -> float:
        """What no tree of this sentence exceeds: every word has its most probable labels."""
        best = sum(float(log_probabilities[sentence].amax(dim=1).sum()) for _, log_probabilities in self._members)
        return _WEIGHT * best / len(self._members)


def _log_probabilities(head: torch.nn.Linear, vectors: Sequence[Tensor]) -> list[Tensor]:
    """For every sentence (words, labels)."""
    found = head(torch.cat(list(vectors))).log_softmax(dim=-1).float().cpu()
    return list(found.split([len(x) for x in vectors]))
