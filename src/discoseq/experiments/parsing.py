"""Parsing a split with the model of a cell: the trees in a file, the time it took, and the counts for reports."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from discoseq.batching.batches import batches_by_length
from discoseq.batching.examples import Vectors
from discoseq.decoding.decode import Candidate, decode
from discoseq.evaluation.breakdown import By, count_groups
from discoseq.evaluation.corpus_scores import score_sentences, summarize
from discoseq.experiments.results import Evaluation
from discoseq.model.network import Model
from discoseq.search.search import BATCH_WORDS
from discoseq.training.config import Config
from discoseq.training.data import scoring_rules
from discoseq.training.events import Embedding, Stage
from discoseq.training.loop import search_options
from discoseq.training.vector_cache import load_frozen_encoder
from discoseq.treebanks.files import write_trees
from discoseq.trees.tree import Token, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Gold trees to parse the words of, without functions."""

    name: str
    trees: Sequence[Tree]


def parse_split(
    model: Model, config: Config, split: Split, beam: int, folder: Path
) -> Generator[Stage | Embedding, None, Evaluation]:
    """Parse, write FOLDER/SPLIT.beam-N.discbracket, and score by the rules of the treebank."""
    rules = scoring_rules(config, split.trees)
    # EVALB's rules depend on the tags of the parses, so there the gold tags are kept, as is usual
    sentences = [tree.tokens if rules == "evalb" else tuple(Token(word) for word in tree.words) for tree in split.trees]
    vectors = yield from _frozen_vectors(model, config, split)
    found: dict[int, Candidate] = {}
    name = f"parsing {split.name} {'greedily' if beam == 1 else f'with beam {beam}'}"
    seconds = cpu_seconds = 0.0
    for batch in batches_by_length([len(sentence) for sentence in sentences], BATCH_WORDS):
        yield Stage(name, len(found), len(sentences))
        start, cpu_start = time.monotonic(), time.process_time()
        of_batch = None if vectors is None else [vectors[i] for i in batch]
        candidates = decode([model], [sentences[i] for i in batch], search_options(config, beam), vectors=of_batch)
        seconds += time.monotonic() - start
        cpu_seconds += time.process_time() - cpu_start
        found.update((i, best[0]) for i, best in zip(batch, candidates, strict=True))
    parsed = [found[i].tree for i in range(len(sentences))]
    write_trees(parsed, folder / f"{split.name}.beam-{beam}.discbracket", "discbracket")
    results = list(score_sentences(split.trees, parsed, rules))
    scores = summarize(results, rules).all
    return Evaluation(
        split=split.name,
        beam=beam,
        rules=rules,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        repaired=sum(candidate.is_repaired for candidate in found.values()),
        f1=scores.f1 or (0.0 if scores.counts.brackets.gold else None),
        exact_match=scores.exact_match,
        counts=[result.counts.brackets for result in results],
        discontinuous=[result.counts.discontinuous for result in results],
        groups={by: count_groups(results, by) for by in By},
        discontinuous_groups={by: count_groups(results, by, only_discontinuous=True) for by in By},
    )


def has_frozen_encoder(config: Config) -> bool:
    """Whether the vectors of a language model are the input of a network that it is no part of."""
    training = config.training
    is_frozen = training.pretrained_training == "frozen" and not training.pretrained_stored
    return bool(config.model.pretrained) and is_frozen


def _frozen_vectors(model: Model, config: Config, split: Split) -> Generator[Embedding, None, Sequence[Vectors] | None]:
    """Those of a frozen language model, from the cache; None if the network computes them, or has none."""
    if not has_frozen_encoder(config):
        return None
    encoder = load_frozen_encoder(model.settings)
    return (yield from encoder.vectors([tree.words for tree in split.trees]))
