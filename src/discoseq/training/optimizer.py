"""The optimizer: Adam, with a learning rate of its own for a pre-trained encoder."""

from __future__ import annotations

import torch

from discoseq.model.network import ParserNetwork
from discoseq.training.settings import TrainingSettings


def make_optimizer(network: ParserNetwork, settings: TrainingSettings) -> torch.optim.Optimizer:
    """Groups of parameters, each with its share of the learning rate under the name `scale`."""
    encoder = network.features.language_model
    tuned = [] if encoder is None else list(encoder.parameters())
    of_encoder = {id(parameter) for parameter in tuned}
    others = [parameter for parameter in network.parameters() if id(parameter) not in of_encoder]
    groups = [{"params": others, "scale": 1.0}]
    if tuned:
        scale = settings.encoder_learning_rate / settings.learning_rate
        groups.append({"params": [parameter for parameter in tuned if parameter.requires_grad], "scale": scale})
    return torch.optim.AdamW(
        groups,
        lr=settings.learning_rate,
        betas=(settings.beta1, settings.beta2),
        eps=1e-8,
        weight_decay=settings.weight_decay,
        fused=True,
    )


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of the next step, for every group its share."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["scale"]
