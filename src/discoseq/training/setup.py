"""From a configuration and treebanks to a model that is ready to be trained, with what it is trained on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random

from discoseq.batching.examples import Example, Vectors, make_examples
from discoseq.batching.subwords import WordSubwords
from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.linearization import longest_unary_chain
from discoseq.linearization.registry import linearization
from discoseq.model.bundle import Model
from discoseq.model.pretrained.loading import fingerprint, load_pretrained
from discoseq.model.pretrained.presets import default_output
from discoseq.model.settings import ModelSettings
from discoseq.training.augmentation import SubstructureSubstitution
from discoseq.training.data import TrainingData
from discoseq.training.encoder import prepare_encoder
from discoseq.training.events import Embedding
from discoseq.training.settings import Config
from discoseq.training.start import load_start, take_weights, within
from discoseq.training.vector_cache import FrozenEncoder
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What training begins with."""

    model: Model
    examples: list[Example]
    left_out: int  # trees whose sequences are too long
    unknown: int  # trees with actions that the model to start from does not have
    dev_vectors: Sequence[Vectors] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Inputs:
    """A network, and what it reads beside the words themselves."""

    model: Model
    train_vectors: Sequence[Vectors] | None = None
    dev_vectors: Sequence[Vectors] | None = None
    train_pieces: Sequence[WordSubwords] | None = None


def set_up(config: Config, data: TrainingData) -> Generator[Embedding, None, Setup]:
    """Build the network, and everything that is the same in all epochs."""
    system = linearization(config.linearization)
    vocabularies = Vocabularies.of(data.train, system, config.model.min_word_count)
    if config.data.varied:
        data = _with_variations(config, data)
        # words are counted in the treebank itself, but a new tree may need an action that it does not
        actions = ActionVocabulary.of(system, map(system.linearize, data.train))
        vocabularies = replace(vocabularies, actions=actions)
    settings = _settings(config.model, data.train)
    trees = len(data.train)
    start = load_start(config, settings) if config.training.start else None
    if start is not None:
        vocabularies = replace(start.vocabularies, pieces=None)
        data = within(data, system, vocabularies.actions)
    inputs = yield from _inputs(config, settings, vocabularies, data)
    if start is not None:
        take_weights(inputs.model, start, config.training.start)
    if inputs.model.network.features.language_model is not None:
        prepare_encoder(inputs.model.network.features.language_model, config.training)
    everything = make_examples(inputs.model.machine, data.train, inputs.train_vectors, inputs.train_pieces)
    is_kept = [len(example.actions) <= config.data.longest for example in everything]
    kept = chain.from_iterable([x] * n for x, n, kept in zip(everything, data.repeats, is_kept, strict=True) if kept)
    return Setup(inputs.model, list(kept), is_kept.count(False), trees - len(data.train), inputs.dev_vectors)


def _with_variations(config: Config, data: TrainingData) -> TrainingData:
    substitution, random = SubstructureSubstitution(data.train, config.data.varied_rate), Random(config.training.seed)
    varied = [substitution.augment(tree, random) for _ in range(config.data.varied) for tree in data.train]
    return replace(data, train=[*data.train, *varied], repeats=[*data.repeats, *[1] * len(varied)])


def _inputs(
    config: Config, settings: ModelSettings, vocabularies: Vocabularies, data: TrainingData
) -> Generator[Embedding, None, _Inputs]:
    if not settings.encoder:
        model = Model.fresh(settings, vocabularies, config.linearization)
        return _Inputs(model, data.train_vectors, data.dev_vectors)
    if config.training.encoder_training == "frozen":
        return (yield from _with_frozen_encoder(config, settings, vocabularies, data))
    return _with_learning_encoder(config, settings, vocabularies, data)


def _with_frozen_encoder(
    config: Config, settings: ModelSettings, vocabularies: Vocabularies, data: TrainingData
) -> Generator[Embedding, None, _Inputs]:
    """The encoder gives its vectors and is let go: it is no part of the network that is trained."""
    pretrained, body = load_pretrained(settings.encoder, settings.encoder_output)
    pretrained = replace(pretrained, fingerprint=fingerprint(body))
    encoder = FrozenEncoder(pretrained, body, settings.encoder_output, config.training.vector_precision)
    train = yield from encoder.vectors([tree.words for tree in data.train])
    dev = yield from encoder.vectors([tree.words for tree in data.dev])
    return _Inputs(Model.fresh(settings, vocabularies, config.linearization, pretrained), train, dev)


def _with_learning_encoder(
    config: Config, settings: ModelSettings, vocabularies: Vocabularies, data: TrainingData
) -> _Inputs:
    pretrained, body = load_pretrained(settings.encoder, settings.encoder_output)
    model = Model.fresh(settings, vocabularies, config.linearization, pretrained, body)
    return _Inputs(model, train_pieces=pretrained.tokenizer.split([tree.words for tree in data.train]))


def _settings(settings: ModelSettings, trees: Sequence[Tree]) -> ModelSettings:
    """With what depends on the data: a chain longer than the machine builds would make a gold action impossible."""
    longest = max(chain((settings.unary_limit,), (longest_unary_chain(tree.root) for tree in trees)))
    output = settings.encoder_output or (default_output(settings.encoder) if settings.encoder else "")
    # a model that names a directory must find it from wherever it is used
    is_directory = settings.encoder and Path(settings.encoder).is_dir()
    encoder = str(Path(settings.encoder).resolve()) if is_directory else settings.encoder
    return replace(settings, unary_limit=longest, encoder=encoder, encoder_output=output)
