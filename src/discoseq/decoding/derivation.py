"""How a model builds a tree: every action with its probability and those of its best alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from discoseq.decoding.decode import Candidate, encode, evaluation_mode, make_derivations
from discoseq.linearizations.actions import Action
from discoseq.linearizations.trace import ReplayedStep, replay
from discoseq.model.network import Model
from discoseq.search.derivations import Floats
from discoseq.trees.tree import Tree

ALTERNATIVES = 5


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that was allowed at a step."""

    action: Action
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class DerivationStep:
    """An action with its probability, and the state after it."""

    replayed: ReplayedStep
    log_probability: float  # of the action; 0 for the initial state
    alternatives: tuple[Alternative, ...]  # the most probable actions, the chosen one among them; none at first

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """A tree and the steps by which a model builds it."""

    tree: Tree
    log_probability: float
    steps: tuple[DerivationStep, ...]  # the first is the initial state


@torch.inference_mode()
def derive(models: Sequence[Model], item: Candidate | Tree) -> Derivation:
    """The derivation of a candidate, or that of a tree by its oracle; the probabilities are those of search.

    A LinearizationError says why the models can't build a tree.
    """
    machine = models[0].machine
    tree = item if isinstance(item, Tree) else item.tree
    actions = machine.oracle(tree) if isinstance(item, Tree) else item.actions
    steps = [
        DerivationStep(step, 0.0, ()) for step in replay(machine, len(tree.tokens), machine.vocabulary.decode(actions))
    ]
    with evaluation_mode(models):
        derivations = make_derivations(models, [encode(model, [tree.words]) for model in models])
        derivations.start([0])
        only_row = np.zeros(1, dtype=np.int64)
        for number, (action, after) in enumerate(zip(actions, steps[1:], strict=True), 1):
            step = derivations.log_probabilities()[0]
            alternatives = tuple(
                Alternative(machine.vocabulary.actions[i], math.exp(float(step[i]))) for i in _best(step, action)
            )
            steps[number] = DerivationStep(after.replayed, float(step[action]), alternatives)
            derivations.apply(only_row, np.array([action]))
    return Derivation(tree, sum(step.log_probability for step in steps), tuple(steps))


def _best(step: Floats, chosen: int) -> list[int]:
    """The most probable actions, best first, and the chosen one if it is not among them."""
    best: list[int] = [i for i in np.argsort(-step, kind="stable")[:ALTERNATIVES].tolist() if np.isfinite(step[i])]
    return best if chosen in best else [*best[: ALTERNATIVES - 1], chosen]
