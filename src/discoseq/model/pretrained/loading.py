"""Loading a language model by name, building it from its description, and the fingerprint of its weights."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import torch
from torch import nn

from discoseq.errors import ModelError, first_line
from discoseq.model.layers import without_weights
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.pretrained.own_networks import own_network
from discoseq.model.pretrained.transformers_models import (
    build_hugging_face,
    check_hugging_face,
    load_hugging_face,
)
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import (
    UNIVERSAL,
    UniversalSentenceEncoder,
)
from discoseq.model.pretrained.universal_sentence_encoder.package_files import find_universal, load_universal
from discoseq.model.settings import ModelSettings


def load_pretrained(name: str, output: str, has_first_space: bool = True) -> tuple[Pretrained, nn.Module]:
    """The description and the network of a preset, a directory or a name on the hub, up to the highest layer used."""
    # some loaders initialize a model with random numbers, which must not change those that training draws afterwards
    with torch.random.fork_rng():
        pretrained, body = load_universal() if name == UNIVERSAL else load_hugging_face(name, output)
    if not has_first_space:
        pretrained = replace(pretrained, tokenizer=pretrained.tokenizer.without_first_space())
    return pretrained, body


def build_body(pretrained: Pretrained) -> nn.Module:
    """The network of a description, whose weights must be loaded; networks of our own are on the meta device."""
    try:
        with without_weights():
            own = own_network(pretrained.config, pretrained.layers)
            if own is not None:
                return own
            if pretrained.config.get("model_type") == UNIVERSAL:
                return UniversalSentenceEncoder(pretrained.config)
        return build_hugging_face(pretrained.config)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise ModelError(f"the description of the language model makes no network ({first_line(error)})") from None


def check_pretrained(name: str, output: str) -> None:
    """Raise the error that `load_pretrained` would raise, as far as it can be known without reading weights."""
    if name == UNIVERSAL:
        find_universal()
    else:
        check_hugging_face(name, output)


def in_precision(settings: ModelSettings, body: nn.Module) -> nn.Module:
    """A frozen network in the precision that it is to run in; its fingerprint is taken before."""
    return body.to(torch.bfloat16) if settings.pretrained_bfloat16 else body


def fingerprint(body: nn.Module) -> str:
    """A hash of all weights, independent of their names, which may change between versions of a package."""
    digests = [
        hashlib.sha256(tensor.detach().cpu().contiguous().numpy().tobytes()).digest()
        for tensor in body.state_dict().values()
    ]
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest()
