"""Sentences -> candidates, under one model or several as one, with tags where a model predicts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

import torch
from torch import Tensor

from discoseq.batching.sentence_batch import encode_in_parts
from discoseq.batching.vocabularies import UNKNOWN
from discoseq.decoding.evaluating import evaluating
from discoseq.decoding.parse import suited_batches
from discoseq.model.bundle import Model
from discoseq.model.scorer import NetworkScorer
from discoseq.model.workspace import Workspace
from discoseq.parser.candidates import EMPTY_TREE, Candidate, with_shares
from discoseq.search.bounded import bounded_search
from discoseq.search.ensemble import Ensemble
from discoseq.search.options import SearchOptions
from discoseq.search.scorer import RepeatableScorer
from discoseq.trees.tree import Token

_FIRST_TAG = UNKNOWN + 1  # what comes before it is padding and the unknown


@torch.inference_mode()
def decode(
    models: Sequence[Model], sentences: Sequence[Sequence[Token]], options: SearchOptions, batch_words: int
) -> list[list[Candidate]]:
    """For every sentence its candidates, best first; a sentence without words has a tree without words."""
    found = [[Candidate(EMPTY_TREE, 0.0, 1.0)] for _ in sentences]
    filled = [i for i, sentence in enumerate(sentences) if sentence]
    workspaces = [Workspace() for _ in models]
    with ExitStack() as stack:
        for model in models:
            stack.enter_context(evaluating(model.network))
        for suited, batch in suited_batches(options, [len(sentences[i]) for i in filled], batch_words):
            chosen = [filled[position] for position in batch]
            results = _decode(models, workspaces, [sentences[i] for i in chosen], suited, batch_words)
            for i, candidates in zip(chosen, results, strict=True):
                found[i] = candidates
    return found


def _decode(
    models: Sequence[Model],
    workspaces: Sequence[Workspace],
    sentences: Sequence[Sequence[Token]],
    options: SearchOptions,
    batch_words: int,
) -> Iterator[list[Candidate]]:
    """One batch; none of the sentences is empty."""
    scorers: list[RepeatableScorer] = []
    tagged = [tuple(sentence) for sentence in sentences]
    words = [[token.word for token in sentence] for sentence in sentences]
    for model, workspace in zip(models, workspaces, strict=True):
        scorer = NetworkScorer(model.network, encode_in_parts(model.vocabularies, words), workspace)
        tagged = _with_tags(model, scorer.encoded, tagged)
        scorers.append(scorer)
    first = models[0]
    together = scorers[0] if len(scorers) == 1 else Ensemble(scorers)
    results = bounded_search(first.machine, together, [len(sentence) for sentence in sentences], options, batch_words)
    for tokens, hypotheses in zip(tagged, results, strict=True):
        actions = [first.vocabularies.actions.decode(hypothesis.actions) for hypothesis in hypotheses]
        trees = [first.machine.linearization.build(tokens, sequence) for sequence in actions]
        yield with_shares([(tree, x.log_probability) for tree, x in zip(trees, hypotheses, strict=True)])


def _with_tags(model: Model, encoded: Tensor, sentences: Sequence[tuple[Token, ...]]) -> list[tuple[Token, ...]]:
    """Tokens that have no tag get the one that the model's tag head finds best, if it has a tag head."""
    names = model.vocabularies.tags
    if model.network.tagger is None or not names.names:
        return list(sentences)
    scores = model.network.tagger(encoded)  # (batch, words, tags)
    numbers = (scores[..., _FIRST_TAG:].argmax(dim=-1) + _FIRST_TAG).tolist()
    return [
        tuple(x if x.tag else replace(x, tag=names.name(n)) for x, n in zip(sentence, row, strict=False))
        for sentence, row in zip(sentences, numbers, strict=True)
    ]
