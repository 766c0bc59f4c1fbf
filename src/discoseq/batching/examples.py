"""Trees as training examples: the gold actions, and what the decoder sees of stack and buffer before each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.batching.sentence_batch import SentenceBatch, encode_sentences
from discoseq.batching.state_features import LABELS, WORDS, StateFeatures, StateMasks, feature_labels, feature_words
from discoseq.batching.subwords import WordSubwords
from discoseq.batching.vocabularies import PAD, Vocabularies, ancestor_labels
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.machine import Machine, states_before
from discoseq.linearizations.state import NO_WORD
from discoseq.trees.tree import Token, Tree

Bits: TypeAlias = NDArray[np.uint8]
Vectors: TypeAlias = NDArray[np.floating[Any]]

_REPLAYED_ROWS = 256  # a step of the machine costs little more for many rows than for one


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedStates:
    """The parser state before each gold action, as bits: about a kilobyte for a sentence of twenty words."""

    stack: Bits  # (steps, words / 8) the stack mask
    buffer: Bits  # (steps, words / 8) the buffer mask
    allowed: Bits  # (steps, actions / 8) the allowed actions, and the gold one
    words: NDArray[np.int16]  # (steps, 8) the feature words
    labels: NDArray[np.int16]  # (steps, 6) the feature labels


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A tree, linearized and replayed once; everything else is computed when a batch is made."""

    tree: Tree
    actions: tuple[int, ...]  # numbers of the action vocabulary
    replay: ReplayedStates
    ancestors: tuple[str, ...]  # see `ancestor_labels`
    vectors: Vectors | None = None  # (words, width) of a language model, precomputed
    subwords: WordSubwords | None = None  # of a language model that is part of the network
    weight: float = 1.0  # of its loss

    @property
    def cost(self) -> int:
        """Its share of a batch's budget: the longer of sentence and sequence, as fairseq counts."""
        return max(len(self.tree.tokens), len(self.actions))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sentences with their gold actions. At step t the decoder reads action t - 1 and predicts action t."""

    sentences: SentenceBatch
    previous: Tensor  # (batch, steps) the previous action, PAD before the first
    targets: Tensor  # (batch, steps) PAD after the last
    masks: StateMasks
    features: StateFeatures
    is_allowed: Tensor  # (batch, steps, actions) the allowed actions, and the target itself
    tags: Tensor  # (batch, words) PAD where there is none
    ancestors: Tensor  # (batch, words) PAD after the last word
    weights: Tensor | None  # (batch,) of the losses; None if all are 1

    def to(self, device: torch.device) -> Batch:
        """The same on another device."""
        return Batch(
            self.sentences.to(device),
            self.previous.to(device),
            self.targets.to(device),
            self.masks.to(device),
            self.features.to(device),
            self.is_allowed.to(device),
            self.tags.to(device),
            self.ancestors.to(device),
            None if self.weights is None else self.weights.to(device),
        )

    @property
    def target_count(self) -> int:
        """The number of targets without padding."""
        return int((self.targets != PAD_INDEX).sum())


def make_examples(
    machine: Machine,
    trees: Sequence[Tree],
    vectors: Sequence[Vectors] | None = None,
    subwords: Sequence[WordSubwords] | None = None,
) -> list[Example]:
    """Linearize every tree and replay its actions."""
    linearize, encode = machine.linearization.linearize, machine.vocabulary.encode
    sequences = [tuple(encode(linearize(tree))) for tree in trees]
    replays = _replay_all(machine, [len(tree.tokens) for tree in trees], sequences)
    ancestors = [tuple(ancestor_labels(tree)) for tree in trees]
    nothing = [None] * len(trees)
    inputs = (nothing if vectors is None else vectors, nothing if subwords is None else subwords)
    return [Example(*parts) for parts in zip(trees, sequences, replays, ancestors, *inputs, strict=True)]


def make_batch(vocabularies: Vocabularies, machine: Machine, examples: Sequence[Example]) -> Batch:
    """Pad the examples to one size."""
    subwords = [example.subwords for example in examples if example.subwords is not None]
    sentences = encode_sentences(vocabularies, [example.tree.words for example in examples], subwords or None)
    vectors = [example.vectors for example in examples if example.vectors is not None]
    if vectors:
        sentences = sentences.with_vectors(vectors)
    rows, words = sentences.words.shape
    steps, actions = max(len(example.actions) for example in examples), len(machine.vocabulary)
    targets = np.full((rows, steps), PAD_INDEX, dtype=np.int64)
    tags, ancestors = np.full((2, rows, words), PAD, dtype=np.int64)
    stack, buffer = np.zeros((2, rows, steps, words), dtype=np.bool_)
    state_words = np.full((rows, steps, WORDS), NO_WORD, dtype=np.int64)
    state_labels = np.zeros((rows, steps, LABELS), dtype=np.int64)
    is_allowed = np.zeros((rows, steps, actions), dtype=np.bool_)
    for row, example in enumerate(examples):
        tokens, replay, end = example.tree.tokens, example.replay, len(example.actions)
        targets[row, :end] = example.actions
        tags[row, : len(tokens)] = _tag_numbers(vocabularies, tokens)
        ancestors[row, : len(tokens)] = vocabularies.ancestors.encode(example.ancestors)
        stack[row, :end, : len(tokens)] = np.unpackbits(replay.stack, axis=1, count=len(tokens))
        buffer[row, :end, : len(tokens)] = np.unpackbits(replay.buffer, axis=1, count=len(tokens))
        state_words[row, :end] = replay.words
        state_labels[row, :end] = replay.labels
        is_allowed[row, :end] = np.unpackbits(replay.allowed, axis=1, count=actions)
        is_allowed[row, end:, PAD_INDEX] = True
    weights = [example.weight for example in examples]
    previous = np.concatenate([np.full((rows, 1), PAD_INDEX), targets[:, :-1]], axis=1)
    return Batch(
        sentences,
        torch.from_numpy(previous),
        torch.from_numpy(targets),
        StateMasks(torch.from_numpy(stack), torch.from_numpy(buffer)),
        StateFeatures(torch.from_numpy(state_words), torch.from_numpy(state_labels)),
        torch.from_numpy(is_allowed),
        torch.from_numpy(tags),
        torch.from_numpy(ancestors),
        torch.tensor(weights) if any(weight != 1 for weight in weights) else None,
    )


def _replay_all(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[ReplayedStates]:
    """ReplayedStates sequences of actions over sentences of so many words, those of similar length together."""
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    replays: dict[int, ReplayedStates] = {}
    for start in range(0, len(order), _REPLAYED_ROWS):
        chosen = order[start : start + _REPLAYED_ROWS]
        found = _replay(machine, [lengths[i] for i in chosen], [sequences[i] for i in chosen])
        replays.update(zip(chosen, found, strict=True))
    return [replays[i] for i in range(len(sequences))]


def _replay(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[ReplayedStates]:
    actions = np.full((len(sequences), max(map(len, sequences))), PAD_INDEX, dtype=np.int32)
    for row, sequence in enumerate(sequences):
        actions[row, : len(sequence)] = sequence
    parts: tuple[list[NDArray[Any]], ...] = ([], [], [], [], [])  # the fields of ReplayedStates, step by step
    for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
        mask = machine.action_mask(state)
        # search can't reach a unary chain over the machine's limit, but its loss must not be infinite
        mask[np.arange(len(mask)), column] = True
        bits = [np.packbits(x, axis=1) for x in (state.stack_mask(), state.buffer_mask(), mask)]
        numbers = [x.astype(np.int16) for x in (feature_words(state), feature_labels(state))]
        step: list[NDArray[Any]] = [*bits, *numbers]
        for part, array in zip(parts, step, strict=True):
            part.append(array)
    arrays = [np.stack(part, axis=1) for part in parts]  # (rows, steps, ...)
    return [ReplayedStates(*(array[row, :end] for array in arrays)) for row, end in enumerate(map(len, sequences))]


def _tag_numbers(vocabularies: Vocabularies, tokens: Sequence[Token]) -> list[int]:
    numbers = vocabularies.tags.encode([token.tag or "" for token in tokens])
    return [number if token.tag else PAD for number, token in zip(numbers, tokens, strict=True)]
