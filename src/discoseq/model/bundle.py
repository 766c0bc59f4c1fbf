"""A model: a network with all that it takes to use it."""

from __future__ import annotations

from dataclasses import dataclass

from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearization.grid import linearization
from discoseq.linearization.machine import Machine
from discoseq.model.build import build_network
from discoseq.model.network import ParserNetwork
from discoseq.model.settings import ModelSettings


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The network, what its numbers mean, and the machine that its actions drive."""

    settings: ModelSettings
    vocabularies: Vocabularies
    machine: Machine
    network: ParserNetwork

    @classmethod
    def fresh(cls, settings: ModelSettings, vocabularies: Vocabularies, linearization_name: str) -> Model:
        """With random weights, from the global generator of torch."""
        machine = Machine(linearization(linearization_name), vocabularies.actions, settings.unary_limit)
        return cls(settings, vocabularies, machine, build_network(settings, vocabularies))
