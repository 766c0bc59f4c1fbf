"""A model: a network with all that it takes to use it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import nn

from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearization.machine import Machine
from discoseq.linearization.registry import linearization
from discoseq.model.build import build_network
from discoseq.model.network import ParserNetwork
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.settings import ModelSettings


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The network, what its numbers mean, and the machine that its actions drive."""

    settings: ModelSettings
    vocabularies: Vocabularies
    machine: Machine
    network: ParserNetwork
    pretrained: Pretrained | None = None  # what the network starts from, if it does

    @classmethod
    def fresh(
        cls,
        settings: ModelSettings,
        vocabularies: Vocabularies,
        linearization_name: str,
        pretrained: Pretrained | None = None,
        body: nn.Module | None = None,
    ) -> Model:
        """With random weights, from the global generator of torch, and with those of a language model's body."""
        if pretrained is not None and body is not None:
            vocabularies = replace(vocabularies, pieces=pretrained.tokenizer)
        machine = Machine(linearization(linearization_name), vocabularies.actions, settings.unary_limit)
        network = build_network(settings, vocabularies, pretrained, body)
        return cls(settings, vocabularies, machine, network, pretrained)
