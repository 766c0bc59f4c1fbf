"""Parsing many sentences: batches of like length, search, and the results in the order of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from discoseq.batching.sentences import encode_sentences
from discoseq.model.bundle import Model
from discoseq.model.errors import ModelError
from discoseq.model.scorer import NetworkScorer
from discoseq.search.beam import search
from discoseq.trees.tree import Token, Tree


@torch.inference_mode()
def parse_sentences(
    model: Model,
    sentences: Sequence[Sequence[Token]],
    beam_size: int = 1,
    batch_words: int = 4000,
    vectors: Sequence[NDArray[np.floating[Any]]] | None = None,
) -> list[Tree]:
    """A tree for every sentence; none may be empty. `batch_words` bounds words times beam, padding included.

    For a model that reads them, `vectors` has those of a language model for every sentence (words, width).
    """
    if beam_size < 1:
        raise ModelError(f"a beam of {beam_size} holds nothing; the least is 1")
    for number, sentence in enumerate(sentences, 1):
        if not sentence:
            raise ModelError(f"sentence {number} has no words")
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    trees: dict[int, Tree] = {}
    with _evaluating(model.network):
        for batch in _batches([len(sentences[i]) for i in order], max(1, batch_words // beam_size)):
            chosen = [order[position] for position in batch]
            words = [[token.word for token in sentences[i]] for i in chosen]
            encoded = encode_sentences(model.vocabularies, words)
            if vectors is not None:
                encoded = encoded.with_vectors([vectors[i] for i in chosen])
            scorer = NetworkScorer(model.network, encoded)
            hypotheses = search(model.machine, scorer, [len(sentence) for sentence in words], beam_size)
            for i, hypothesis in zip(chosen, hypotheses, strict=True):
                actions = model.vocabularies.actions.decode(hypothesis.actions)
                trees[i] = model.machine.linearization.build(sentences[i], actions)
    return [trees[i] for i in range(len(sentences))]


@contextmanager
def _evaluating(network: nn.Module) -> Iterator[None]:
    """No dropout inside; after it, whatever was before."""
    was_training = network.training
    network.eval()
    try:
        yield
    finally:
        network.train(was_training)


def _batches(lengths: Sequence[int], budget: int) -> list[range]:
    """Runs of rising lengths, each at most the budget when padded to its last."""
    batches = []
    start = 0
    for end in range(1, len(lengths) + 1):
        if end == len(lengths) or lengths[end] * (end - start + 1) > budget:
            batches.append(range(start, end))
            start = end
    return batches
