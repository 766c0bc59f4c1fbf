"""How fast trees are linearized and replayed, and how a step of the machine compares with one of a decoder.

python benchmarks/linearize.py [TREEBANK]    without a treebank: trees made at random; the decoder needs torch
"""

import random
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.linearization import linearization, longest_unary_chain
from discoseq.linearizations.machine import Machine, states_before
from discoseq.treebanks.files import read_trees
from discoseq.trees.tree import Child, Constituent, Token, Tree

NAMES = ["top-down+swap", "in-order+swap", "in-order+swap#k", "in-order+shift#k", "bottom-up+swap"]
WORDS = 40
LABELS = 25
ROWS = [1, 32, 256, 1024]
STEPS = 80

Result = TypeVar("Result")


def main() -> None:
    trees = list(read_trees(sys.argv[1], on_bad=lambda error: None)) if len(sys.argv) > 1 else random_trees(2000)
    words = sum(len(tree.tokens) for tree in trees)
    print(f"{len(trees):,} trees, {words / len(trees):.1f} words each; one core\n")
    print("sentences a second   linearize   build   replay with masks (256 rows)")
    for name in NAMES:
        print(f"{name:18} {'   '.join(f'{speed:11,.0f}' for speed in corpus_speeds(name, trees))}")
    print(f"\none step at rows of {WORDS} words, milliseconds on one core: mask + apply + select + both views")
    print(f"rows               {''.join(f'{rows:9}' for rows in ROWS)}")
    for name in NAMES:
        print(f"{name:18} {''.join(f'{1000 * machine_step(name, rows):9.3f}' for rows in ROWS)}")
    try:
        decoder = [decoder_step(rows) for rows in ROWS]
    except ImportError:
        print("no torch, so no decoder to compare with")
        return
    print(f"{'decoder':18} {''.join(f'{1000 * seconds:9.3f}' for seconds in decoder)}")
    ratios = [seconds / machine_step("in-order+swap", rows) for rows, seconds in zip(ROWS, decoder, strict=True)]
    print(f"decoder / in-order+swap: {'  '.join(f'{ratio:.1f}' for ratio in ratios)}")


def random_trees(count: int) -> list[Tree]:
    chance = random.Random(1)
    trees = []
    for _ in range(count):
        words = chance.randint(1, WORDS)
        parts: list[Child] = list(range(words))
        while len(parts) > 1:
            # mostly neighbours, now and then with a gap
            start = chance.randrange(len(parts))
            chosen = {start, min(start + 1, len(parts) - 1), min(start + chance.choice([1, 2, 2, 3]), len(parts) - 1)}
            phrase = Constituent(f"L{chance.randrange(LABELS)}", tuple(parts[i] for i in sorted(chosen)))
            parts = [phrase if i == start else part for i, part in enumerate(parts) if i == start or i not in chosen]
        trees.append(Tree(Constituent("ROOT", tuple(parts)), (Token("w"),) * words))
    return trees


def corpus_speeds(name: str, trees: list[Tree]) -> tuple[float, float, float]:
    chosen = linearization(name)
    linearizing, sequences = timed(lambda: [chosen.linearize(tree) for tree in trees])
    building, _ = timed(lambda: [chosen.build(x.tokens, y) for x, y in zip(trees, sequences, strict=True)])
    limit = max(1, *(longest_unary_chain(tree.root) for tree in trees))
    machine = Machine(chosen, ActionVocabulary.of(chosen, sequences), limit)
    order = sorted(range(len(trees)), key=lambda i: len(sequences[i]))

    def replay_all() -> None:
        for start in range(0, len(order), 256):
            batch = order[start : start + 256]
            indices = machine.vocabulary.encode_all(sequences[i] for i in batch)
            for state in states_before(machine, [len(trees[i].tokens) for i in batch], indices):
                machine.action_mask(state), state.stack_mask(), state.buffer_mask()

    replaying, _ = timed(replay_all)
    return len(trees) / linearizing, len(trees) / building, len(trees) / replaying


def machine_step(name: str, rows: int) -> float:
    """The median time of a step in the middle of a random derivation."""
    chosen = linearization(name)
    labels = [f"L{number}" for number in range(LABELS)]
    machine = Machine(chosen, ActionVocabulary.of(chosen, [chosen.basic_actions(labels)]))
    chance = np.random.default_rng(1)
    state = machine.start([WORDS] * rows)
    times = []
    for _ in range(STEPS):
        parents = chance.integers(0, rows, rows)
        start = time.perf_counter()
        mask = machine.action_mask(state)
        middle = time.perf_counter()
        actions = np.where(mask, chance.random(mask.shape), -1).argmax(axis=1)
        again = time.perf_counter()
        state = machine.apply(state, actions).select(parents)
        state.stack_mask(), state.buffer_mask()
        times.append(middle - start + time.perf_counter() - again)
    return float(np.median(times))


def decoder_step(rows: int) -> float:
    """The shortest time of one step of 6 layers, 256 wide, 4 heads, feed-forward 512, with keys and values cached."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    width, heads, inner, past = 256, 4, 512, STEPS // 2
    weights = [[torch.randn(width, width) / 16 for _ in range(6)] for _ in range(6)]
    feed_forward = [(torch.randn(inner, width) / 16, torch.randn(width, inner) / 16) for _ in range(6)]
    cache = [[torch.randn(rows, heads, n, width // heads) for n in (past, past, WORDS, WORDS)] for _ in range(6)]
    visible = torch.ones(rows, heads, 1, WORDS, dtype=torch.bool)

    def attend(x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        queries = x.view(rows, heads, 1, width // heads)
        return functional.scaled_dot_product_attention(queries, keys, values, mask).reshape(rows, width)

    def step() -> None:
        x = torch.randn(rows, width)
        for (query, key, value, output, cross, cross_output), (up, down), (k, v, words_k, words_v) in zip(
            weights, feed_forward, cache, strict=True
        ):
            # the new key and value are computed, and stand in for the place that the cache keeps for them
            k[:, :, -1] = functional.linear(x, key).view(rows, heads, width // heads)
            v[:, :, -1] = functional.linear(x, value).view(rows, heads, width // heads)
            attended = attend(functional.linear(x, query), k, v, None)
            x = functional.layer_norm(x + functional.linear(attended, output), (width,))
            attended = attend(functional.linear(x, cross), words_k, words_v, visible)
            x = functional.layer_norm(x + functional.linear(attended, cross_output), (width,))
            x = functional.layer_norm(x + functional.linear(functional.relu(functional.linear(x, up)), down), (width,))

    with torch.inference_mode():
        return min(timed(step)[0] for _ in range(12))


def timed(function: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main()
