"""What an update is made of: the loss, with those of auxiliary heads; Adam; the learning rate."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from discoseq.batching.examples import Batch
from discoseq.batching.vocabularies import PAD
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.model.network import NetworkScores, ParserNetwork
from discoseq.training.config import TrainingSettings

# the paper's
_BETAS = (0.9, 0.98)
_FIRST_LEARNING_RATE = 1e-7  # at the first warm-up step
_LAST_LEARNING_RATE = 1e-9


def total_loss(scores: NetworkScores, batch: Batch, settings: TrainingSettings) -> tuple[Tensor, Tensor]:
    """The weighted sum of all losses of a batch, and that of the actions alone."""
    actions = action_loss(
        scores.actions,
        batch.targets,
        batch.is_allowed if settings.masked_loss else torch.ones_like(batch.is_allowed),
        settings.label_smoothing,
        batch.weights,
        settings.smoothed_over == "vocabulary",
    )
    total = actions
    if scores.tags is not None:
        total = total + settings.tag_weight * head_loss(scores.tags.float(), batch.tags, batch.weights)
    if scores.ancestors is not None:
        loss = head_loss(scores.ancestors.float(), batch.ancestors, batch.weights)
        total = total + settings.ancestor_weight * loss
    return total, actions


def action_loss(
    scores: Tensor,
    targets: Tensor,
    is_allowed: Tensor,
    smoothing: float,
    weights: Tensor | None = None,
    is_smoothed_over_all: bool = False,
) -> Tensor:
    """Cross-entropy summed over all actions, with label smoothing over the allowed actions.

    Actions that are not allowed get no probability, as in search and in the authors' code. There, the smoothing is
    spread over the whole vocabulary, and what falls on actions that are not allowed is lost; this is
    `is_smoothed_over_all`. Scores and `is_allowed` (batch, steps, actions), targets (batch, steps), weights (batch,).
    """
    log_probabilities = scores.float().masked_fill(~is_allowed, -float("inf")).log_softmax(dim=-1)
    gold = log_probabilities.gather(-1, targets[..., None])[..., 0]
    uniform = log_probabilities.masked_fill(~is_allowed, 0.0).sum(dim=-1)
    uniform = uniform / (scores.shape[-1] if is_smoothed_over_all else is_allowed.sum(dim=-1))
    losses = -(1 - smoothing) * gold - smoothing * uniform
    losses = losses.masked_fill(targets == PAD_INDEX, 0.0)
    return losses.sum() if weights is None else (losses.sum(dim=1) * weights).sum()


def head_loss(scores: Tensor, targets: Tensor, weights: Tensor | None = None) -> Tensor:
    """Cross-entropy summed over all words with a target.

    Scores (batch, words, classes), targets (batch, words), weights (batch,).
    """
    if weights is None:
        return cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=PAD, reduction="sum")
    losses = cross_entropy(scores.transpose(1, 2), targets, ignore_index=PAD, reduction="none")
    return (losses.sum(dim=1) * weights).sum()


def make_optimizer(network: ParserNetwork, settings: TrainingSettings) -> torch.optim.Optimizer:
    """Groups of parameters, each with its factor of the learning rate under the name `scale`."""
    language_model = network.features.language_model
    tuned = [] if language_model is None else list(language_model.parameters())
    is_tuned = {id(parameter) for parameter in tuned}
    groups = [{"params": [x for x in network.parameters() if id(x) not in is_tuned], "scale": 1.0}]
    if tuned:
        scale = settings.pretrained_learning_rate / settings.learning_rate
        groups.append({"params": [x for x in tuned if x.requires_grad], "scale": scale})
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=_BETAS, eps=1e-8, weight_decay=0.0, fused=True)


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of the next step in every group."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["scale"]


def learning_rate(settings: TrainingSettings, step: int, progress: float) -> float:
    """The learning rate of a step, counted from 1, after this share (0 to 1) of the training.

    It rises linearly over the warm-up; then it falls with the inverse square root of the step (Vaswani et al., 2017),
    or linearly to zero.
    """
    s = settings
    if step <= s.warmup_steps:
        return _FIRST_LEARNING_RATE + (s.learning_rate - _FIRST_LEARNING_RATE) * step / s.warmup_steps
    if s.schedule == "inverse-sqrt":
        return max(_LAST_LEARNING_RATE, s.learning_rate * (max(1, s.warmup_steps) / step) ** 0.5)
    return max(_LAST_LEARNING_RATE, s.learning_rate * (1 - progress))
