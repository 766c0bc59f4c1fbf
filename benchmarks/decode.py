"""How fast the paper's network parses on one thread, beside what its multiply-adds would take; by beam and by length.

The network has random weights, and left alone it would build trees that no treebank has. So it is steered: in every
row the gold action gets a bonus, and the next best one a bonus that is smaller by a random gap. A row that has left the
gold sequence follows it from then on, but with a penalty, so that it is overtaken after a while. All of the network
runs for every row. Mean gap and penalty are such that pruning leaves as many hypotheses as in trained models;
docs/results.md has their figures.

python benchmarks/decode.py
"""

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from discoseq.batching.vocabularies import Vocabularies
from discoseq.decoding.decode import encode, make_derivations
from discoseq.linearizations.linearization import linearization
from discoseq.linearizations.machine import Machine
from discoseq.linearizations.state import Bools, Ints
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings
from discoseq.search.beam import DEFAULT_PRUNE, SearchOptions
from discoseq.search.derivations import Derivations, Floats
from discoseq.search.search import search
from discoseq.trees.tree import Child, Constituent, Token, Tree

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")  # torch asks for large pages: less time lost on new ones
SETTINGS = ModelSettings()
VECTOR_WIDTH = 1024
LINEARIZATION = "in-order+swap"
LABELS = 65  # with the five other actions 70
BATCH = 128
WORDS = 22
ACTIONS = [81, 81, 81, 83]  # of a sentence; 81.5 on average
BONUS = 9.0
MEAN_GAP = 40.0
PENALTY = 1.0  # for a row that has left the gold sequence
BEAMS = [1, 2, 4, 8, 10, 16]
LENGTHS = [10, 25, 50, 100, 200]
LENGTH_BATCH = 8


@dataclass(frozen=True, slots=True)
class Timing:
    """Of one batch."""

    seconds: float  # of one core
    rows: int  # that the network has scored, over all steps
    actions: int  # of the trees found


