"""The optimizer: Adam with a learning rate schedule, and another rate for a pre-trained language model."""

from __future__ import annotations

import torch

from discoseq.model.network import ParserNetwork
from discoseq.training.config import TrainingSettings

# the paper's
_BETAS = (0.9, 0.98)
_FIRST_LEARNING_RATE = 1e-7  # at the first warm-up step
_LAST_LEARNING_RATE = 1e-9


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
