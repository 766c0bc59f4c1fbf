"""Getting a language model by the name that a setting gives it."""

from __future__ import annotations

import torch
from torch import nn

from discoseq.model.pretrained.description import Pretrained
from discoseq.model.pretrained.hub import load_hugging_face
from discoseq.model.pretrained.presets import PRESETS
from discoseq.model.pretrained.universal import UNIVERSAL
from discoseq.model.pretrained.universal_files import load_universal


def default_output(name: str) -> str:
    """The choice of layers where none is made."""
    return PRESETS[name].output if name in PRESETS else "last"


def load_pretrained(name: str, output: str) -> tuple[Pretrained, nn.Module]:
    """The description and the weights of a language model, up to the highest layer that is used."""
    # some loaders fill a model with random numbers first, which must not change those that a run draws after it
    with torch.random.fork_rng():
        return load_universal() if name == UNIVERSAL else load_hugging_face(name, output)
