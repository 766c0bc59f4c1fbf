"""Sentences to trees, under one model or an ensemble, with tags where a model predicts them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from discoseq.batching.batches import batches_by_length
from discoseq.batching.examples import Vectors
from discoseq.batching.sentence_batch import encode_in_batches
from discoseq.batching.vocabularies import UNKNOWN
from discoseq.decoding.ancestor_scores import AncestorScores
from discoseq.model.beam_cache import BeamCache
from discoseq.model.native_decoder import NativeDecoder, NativeDerivations
from discoseq.model.network import Model
from discoseq.model.network_scorer import NetworkScorer
from discoseq.search.beam import DEFAULT_OPTIONS, Hypothesis, SearchOptions
from discoseq.search.derivations import Derivations, Ensemble, ScoredDerivations
from discoseq.search.search import BATCH_WORDS, search
from discoseq.trees.tree import Constituent, Token, Tree

_BLOCK_WORDS = 32_000  # encoded at once and kept until they are decoded, padding included
_FIRST_TAG = UNKNOWN + 1  # the numbers before it are padding and the unknown tag
EMPTY_TREE = Tree(Constituent("ROOT", ()), ())  # of a sentence without words


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """One of the trees found for a sentence."""

    tree: Tree
    log_probability: float  # of the action sequence that builds it
    share: float  # of the probability, or joint score, that all candidates of the sentence have together
    score: float = 0.0  # by which the candidates of a sentence are ordered
    actions: tuple[int, ...] = ()  # numbers of the model's action vocabulary
    step_log_probabilities: tuple[float, ...] = ()  # for each action
    is_repaired: bool = False  # whether the actions were no tree, which only weak constraints allow

    @property
    def probability(self) -> float:
        """Of the one action sequence that was found; other sequences may build the same tree."""
        return math.exp(self.log_probability)

    def __repr__(self) -> str:
        return f"Candidate({self.tree!r}, log_probability={self.log_probability:.4f}, share={self.share:.4f})"

    def _repr_html_(self) -> str:
        """What notebooks display."""
        figures = f"log-probability {self.log_probability:.4f}, share {self.share:.4f}"
        return f"<figure><figcaption>{figures}</figcaption>{self.tree._repr_svg_()}</figure>"


@torch.inference_mode()
def decode(
    models: Sequence[Model],
    sentences: Sequence[Sequence[Token]],
    options: SearchOptions = DEFAULT_OPTIONS,
    batch_words: int = BATCH_WORDS,
    vectors: Sequence[Vectors] | None = None,
) -> list[list[Candidate]]:
    """For every sentence its candidates, best first: at least one, at most `options.nbest`, all different trees.

    A sentence without words has a tree without words. `batch_words` bounds words times hypotheses that are searched
    together. `vectors` (words, width) are those of a language model, precomputed for every sentence. By the joint score
    the ancestor heads of the models have a say; without such heads it is the sum.
    """
    is_joint = options.score == "joint" and options.beam_size > 1 and any(model.heads.ancestors for model in models)
    found = [[Candidate(EMPTY_TREE, 0.0, 1.0)] for _ in sentences]
    caches = [BeamCache() for _ in models]  # their memory is used by one block after another
    lengths = [len(sentence) for sentence in sentences]
    filled = [i for i, length in enumerate(lengths) if length]
    with evaluation_mode(models):
        for block in batches_by_length([lengths[i] for i in filled], _BLOCK_WORDS):
            chosen = [filled[number] for number in block]
            block_vectors = None if vectors is None else [vectors[i] for i in chosen]
            words = [_words(sentences[i]) for i in chosen]
            encoded = [encode(model, words, block_vectors) for model in models]
            derivations = make_derivations(models, encoded, caches)
            scores = AncestorScores(models, encoded) if is_joint else None
            results = search(derivations, [lengths[i] for i in chosen], options, batch_words, scores)
            for number, (i, hypotheses) in enumerate(zip(chosen, results, strict=True)):
                tokens = _with_tags(models, [vectors_of[number] for vectors_of in encoded], sentences[i])
                found[i] = _candidates(models[0], tokens, hypotheses, is_joint)
    return found


@contextmanager
def evaluation_mode(models: Sequence[Model]) -> Iterator[None]:
    """No dropout inside; afterwards the networks are in training mode again if they were before."""
    in_training = [model.network for model in models if model.network.training]
    for network in in_training:
        network.eval()
    try:
        yield
    finally:
        for network in in_training:
            network.train()


def make_derivations(
    models: Sequence[Model], encoded: Sequence[Sequence[Tensor]], caches: Sequence[BeamCache] | None = None
) -> Derivations:
    """What search uses: derivations of sentences that each model has encoded, by compiled code if there is any."""
    members: list[Derivations] = []
    for model, vectors, cache in zip(models, encoded, caches or [BeamCache() for _ in models], strict=True):
        native = NativeDecoder.of(model.network.decoder, model.machine)
        if native is not None:
            members.append(NativeDerivations(native, model.machine, vectors))
        else:
            scorer = NetworkScorer(model.network.decoder, vectors, cache)
            members.append(ScoredDerivations(model.machine, scorer, [len(x) for x in vectors]))
    return members[0] if len(members) == 1 else Ensemble(members)


def encode(model: Model, sentences: Sequence[Sequence[str]], vectors: Sequence[Vectors] | None = None) -> list[Tensor]:
    """Vectors (words, width) of the words of every sentence, as the decoder reads them."""
    device = next(model.network.parameters()).device
    encoded: list[Tensor] = []
    for batch in encode_in_batches(model.vocabularies, sentences, vectors):
        found = model.network.encode(batch.to(device))
        encoded += [x[:n] for x, n in zip(found, batch.lengths.tolist(), strict=True)]
    return encoded


def _words(sentence: Sequence[Token]) -> list[str]:
    return [token.word for token in sentence]


def _candidates(
    model: Model, tokens: Sequence[Token], hypotheses: Sequence[Hypothesis], is_joint: bool
) -> list[Candidate]:
    logarithms = [x.score if is_joint else x.log_probability for x in hypotheses]
    weights = [math.exp(x - max(logarithms)) for x in logarithms]
    built = [model.machine.build(tokens, x.actions) for x in hypotheses]
    return [
        Candidate(
            tree=repaired.tree,
            log_probability=x.log_probability,
            share=weight / sum(weights),
            score=x.score,
            actions=x.actions,
            step_log_probabilities=x.step_log_probabilities,
            is_repaired=bool(repaired.repairs),
        )
        for x, weight, repaired in zip(hypotheses, weights, built, strict=True)
    ]


def _with_tags(models: Sequence[Model], encoded: Sequence[Tensor], tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens without a tag get the best one of the first model that predicts tags, from its encoded words."""
    for model, vectors in zip(models, encoded, strict=True):
        names = model.vocabularies.tags
        if model.network.tag_head is not None and names.names and not all(token.tag for token in tokens):
            scores = model.network.tag_head(vectors)  # (words, tags)
            numbers = (scores[:, _FIRST_TAG:].argmax(dim=-1) + _FIRST_TAG).tolist()
            return [x if x.tag else replace(x, tag=names.name(n)) for x, n in zip(tokens, numbers, strict=True)]
    return tokens
