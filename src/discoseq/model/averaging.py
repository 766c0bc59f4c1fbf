"""The average of the weights of several models, which is often better than each of them (Wortsman et al., 2022).

This holds for models of one origin: epochs of a run, or runs that were initialised from the same model. The average of
models that were trained apart is no better than random weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from discoseq.errors import ModelError
from discoseq.model.directory import load_model
from discoseq.model.network import Model
from discoseq.model.settings import differing_setting


def mean_weights(weights: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each weight, in its own type."""
    return {
        name: torch.stack([each[name].double() for each in weights]).mean(dim=0).to(tensor.dtype)
        for name, tensor in weights[0].items()
    }


def average_models(directories: Sequence[Path]) -> Model:
    """The first model, with the average of the weights of all; one that is named twice counts twice."""
    models = [load_model(directory) for directory in directories]
    first, *others = models
    for directory, other in zip(directories[1:], others, strict=True):
        difference = _difference(first, other)
        if difference:
            raise ModelError(f"{directory}: the weights can't be averaged with those of {directories[0]}: {difference}")
    first.network.load_state_dict(mean_weights([model.network.state_dict() for model in models]))
    return first


def _difference(one: Model, two: Model) -> str | None:
    names = [model.machine.linearization.name for model in (one, two)]
    if names[0] != names[1]:
        return f"the linearization is {names[1]} here and {names[0]} there"
    key = differing_setting(one.settings, two.settings)
    if key:
        return f"model.{key} is {getattr(two.settings, key)!r} here and {getattr(one.settings, key)!r} there"
    if one.vocabularies.as_dict() != two.vocabularies.as_dict():
        return "their vocabularies differ"
    shapes = [{name: x.shape for name, x in model.network.state_dict().items()} for model in (one, two)]
    return "their networks differ" if shapes[0] != shapes[1] else None
