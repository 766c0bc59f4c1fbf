"""Parsing many sentences: batches of like length, search, and the results in the order of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from discoseq.batching.batches import batches_of_like_length
from discoseq.batching.sentence_batch import encode_in_parts
from discoseq.decoding.evaluating import evaluating
from discoseq.errors import ModelError
from discoseq.model.bundle import Model
from discoseq.model.scorer import NetworkScorer
from discoseq.model.workspace import Workspace
from discoseq.search.bounded import bounded_search
from discoseq.search.hypothesis import Hypothesis
from discoseq.search.options import DEFAULT_OPTIONS, SearchOptions
from discoseq.trees.tree import Token, Tree

BATCH_WORDS = 8000
Vectors = Sequence[NDArray[np.floating[Any]]]


@dataclass(frozen=True, slots=True)
class Parse:
    """A tree and how probable the model finds it."""

    tree: Tree
    score: float  # by which the parses of a sentence are ordered
    log_probability: float
    step_log_probabilities: tuple[float, ...]  # for each action
    actions: tuple[int, ...]  # numbers of the model's action vocabulary


def parse_sentences(
    model: Model,
    sentences: Sequence[Sequence[Token]],
    beam_size: int = 1,
    batch_words: int = BATCH_WORDS,
    vectors: Vectors | None = None,
) -> list[Tree]:
    """The best tree for every sentence; the rest is as in `search_sentences`."""
    found = search_sentences(model, sentences, SearchOptions(beam_size), batch_words, vectors)
    return [parses[0].tree for parses in found]


@torch.inference_mode()
def search_sentences(
    model: Model,
    sentences: Sequence[Sequence[Token]],
    options: SearchOptions = DEFAULT_OPTIONS,
    batch_words: int = BATCH_WORDS,
    vectors: Vectors | None = None,
) -> list[list[Parse]]:
    """For every sentence its best parses, best first; at least one, at most `options.nbest`, all different trees.

    No sentence may be empty. `batch_words` bounds words, padding included, times the hypotheses that they usually have:
    a sentence that would be too long if it had a whole beam gets a smaller one. For a model that reads them, `vectors`
    has those of a language model for every sentence (words, width).
    """
    for number, sentence in enumerate(sentences, 1):
        if not sentence:
            raise ModelError(f"sentence {number} has no words")
    found: dict[int, list[Parse]] = {}
    workspace = Workspace()
    with evaluating(model.network):
        for suited, chosen in suited_batches(options, [len(x) for x in sentences], batch_words):
            words = [[token.word for token in sentences[i]] for i in chosen]
            given = None if vectors is None else [vectors[i] for i in chosen]
            scorer = NetworkScorer(model.network, encode_in_parts(model.vocabularies, words, given), workspace)
            lengths = [len(sentence) for sentence in words]
            results = bounded_search(model.machine, scorer, lengths, suited, batch_words)
            for i, hypotheses in zip(chosen, results, strict=True):
                found[i] = [_parse(model, sentences[i], hypothesis) for hypothesis in hypotheses]
    return [found[i] for i in range(len(sentences))]


def suited_batches(
    options: SearchOptions, lengths: Sequence[int], batch_words: int
) -> Iterator[tuple[SearchOptions, list[int]]]:
    """Numbers of sentences of like length that are searched together, and how."""
    for suited, group in options.by_length(lengths):
        for batch in batches_of_like_length([lengths[i] for i in group], batch_words // suited.first_rows):
            yield suited, [group[position] for position in batch]


def _parse(model: Model, tokens: Sequence[Token], hypothesis: Hypothesis) -> Parse:
    tree = model.machine.linearization.build(tokens, model.vocabularies.actions.decode(hypothesis.actions))
    return Parse(
        tree, hypothesis.score, hypothesis.log_probability, hypothesis.step_log_probabilities, hypothesis.actions
    )
