"""Trees as training examples: the gold actions, and what the decoder sees of stack and buffer before each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from discoseq.batching.sentence_batch import Sentences, encode_sentences
from discoseq.batching.state_features import FRONT_WITH_NEXT, LABELS, Views, front_of, labels_of
from discoseq.batching.subwords import WordSubwords
from discoseq.batching.vocabularies import PAD, Vocabularies, spines_of
from discoseq.linearization.action_vocabulary import PAD_INDEX
from discoseq.linearization.machine import Machine, states_before
from discoseq.linearization.state import NO_WORD
from discoseq.trees.tree import Token, Tree

_ROWS = 256  # replayed at once: a step of the machine costs little more for many rows than for one

Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Of one sequence; about a kilobyte for a sentence of twenty words."""

    stack: Bits  # (steps, words / 8) where a bit is set, the word stands for an element of the stack
    buffer: Bits  # (steps, words / 8)
    allowed: Bits  # (steps, actions / 8) the valid actions, and the one that is taken
    front: NDArray[np.int16]  # (steps, 8) as in Views
    labels: NDArray[np.int16]  # (steps, 6) likewise


def record_all(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[Record]:
    """The records of sequences (numbers of actions) over sentences of so many words, like lengths together."""
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    records: dict[int, Record] = {}
    for start in range(0, len(order), _ROWS):
        chosen = order[start : start + _ROWS]
        found = _record(machine, [lengths[i] for i in chosen], [sequences[i] for i in chosen])
        records.update(zip(chosen, found, strict=True))
    return [records[i] for i in range(len(sequences))]


def _record(machine: Machine, lengths: Sequence[int], sequences: Sequence[Sequence[int]]) -> list[Record]:
    actions = np.full((len(sequences), max(map(len, sequences))), PAD_INDEX, dtype=np.int32)
    for row, sequence in enumerate(sequences):
        actions[row, : len(sequence)] = sequence
    stacks, buffers, allowed, fronts, labels = [], [], [], [], []
    for state, column in zip(states_before(machine, lengths, actions), actions.T, strict=True):
        mask = machine.action_mask(state)
        # a unary chain over the machine's limit can't be reached in search, but it is no reason for infinite loss
        mask[np.arange(len(mask)), column] = True
        stacks.append(np.packbits(state.stack_mask(), axis=1))
        buffers.append(np.packbits(state.buffer_mask(), axis=1))
        allowed.append(np.packbits(mask, axis=1))
        fronts.append(front_of(state).astype(np.int16))
        labels.append(labels_of(state).astype(np.int16))
    stack, buffer, may = (np.stack(part, axis=1) for part in (stacks, buffers, allowed))  # all (rows, steps, ...)
    front, label = (np.stack(part, axis=1) for part in (fronts, labels))
    return [
        Record(stack[row, :end], buffer[row, :end], may[row, :end], front[row, :end], label[row, :end])
        for row, end in enumerate(map(len, sequences))
    ]


Vectors: TypeAlias = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A tree, linearized and replayed once; everything else is made when a batch is."""

    tree: Tree
    actions: tuple[int, ...]  # numbers of the action vocabulary
    record: Record
    spines: tuple[str, ...]  # see spines.py
    vectors: Vectors | None = None  # (words, width) of a language model, made beforehand
    pieces: WordSubwords | None = None  # of a language model that is part of the network

    @property
    def cost(self) -> int:
        """What it takes of a batch's budget: the longer of sentence and sequence, as fairseq counts."""
        return max(len(self.tree.tokens), len(self.actions))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sentences with their gold sequences. At step t the decoder is given action t - 1 and is to say action t."""

    sentences: Sentences
    given: Tensor  # (batch, steps) the action before, PAD before the first
    targets: Tensor  # (batch, steps) PAD after the last
    views: Views
    is_allowed: Tensor  # (batch, steps, actions) the valid ones, and the target itself
    tags: Tensor  # (batch, words) PAD where there is none
    spines: Tensor  # (batch, words) likewise

    def to(self, device: torch.device) -> Batch:
        """The same on another device."""
        given, targets, is_allowed, tags, spines = (
            tensor.to(device) for tensor in (self.given, self.targets, self.is_allowed, self.tags, self.spines)
        )
        return Batch(self.sentences.to(device), given, targets, self.views.to(device), is_allowed, tags, spines)

    @property
    def target_count(self) -> int:
        """The number of actions to be said, padding aside."""
        return int((self.targets != PAD_INDEX).sum())


def make_examples(
    machine: Machine,
    trees: Sequence[Tree],
    vectors: Sequence[Vectors] | None = None,
    pieces: Sequence[WordSubwords] | None = None,
) -> list[Example]:
    """Linearize every tree, and replay its actions."""
    linearize, encode = machine.linearization.linearize, machine.vocabulary.encode
    sequences = [tuple(encode(linearize(tree))) for tree in trees]
    records = record_all(machine, [len(tree.tokens) for tree in trees], sequences)
    spines = [tuple(spines_of(tree)) for tree in trees]
    nothing = [None] * len(trees)
    given = (nothing if vectors is None else vectors, nothing if pieces is None else pieces)
    return [Example(*parts) for parts in zip(trees, sequences, records, spines, *given, strict=True)]


def make_batch(vocabularies: Vocabularies, machine: Machine, examples: Sequence[Example]) -> Batch:
    """Pad the examples to one size."""
    pieces = [example.pieces for example in examples if example.pieces is not None]
    sentences = encode_sentences(vocabularies, [example.tree.words for example in examples], pieces or None)
    vectors = [example.vectors for example in examples if example.vectors is not None]
    if vectors:
        sentences = sentences.with_vectors(vectors)
    rows, words = sentences.words.shape
    steps, actions = max(len(example.actions) for example in examples), len(machine.vocabulary)
    targets = np.full((rows, steps), PAD_INDEX, dtype=np.int64)
    tags, spines = np.full((2, rows, words), PAD, dtype=np.int64)
    stack, buffer = np.zeros((2, rows, steps, words), dtype=np.bool_)
    front = np.full((rows, steps, FRONT_WITH_NEXT), NO_WORD, dtype=np.int64)
    labels = np.zeros((rows, steps, LABELS), dtype=np.int64)
    is_allowed = np.zeros((rows, steps, actions), dtype=np.bool_)
    for row, example in enumerate(examples):
        tokens, record, end = example.tree.tokens, example.record, len(example.actions)
        targets[row, :end] = example.actions
        tags[row, : len(tokens)] = _tag_numbers(vocabularies, tokens)
        spines[row, : len(tokens)] = vocabularies.spines.encode(example.spines)
        stack[row, :end, : len(tokens)] = np.unpackbits(record.stack, axis=1, count=len(tokens))
        buffer[row, :end, : len(tokens)] = np.unpackbits(record.buffer, axis=1, count=len(tokens))
        front[row, :end] = record.front
        labels[row, :end] = record.labels
        is_allowed[row, :end] = np.unpackbits(record.allowed, axis=1, count=actions)
        is_allowed[row, end:, PAD_INDEX] = True
    given = np.concatenate([np.full((rows, 1), PAD_INDEX), targets[:, :-1]], axis=1)
    return Batch(
        sentences,
        torch.from_numpy(given),
        torch.from_numpy(targets),
        Views(*map(torch.from_numpy, (stack, buffer, front, labels))),
        torch.from_numpy(is_allowed),
        torch.from_numpy(tags),
        torch.from_numpy(spines),
    )


def _tag_numbers(vocabularies: Vocabularies, tokens: Sequence[Token]) -> list[int]:
    numbers = vocabularies.tags.encode([token.tag or "" for token in tokens])
    return [number if token.tag else PAD for number, token in zip(numbers, tokens, strict=True)]
