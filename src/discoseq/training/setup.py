"""From a configuration and treebanks to a model and its training examples."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch import Tensor, nn

from discoseq.batching.examples import Example, Vectors, make_examples
from discoseq.batching.sentence_batch import as_read
from discoseq.batching.subwords import WordSubwords
from discoseq.batching.vocabularies import Vocabularies
from discoseq.errors import ConfigError, ModelError, import_extra
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.linearization import DEFAULT_UNARY_LIMIT, Linearization, linearization, longest_unary_chain
from discoseq.model.directory import load_model
from discoseq.model.network import Heads, Model
from discoseq.model.pretrained.language_model import LanguageModel, Pretrained, embed
from discoseq.model.pretrained.loading import check_pretrained, load_pretrained
from discoseq.model.pretrained.lora import add_adapters
from discoseq.model.pretrained.presets import default_output
from discoseq.model.pretrained.trimming import trim_vocabulary
from discoseq.model.settings import ModelSettings, check_settings, differing_setting
from discoseq.text.tokenization import LANGUAGES
from discoseq.training.augmentation import SubstructureSubstitution
from discoseq.training.config import Config
from discoseq.training.data import TrainingData, check_data_settings
from discoseq.training.events import Embedding, Noted, Stage
from discoseq.training.vector_cache import is_loaded, load_frozen_encoder
from discoseq.trees.tree import Tree

MAX_ACTIONS = 1024  # longer sequences are left out of training, as in the authors' code
_REPLAYED_TREES = 2048  # between two reports
_STANDARDIZED_SENTENCES = 500  # from which the mean and the deviation of vectors are estimated
_AUGMENTATION_RATE = 0.25  # how often a constituent is replaced in an augmented tree


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What training begins with."""

    model: Model
    examples: list[Example]
    too_long: int  # trees whose action sequences are too long
    unknown: int  # trees with actions that the model to initialise from does not have
    dev_vectors: Sequence[Vectors] | None  # of a frozen language model
    silver: list[Example]


def check_config(config: Config) -> None:
    """Raise an error for everything that would stop the run later and can be known before the treebanks are read."""
    check_run_settings(config)
    start = _load_start(config, complete_settings(config.model)) if config.training.initialise_from else None
    if config.training.vocabularies_from:
        _load_with_linearization(config.training.vocabularies_from, config)
    check_language_model(config, start)


def check_run_settings(config: Config) -> None:
    """The part of `check_config` that reads no files."""
    check_data_settings(config.data)
    if config.training.batch_order == "words" and config.data.silver:
        raise ConfigError('training.batch_order = "words" can\'t be used with data.silver: use "length"')
    if config.training.dev_rules == "evalb" and linearization(config.linearization).reordering.can_reorder:
        raise ConfigError(f"training.dev_rules is evalb, but {config.linearization} makes discontinuous trees")
    if config.language and config.language not in LANGUAGES:
        raise ConfigError(f"language is {config.language!r}; choose one of {', '.join(LANGUAGES)}, or leave it empty")
    if config.training.vocabularies_from and config.training.initialise_from:
        raise ConfigError("set training.vocabularies_from or training.initialise_from, which has vocabularies, too")
    is_named = config.training.pretrained_training == "frozen" and not config.training.pretrained_stored
    if config.model.pretrained_bfloat16 and not is_named:
        raise ConfigError("model.pretrained_bfloat16 is for a frozen language model that is not stored with the model")
    try:
        check_settings(complete_settings(config.model))
    except ModelError as error:
        raise ConfigError(f"in the table model, {error}") from None


def check_language_model(config: Config, start: Model | None = None) -> None:
    """The part of `check_config` that is about the language model."""
    settings, how = complete_settings(config.model), config.training.pretrained_training
    if settings.pretrained:
        is_in_start = how != "frozen" and _contained_language_model(start) is not None
        if not is_in_start and not is_loaded(settings):
            check_pretrained(settings.pretrained, settings.pretrained_layers)
        if how == "lora":
            import_extra("peft", "lora", "LoRA")


