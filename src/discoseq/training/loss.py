"""The training objective: cross-entropy of actions, and of the auxiliary heads."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from discoseq.batching.examples import Batch
from discoseq.batching.vocabularies import PAD
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.model.network import NetworkScores
from discoseq.training.config import TrainingSettings


def total_loss(scores: NetworkScores, batch: Batch, settings: TrainingSettings) -> tuple[Tensor, Tensor]:
    """The weighted sum of all losses of a batch, and that of the actions alone."""
    is_allowed = batch.is_allowed if settings.masked_loss else None
    actions = action_loss(scores.actions, batch.targets, is_allowed, settings.label_smoothing)
    total = actions
    if scores.tags is not None:
        total = total + settings.tag_weight * head_loss(scores.tags.float(), batch.tags)
    if scores.ancestors is not None:
        total = total + settings.ancestor_weight * head_loss(scores.ancestors.float(), batch.ancestors)
    return total, actions


def action_loss(scores: Tensor, targets: Tensor, is_allowed: Tensor | None, smoothing: float) -> Tensor:
    """Cross-entropy summed over all actions, with label smoothing over the allowed actions.

    Scores (batch, steps, actions), targets (batch, steps), `is_allowed` like the scores or None for everything.
    """
    scores = scores.float()
    if is_allowed is not None:
        scores = scores.masked_fill(~is_allowed, -float("inf"))
    log_probabilities = scores.log_softmax(dim=-1)
    gold = log_probabilities.gather(-1, targets[..., None])[..., 0]
    if is_allowed is None:
        uniform = log_probabilities.mean(dim=-1)
    else:
        uniform = log_probabilities.masked_fill(~is_allowed, 0.0).sum(dim=-1) / is_allowed.sum(dim=-1)
    losses = -(1 - smoothing) * gold - smoothing * uniform
    return losses.masked_fill(targets == PAD_INDEX, 0.0).sum()


def head_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy summed over all words with a target: scores (batch, words, classes), targets (batch, words)."""
    return cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=PAD, reduction="sum")