class Steered:
    """Follows the gold sequences; see above."""

    def __init__(self, derivations: Derivations, gold: Ints) -> None:
        self.derivations = derivations
        self.gold = gold  # (sentences, steps)
        self.gaps = np.random.default_rng(1).exponential(MEAN_GAP, gold.shape)  # (sentences, steps)
        self.rows = 0

    @property
    def machine(self) -> Machine:
        return self.derivations.machine

    def start(self, sentences: Sequence[int]) -> Bools:
        """One derivation for each of these sentences."""
        self.sentence_of_row: Ints = np.array(sentences)
        self.is_gold: Bools = np.ones(len(sentences), dtype=np.bool_)  # (rows,)
        self.step_number = 0
        return self.derivations.start(sentences)

    def keep(self, rows: Ints) -> None:
        """Only these rows."""
        self.sentence_of_row, self.is_gold = self.sentence_of_row[rows], self.is_gold[rows]
        self.derivations.keep(rows)

    def log_probabilities(self) -> Floats:
        """The network's (rows, actions) with two of them moved; they are steered,"""
        scores = self.derivations.log_probabilities()
        if self.step_number < self.gold.shape[1]:
            here = (self.sentence_of_row, self.step_number)
            rows, gold = np.arange(len(scores)), self.gold[here]
            others = scores.copy()
            others[rows, gold] = -np.inf
            second = others.argmax(axis=1)
            is_allowed, is_choice = np.isfinite(scores[rows, gold]), np.isfinite(others[rows, second])
            best = BONUS + np.where(is_allowed, scores[rows, gold], others[rows, second])
            scores[rows[is_choice], second[is_choice]] = (best - self.gaps[here])[is_choice]
            bonus = np.where(self.is_gold, best, best - PENALTY)
            scores[rows[is_allowed], gold[is_allowed]] = bonus[is_allowed]
            scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        self.rows += len(scores)
        return scores

    def apply(self, parents: Ints, actions: Ints) -> Bools:
        """Continue the derivations, and note which of them have left the gold sequence."""
        self.sentence_of_row, self.is_gold = self.sentence_of_row[parents], self.is_gold[parents].copy()
        if self.step_number < self.gold.shape[1]:
            self.is_gold &= actions == self.gold[self.sentence_of_row, self.step_number]
        self.step_number += 1
        return self.derivations.apply(parents, actions)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    chance = random.Random(1)
    trees = [random_tree(chance, WORDS, ACTIONS[row % len(ACTIONS)]) for row in range(BATCH)]
    model = random_model(trees)
    parse(model, trees, 1)
    print_speeds(model, trees)
    print(f"\n{LENGTH_BATCH} sentences together\nwords   CPU milliseconds a word with a beam of 1   of 10")
    for words in LENGTHS:
        batch = [random_tree(chance, words, words * 37 // 10) for _ in range(LENGTH_BATCH)]
        costs = [1000 * parse(model, batch, beam).seconds / (len(batch) * words) for beam in (1, 10)]
        print(f"{words:5} {costs[0]:42.2f} {costs[1]:7.2f}")


def print_speeds(model: Model, trees: Sequence[Tree]) -> None:
    actions = len(model.vocabularies.actions)
    peak = max(square_product_rate() for _ in range(3))
    print(f"\n{BATCH} sentences of {WORDS} words and {np.mean(ACTIONS):.1f} actions together; one thread")
    print(f"matrix products 1024 x 1024, float32: {peak / 1e9:,.0f} GFLOP/s, the measured peak\n")
    print(
        "beam   pruned at   sentences per CPU-second   share of the peak   rows a sentence and step   cost, beam 1 = 1"
    )
    first = 0.0
    for beam, prune in [(beam, prune) for beam in BEAMS for prune in (None, DEFAULT_PRUNE) if beam > 1 or not prune]:
        timing = parse(model, trees, beam, prune)
        once = len(trees) * sentence_work(WORDS)
        work = 2 * (once + timing.rows * step_work(WORDS, float(np.mean(ACTIONS)) / 2, actions))
        first = first or timing.seconds
        print(
            f"{beam:4} {prune or 'nothing':>11} {BATCH / timing.seconds:26.1f} {work / timing.seconds / peak:19.1%}"
            f" {timing.rows / timing.actions:26.2f} {timing.seconds / first:18.2f}"
        )


def random_tree(chance: random.Random, words: int, actions: int) -> Tree:
    """Continuous, binary, with unary constituents over words to make up the number of actions."""
    parts: list[Child] = list(range(words))
    # in-order: a SHIFT a word, NON-TERMINAL and REDUCE a constituent, one FINISH
    for extra in range((actions - words - 1) // 2 - (words - 1)):
        parts[extra % words] = Constituent(f"L{chance.randrange(LABELS)}", (parts[extra % words],))
    while len(parts) > 1:
        start = chance.randrange(len(parts) - 1)
        parts[start : start + 2] = [Constituent(f"L{chance.randrange(LABELS)}", tuple(parts[start : start + 2]))]
    (root,) = parts
    assert isinstance(root, Constituent)
    return Tree(root, (Token("w"),) * words)


def random_model(trees: Sequence[Tree]) -> Model:
    # every label, whether or not the trees happen to have it
    labels = [Tree(Constituent(f"L{number}", (0,)), (Token("w"),)) for number in range(LABELS)]
    vocabularies = Vocabularies.of([*trees, *labels], linearization(LINEARIZATION))
    model = Model.create(SETTINGS, vocabularies, LINEARIZATION, vector_width=VECTOR_WIDTH)
    model.network.eval()
    return model


@torch.inference_mode()
def parse(model: Model, trees: Sequence[Tree], beam_size: int, prune: float | None = DEFAULT_PRUNE) -> Timing:
    """All of it, from words and vectors to trees, which are checked to be the gold ones."""
    numbers = model.vocabularies.actions.encode_all(map(model.machine.linearization.linearize, trees))
    generator = np.random.default_rng(1)
    vectors = [generator.standard_normal((len(tree.tokens), VECTOR_WIDTH), np.float32) for tree in trees]
    start = time.process_time()
    encoded = encode(model, [tree.words for tree in trees], vectors)
    derivations = Steered(make_derivations([model], [encoded]), numbers)
    options = SearchOptions(beam_size, prune=prune, greedy_bound=prune is not None)
    found = search(derivations, [len(tree.tokens) for tree in trees], options)
    decode, build = model.vocabularies.actions.decode, model.machine.linearization.build
    parsed = [build(tree.tokens, decode(best[0].actions)) for tree, best in zip(trees, found, strict=True)]
    seconds = time.process_time() - start
    assert parsed == list(trees), "the network has left the gold sequences"
    return Timing(seconds, derivations.rows, sum(len(best[0].actions) for best in found))


def sentence_work(words: int) -> int:
    """Multiply-adds of what is done once a sentence."""
    width, hidden, vector_width = SETTINGS.width, SETTINGS.hidden, VECTOR_WIDTH
    layer = words * (4 * width**2 + 2 * width * hidden + 2 * words * width)
    return (
        words * vector_width * width + SETTINGS.encoder_layers * layer + SETTINGS.decoder_layers * words * 2 * width**2
    )


def step_work(words: int, steps: float, actions: int) -> float:
    """Multiply-adds of one row of a step, which looks back at so many others."""
    width, hidden = SETTINGS.width, SETTINGS.hidden
    layer = 4 * width**2 + 2 * steps * width + 2 * width**2 + 2 * words * width + 2 * width * hidden
    return SETTINGS.decoder_layers * layer + width * actions


def square_product_rate() -> float:
    """Floating-point operations a second."""
    one, other = torch.randn(2, 1024, 1024)
    return 2 * 1024**3 / min(cpu_seconds(lambda: one @ other) for _ in range(5))


def cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    main()