def set_up(config: Config, data: TrainingData) -> Generator[Embedding | Noted | Stage, None, Setup]:
    """Build the model, and everything that is the same in all epochs."""
    system = linearization(config.linearization)
    yield Stage(f"counting the words and actions of {len(data.train):,} trees")
    vocabularies = Vocabularies.of(data.train, system, config.model.min_word_count)
    if config.data.augmented:
        data = yield from _augment(config, data)
        # words are counted in the treebank itself, but an augmented tree may need new actions
        actions = ActionVocabulary.of(system, map(system.linearize, data.train))
        vocabularies = replace(vocabularies, actions=actions)
    settings = complete_settings(config.model)
    unary_limit = _unary_limit(data.train)
    start, trees = None, len(data.train)
    if config.training.initialise_from:
        start = _load_start(config, settings)
        vocabularies = replace(start.vocabularies, subwords=None)
        data = _within(data, system, vocabularies.actions)
    elif config.training.vocabularies_from:
        other = _load_with_linearization(config.training.vocabularies_from, config)
        vocabularies, unary_limit = replace(other.vocabularies, subwords=None), other.machine.unary_limit
        data = _within(data, system, vocabularies.actions)
    if data.silver:
        data = yield from _known_silver(data, system, vocabularies.actions)
    heads = Heads(tags=config.training.tag_weight > 0, ancestors=config.training.ancestor_weight > 0)
    sentences, silver_sentences = ([as_read(tree.words) for tree in trees] for trees in (data.train, data.silver))
    train_vectors = dev_vectors = silver_vectors = subwords = silver_subwords = pretrained = body = None
    if settings.pretrained:
        if config.training.pretrained_training == "frozen":
            # its vectors are computed once, and it is no part of the network that is trained
            frozen = load_frozen_encoder(settings)
            pretrained = frozen.pretrained
            train_vectors = yield from frozen.vectors(sentences)
            dev_vectors = yield from frozen.vectors([tree.words for tree in data.dev])
            if data.silver:
                silver_vectors = yield from frozen.vectors(silver_sentences)
        else:
            pretrained, body = _language_model_to_train(settings, vocabularies, start)
            subwords, silver_subwords = map(pretrained.tokenizer.split, (sentences, silver_sentences))
    constraints = config.search.constraints
    model = Model.create(
        settings, vocabularies, config.linearization, heads, unary_limit, pretrained, body, constraints=constraints
    )
    if start is not None:
        _copy_weights(start, model, config.training.initialise_from)
    elif model.network.features.standardize is not None:
        sample = _sample(model, sentences[:_STANDARDIZED_SENTENCES], train_vectors)
        model.network.features.standardize.fit(sample)
    if model.network.features.language_model is not None:
        _choose_trained_parts(model.network.features.language_model, config)
    examples = yield from _examples(model, data.train, train_vectors, subwords, "gold")
    is_kept = [len(example.actions) <= MAX_ACTIONS for example in examples]
    kept = chain.from_iterable([x] * n for x, n, kept in zip(examples, data.repeats, is_kept, strict=True) if kept)
    made = yield from _examples(model, data.silver, silver_vectors, silver_subwords, "silver")
    silver = [replace(example, weight=weight) for example, weight in zip(made, data.weights, strict=True)]
    return Setup(model, list(kept), is_kept.count(False), trees - len(data.train), dev_vectors, silver)


def store_language_model(model: Model) -> Model:
    """The same model with the frozen language model that it was trained with, its vocabulary trimmed to the treebank's
    characters; a model that has its language model in it, or none at all, is returned as it is.
    """
    if model.pretrained is None or model.network.features.language_model is not None:
        return model
    pretrained, body = _load_pretrained(model.settings)
    pretrained, body = trim_vocabulary(pretrained, body, model.vocabularies.characters.names)
    name, limit, constraints = model.machine.linearization.name, model.machine.unary_limit, model.machine.constraints
    whole = Model.create(
        model.settings, model.vocabularies, name, model.heads, limit, pretrained, body, constraints=constraints
    )
    whole.network.load_state_dict(model.network.state_dict(), strict=False)  # these lack the language model's
    return whole


def _examples(
    model: Model,
    trees: Sequence[Tree],
    vectors: Sequence[Vectors] | None,
    subwords: Sequence[WordSubwords] | None,
    kind: str,
) -> Generator[Stage, None, list[Example]]:
    name, examples = f"replaying the {kind} actions of {len(trees):,} trees", list[Example]()
    for start in range(0, len(trees), _REPLAYED_TREES):
        yield Stage(name, start, len(trees))
        part = slice(start, start + _REPLAYED_TREES)
        chosen_vectors, chosen_subwords = vectors and vectors[part], subwords and subwords[part]
        examples += make_examples(model.machine, trees[part], chosen_vectors, chosen_subwords)
    return examples


def _augment(config: Config, data: TrainingData) -> Generator[Stage, None, TrainingData]:
    substitution, random = SubstructureSubstitution(data.train, _AUGMENTATION_RATE), Random(config.training.seed)
    trees, copies = list[Tree](), config.data.augmented
    for copy in range(copies):
        yield Stage("augmenting the training trees", copy, copies)
        trees += [substitution.augment(tree, random) for tree in data.train]
    return replace(data, train=[*data.train, *trees], repeats=[*data.repeats, *[1] * len(trees)])


def complete_settings(settings: ModelSettings) -> ModelSettings:
    """With the preset's layers, and with an absolute path if the language model is a directory or a file."""
    if not settings.pretrained:
        return settings
    layers = settings.pretrained_layers or default_output(settings.pretrained)
    path = Path(settings.pretrained)
    return replace(
        settings, pretrained=str(path.resolve()) if path.exists() else settings.pretrained, pretrained_layers=layers
    )


