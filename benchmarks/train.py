"""How fast the paper's network trains on one thread, beside what its multiply-adds would take; and in how much memory.

python benchmarks/train.py
"""

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from discoseq.batching.examples import Batch, Example, make_batch, make_examples
from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearizations.linearization import linearization
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings
from discoseq.training.update import action_loss
from discoseq.trees.tree import Child, Constituent, Token, Tree

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")  # torch asks for large pages: less time lost on new ones
SETTINGS = ModelSettings()
VECTOR_WIDTH = 1024
LINEARIZATION = "in-order+swap"
LABELS = 65  # with the five other actions 70
WORDS = 22
LENGTHS = [81, 81, 81, 83]  # 81.5 actions on average
BUDGET = 3584  # target tokens a batch, padding included
ROUNDS = 4
MEMORY_LENGTHS = [100, 500, 1000, 2100]  # of targets; a seventh as many words


def main() -> None:
    print_memory()  # first, for a process begins with the peak of the one that it comes from
    torch.set_num_threads(1)
    chance = random.Random(1)
    rows = BUDGET // max(LENGTHS)
    trees = [random_tree(chance, WORDS, LENGTHS[row % len(LENGTHS)]) for row in range(rows)]
    model, examples = prepare(trees)
    recording = cpu_seconds(lambda: make_examples(model.machine, trees))
    batching = min(cpu_seconds(lambda: make_batch(model.vocabularies, model.machine, examples)) for _ in range(3))
    batch = with_vectors(make_batch(model.vocabularies, model.machine, examples))
    step = training_step(model, batch)
    step()
    steps, squares, products = [], [], []
    for _ in range(ROUNDS):  # by turns, so that whatever else the machine does concerns them all
        squares.append(square_product_rate())
        products.append(own_products_seconds(model, batch))
        steps.append(cpu_seconds(step))
    tokens = batch.target_count
    work = 2 * sum(multiply_adds(WORDS, len(example.actions), len(model.vocabularies.actions)) for example in examples)
    peak = max(squares)
    parameters = sum(parameter.numel() for parameter in model.network.parameters())
    print(
        f"\n{parameters:,} parameters; {rows} sentences of {WORDS} words and {tokens / rows:.1f} actions; one thread\n"
    )
    print(f"training step         {tokens / min(steps):8,.0f} target tokens per CPU-second")
    print(f"making its batch      {batching / (batching + min(steps)):8.1%} of a step, and {recording:.2f} s once")
    print(f"matrix products       {peak / 1e9:8,.0f} GFLOP/s float32, 1024 x 1024: the measured peak")
    print(f"multiply-adds alone   {peak / (work / tokens):8,.0f} target tokens per CPU-second at that peak")
    print(f"share of the peak     {work / min(steps) / peak:8.1%}")
    print(f"own products alone    {tokens / min(products):8,.0f} target tokens per CPU-second; all linear maps")
    print(f"share of these        {min(products) / min(steps):8.1%}")


def print_memory() -> None:
    print("targets   words   peak memory of training on one sentence, whole process")
    for length in MEMORY_LENGTHS:
        command = [sys.executable, __file__, str(length)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        print(f"{length:7,} {length // 7:7,}   {int(done.stdout) / 2**20:.2f} GiB")


def train_one_sentence(length: int) -> None:
    """In a process of its own; prints its peak memory in KiB."""
    torch.set_num_threads(1)
    model, examples = prepare([random_tree(random.Random(1), length // 7, length)])
    step = training_step(model, with_vectors(make_batch(model.vocabularies, model.machine, examples)))
    step()
    step()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


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


def prepare(trees: list[Tree]) -> tuple[Model, list[Example]]:
    torch.manual_seed(1)
    # every label, whether or not the trees happen to have it
    labels = [Tree(Constituent(f"L{number}", (0,)), (Token("w"),)) for number in range(LABELS)]
    vocabularies = Vocabularies.of([*trees, *labels], linearization(LINEARIZATION))
    model = Model.create(SETTINGS, vocabularies, LINEARIZATION, vector_width=VECTOR_WIDTH)
    return model, make_examples(model.machine, trees)


def with_vectors(batch: Batch) -> Batch:
    random_vectors = np.random.default_rng(1)
    lengths = batch.sentences.lengths.tolist()
    vectors = [random_vectors.standard_normal((n, VECTOR_WIDTH), np.float32) for n in lengths]
    return replace(batch, sentences=batch.sentences.with_vectors(vectors))


def training_step(model: Model, batch: Batch) -> Callable[[], None]:
    optimizer = torch.optim.Adam(model.network.parameters(), 5e-4, (0.9, 0.98), fused=True)
    model.network.train()

    def step() -> None:
        optimizer.zero_grad()
        scores = model.network(batch).actions
        torch.autograd.backward(action_loss(scores, batch.targets, batch.is_allowed, 0.01))
        optimizer.step()

    return step


def multiply_adds(words: int, steps: int, actions: int) -> int:
    """Of training on one sentence: forwards, and backwards once for the weights and once for what they are given."""
    width, hidden = SETTINGS.width, SETTINGS.hidden
    project = words * VECTOR_WIDTH * width
    encode = words * (4 * width**2 + 2 * width * hidden + 2 * words * width)
    look_back = steps * (4 * width**2 + (steps + 1) * width)  # half of all pairs
    look_at_words = steps * (2 * width**2 + 2 * words * width) + 2 * words * width**2
    decode = look_back + look_at_words + steps * 2 * width * hidden
    say = steps * width * actions
    layers = SETTINGS.encoder_layers * encode + SETTINGS.decoder_layers * decode
    return 2 * project + 3 * (layers + say)


def square_product_rate() -> float:
    """Floating-point operations a second."""
    one, other = torch.randn(2, 1024, 1024)
    return 2 * 1024**3 / min(cpu_seconds(lambda: one @ other) for _ in range(5))


def own_products_seconds(model: Model, batch: Batch) -> float:
    """The matrix products of all linear maps, forwards and backwards, and nothing else."""
    rows = {True: batch.sentences.words.numel(), False: batch.targets.numel()}
    seconds = 0.0
    for name, module in model.network.named_modules():
        if isinstance(module, torch.nn.Linear):
            reads_words = name.startswith(("features", "encoder")) or "project_source" in name
            x, weight = torch.randn(rows[reads_words], module.in_features), module.weight.detach()
            y = x @ weight.T
            products = [(x, weight.T), (y.T, x), (y, weight)]
            if name.startswith("features"):  # nothing is learnt about the vectors
                products.pop()
            seconds += sum(cpu_seconds(partial(torch.mm, *factors)) for factors in products)
    return seconds


def cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    train_one_sentence(int(sys.argv[1])) if len(sys.argv) > 1 else main()
