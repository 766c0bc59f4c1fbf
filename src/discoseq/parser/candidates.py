"""What the parser finds for a sentence: trees with their probabilities, and how sure of each constituent it is."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from discoseq.trees.tree import Constituent, Tree

EMPTY_TREE = Tree(Constituent("ROOT", ()), ())  # of a sentence without words


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the trees of a sentence."""

    tree: Tree
    log_probability: float  # of the action sequence that builds it
    share: float  # of the probability that all candidates of the sentence have together

    @property
    def probability(self) -> float:
        """Of the one action sequence that was found; a tree may have others."""
        return math.exp(self.log_probability)


def with_shares(found: Sequence[tuple[Tree, float]]) -> list[Candidate]:
    """Candidates from trees and their log-probabilities."""
    highest = max(score for _, score in found)
    weights = [math.exp(score - highest) for _, score in found]
    total = sum(weights)
    return [Candidate(tree, score, weight / total) for (tree, score), weight in zip(found, weights, strict=True)]


def confidences(tree: Tree, candidates: Sequence[Candidate]) -> list[tuple[Constituent, float]]:
    """The constituents of a tree, parents before children, each with a number from 0 to 1.

    It is the summed share of all candidates that have a constituent of this label over these words.
    """
    support: defaultdict[tuple[str, int], float] = defaultdict(float)
    for candidate in candidates:
        for bracket in {(constituent.label, constituent.cover) for constituent in candidate.tree.root.walk()}:
            support[bracket] += candidate.share
    # sums of rounded shares may come out a little above 1
    return [(x, min(1.0, support[x.label, x.cover])) for x in tree.root.walk()]