def _load_pretrained(settings: ModelSettings) -> tuple[Pretrained, nn.Module]:
    return load_pretrained(settings.pretrained, settings.pretrained_layers, settings.pretrained_first_space)


def _unary_limit(trees: Sequence[Tree]) -> int:
    """The longest unary chain that the machine must build: a lower limit would make a gold action impossible."""
    return max(chain((DEFAULT_UNARY_LIMIT,), (longest_unary_chain(tree.root) for tree in trees)))


def _load_start(config: Config, settings: ModelSettings) -> Model:
    """The model to initialise from, which must have the settings of the configuration."""
    directory = config.training.initialise_from
    model = _load_with_linearization(directory, config)
    key = differing_setting(model.settings, settings)
    if key:
        found, wanted = (getattr(each, key) for each in (model.settings, settings))
        raise ConfigError(f"{directory}: this model has model.{key} = {found!r}, not {wanted!r}")
    return model


def _load_with_linearization(directory: str, config: Config) -> Model:
    model = load_model(directory)
    name = model.machine.linearization.name
    if name != config.linearization:
        raise ConfigError(f"{directory}: this model's linearization is {name}, not {config.linearization}")
    return model


def _within(data: TrainingData, system: Linearization, vocabulary: ActionVocabulary) -> TrainingData:
    """Without the training trees that need actions which the vocabulary does not have."""
    is_known = [all(action in vocabulary for action in system.linearize(tree)) for tree in data.train]
    if not any(is_known):
        raise ConfigError("the model whose vocabularies are used has the actions of none of the training trees")
    return replace(
        data,
        train=[tree for tree, known in zip(data.train, is_known, strict=True) if known],
        repeats=[times for times, known in zip(data.repeats, is_known, strict=True) if known],
    )


def _known_silver(
    data: TrainingData, system: Linearization, vocabulary: ActionVocabulary
) -> Generator[Noted, None, TrainingData]:
    """Without the silver trees that need actions which the gold trees do not have, or too many of them."""
    sequences = (system.linearize(tree) for tree in data.silver)
    is_known = [len(x) <= MAX_ACTIONS and all(action in vocabulary for action in x) for x in sequences]
    if not any(is_known):
        raise ConfigError("data.silver: the gold trees have the actions of none of the silver trees")
    if not all(is_known):
        yield Noted(
            f"left out {is_known.count(False):,} of {len(is_known):,} silver trees: the gold trees do not have their "
            "actions, or they are too long"
        )
    kept = [pair for pair, known in zip(zip(data.silver, data.weights, strict=True), is_known, strict=True) if known]
    return replace(data, silver=[tree for tree, _ in kept], weights=[weight for _, weight in kept])


def _copy_weights(start: Model, model: Model, directory: str) -> None:
    """Initialise a model from another one; a frozen language model has no weights to copy."""
    found = start.network.state_dict()
    wanted = model.network.state_dict()
    for name, tensor in wanted.items():
        if name not in found or found[name].shape != tensor.shape:
            raise ConfigError(f"{directory}: this model's {name} does not fit the configuration")
    model.network.load_state_dict({name: found[name] for name in wanted})


def _language_model_to_train(
    settings: ModelSettings, vocabularies: Vocabularies, start: Model | None
) -> tuple[Pretrained, nn.Module]:
    """That of the model to initialise from, if it contains one; otherwise the one of the settings, trimmed."""
    contained = _contained_language_model(start)
    if contained is not None:
        return contained
    pretrained, body = _load_pretrained(settings)
    return trim_vocabulary(pretrained, body, vocabularies.characters.names)


def _contained_language_model(model: Model | None) -> tuple[Pretrained, nn.Module] | None:
    """The language model that is part of a model, which may have none, or only name one."""
    if model is None or model.pretrained is None or model.network.features.language_model is None:
        return None
    return model.pretrained, model.network.features.language_model.body


def _sample(model: Model, sentences: Sequence[Sequence[str]], vectors: Sequence[Vectors] | None) -> Tensor:
    """The vectors (words, width) of the first sentences, computed if they are not given."""
    language_model, pretrained = model.network.features.language_model, model.pretrained
    if language_model is None or pretrained is None:
        found = [] if vectors is None else list(vectors[: len(sentences)])
    else:
        batches = embed(language_model, pretrained.tokenizer, sentences)
        found = [array for _, arrays in batches for array in arrays]
    return torch.from_numpy(np.concatenate(found).astype(np.float32))


def _choose_trained_parts(language_model: LanguageModel, config: Config) -> None:
    """Train adapters, or all layers that are used; embeddings stay frozen, so that rare subwords fit frequent ones."""
    if config.training.pretrained_training == "lora":
        add_adapters(language_model.body)
    else:
        for module in language_model.modules():
            if isinstance(module, nn.Embedding):
                module.requires_grad_(False)
    for block in language_model.unused_blocks():
        block.requires_grad_(False)
