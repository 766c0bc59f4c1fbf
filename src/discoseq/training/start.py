"""Going on from a finished model instead of random weights: with more epochs, or on another treebank."""

from __future__ import annotations

from dataclasses import asdict, replace

from discoseq.errors import ConfigError
from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.linearization import Linearization
from discoseq.model.bundle import Model
from discoseq.model.directory import load_model
from discoseq.model.settings import ModelSettings
from discoseq.training.data import TrainingData
from discoseq.training.settings import Config

# what may be chosen anew, as the weights mean the same with it
_FREE = ("dropout", "word_dropout", "min_word_count", "unary_limit")


def load_start(config: Config, settings: ModelSettings) -> Model:
    """The model that `training.start` names; it must be what the configuration describes."""
    place = config.training.start
    model = load_model(place)
    name = model.machine.linearization.name
    if name != config.linearization:
        raise ConfigError(f"{place}: this model's linearization is {name}, not {config.linearization}")
    wanted = asdict(settings)
    for key, value in asdict(model.settings).items():
        if key not in _FREE and value != wanted[key]:
            raise ConfigError(f"{place}: this model has model.{key} = {value!r}, and the configuration {wanted[key]!r}")
    return model


def within(data: TrainingData, system: Linearization, vocabulary: ActionVocabulary) -> TrainingData:
    """Without the training trees that need an action which the vocabulary does not have."""
    is_known = [all(action in vocabulary for action in system.linearize(tree)) for tree in data.train]
    if not any(is_known):
        raise ConfigError("the model of training.start has the actions of none of the training trees")
    vectors = data.train_vectors
    return replace(
        data,
        train=[tree for tree, known in zip(data.train, is_known, strict=True) if known],
        repeats=[times for times, known in zip(data.repeats, is_known, strict=True) if known],
        train_vectors=vectors and [x for x, known in zip(vectors, is_known, strict=True) if known],
    )


def take_weights(model: Model, start: Model, place: str) -> None:
    """Give a fresh model the weights of a finished one; an encoder that is no part of the network stays out."""
    found = start.network.state_dict()
    wanted = model.network.state_dict()
    for name, tensor in wanted.items():
        if name not in found or found[name].shape != tensor.shape:
            raise ConfigError(f"{place}: this model's {name} does not fit the configuration's network")
    model.network.load_state_dict({name: found[name] for name in wanted})
