"""Making a pre-trained encoder ready to be trained along, and plain again afterwards."""

from __future__ import annotations

from copy import deepcopy
from typing import cast

from torch import nn

from discoseq.model.bundle import Model
from discoseq.model.network import ParserNetwork
from discoseq.model.pretrained.language_model import Body, LanguageModel
from discoseq.model.pretrained.loading import load_pretrained
from discoseq.model.pretrained.lora import add_adapters, has_adapters, merge_adapters
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import trim_vocabulary
from discoseq.training.settings import TrainingSettings


def prepare_encoder(language_model: LanguageModel, settings: TrainingSettings) -> None:
    """Settle which of its parameters learn at all."""
    body = cast(Body, language_model.body)
    if settings.gradient_checkpointing:
        body.enable_gradient_checkpointing()
    if settings.encoder_training == "lora":
        add_adapters(language_model.body, settings.lora_rank)
    elif settings.encoder_frozen_embeddings:
        for module in language_model.modules():
            if isinstance(module, nn.Embedding):
                module.requires_grad_(False)
    for block in body.blocks()[language_model.choice.last :]:  # they have no part in the vectors
        block.requires_grad_(False)


def plain(network: ParserNetwork) -> ParserNetwork:
    """The network as it will be used: a copy with the adapters merged, or itself if it has none."""
    if not has_adapters(network):
        return network
    copy = deepcopy(network)
    merge_adapters(copy)
    return copy


def with_encoder(model: Model) -> Model:
    """The same model with the frozen encoder that it was trained beside, as far as its treebank has use for it.

    One that has its encoder in it, or none at all, is given back as it is.
    """
    if model.pretrained is None or model.network.features.language_model is not None:
        return model
    pretrained, body = load_pretrained(model.settings.encoder, model.settings.encoder_output)
    pretrained, body = trim_vocabulary(pretrained, body, model.vocabularies.characters.names)
    whole = Model.fresh(model.settings, model.vocabularies, model.machine.linearization.name, pretrained, body)
    whole.network.load_state_dict(model.network.state_dict(), strict=False)  # which has no encoder
    return whole
