"""How fast pairs of trees are scored: both rule sets, from memory and from files, beside PYEVALB.

    python benchmarks/evaluate.py [--pairs 5000] [--words 25]

PYEVALB (`pip install PYEVALB`) is compared where it can be imported. Times are those of one core (processor time, so
that other work on the machine counts little), the best of five rounds in which every row has its turn.
"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from discoseq.evaluation.corpus_scores import evaluate, evaluate_files
from discoseq.evaluation.gold_pairs import TreeFile
from discoseq.treebanks.files import write_trees
from discoseq.trees.tree import Child, Constituent, Token, Tree

PHRASES = ["S", "NP", "VP", "PP", "SBAR", "ADJP", "ADVP"]
TAGS = ["NN", "VB", "DT", "JJ", "IN", ","]
ROUNDS = 5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pairs", type=int, default=5000)
    arguments.add_argument("--words", type=int, default=25)
    options = arguments.parse_args()
    draw = random.Random(1)
    gold = [random_tree(draw, options.words) for _ in range(options.pairs)]
    predicted = [changed(tree, draw) for tree in gold]
    with tempfile.TemporaryDirectory() as folder:
        times = measure(gold, predicted, Path(folder))
    print(
        f"{options.pairs:,} pairs of {options.words} words, {sum(map(size, gold)) / len(gold):.1f} constituents a tree"
    )
    for name, time_taken in times.items():
        print(f"{name:26} {time_taken:7.3f} s {options.pairs / time_taken:8,.0f} pairs/s")
    if PYEVALB in times:
        print(f"PYEVALB takes {times[PYEVALB] / times[EVALB_FILES]:.1f} times as long as discoseq on the same files")
    else:
        print("PYEVALB is not installed, so there is no ratio")


EVALB_FILES = "evalb, bracket files"
PYEVALB = "PYEVALB, bracket files"


def measure(gold: list[Tree], predicted: list[Tree], folder: Path) -> dict[str, float]:
    paths = {}
    for kind in ("bracket", "discbracket"):
        for side, trees in (("gold", gold), ("predicted", predicted)):
            paths[side, kind] = folder / f"{side}.{kind}"
            write_trees(trees, paths[side, kind], kind)

    def from_files(rules: str, kind: str) -> None:
        evaluate_files(TreeFile(paths["gold", kind], kind), TreeFile(paths["predicted", kind], kind), rules)

    work: dict[str, Callable[[], object]] = {
        "disco, trees in memory": lambda: evaluate(gold, predicted, "disco"),
        "evalb, trees in memory": lambda: evaluate(gold, predicted, "evalb"),
        "disco, discbracket files": lambda: from_files("disco", "discbracket"),
        EVALB_FILES: lambda: from_files("evalb", "bracket"),
    }
    baseline = pyevalb(paths["gold", "bracket"], paths["predicted", "bracket"])
    if baseline:
        work[PYEVALB] = baseline
    gc.collect()
    gc.freeze()  # the trees of the benchmark itself would slow down every row
    rounds = [{name: seconds(run) for name, run in work.items()} for _ in range(ROUNDS)]
    return {name: min(times[name] for times in rounds) for name in work}


def pyevalb(gold: Path, predicted: Path) -> Callable[[], object] | None:
    try:
        parser, scorer = import_module("PYEVALB.parser"), import_module("PYEVALB.scorer")
    except ImportError:
        return None

    def run() -> None:
        judge = scorer.Scorer()
        with gold.open(encoding="utf-8") as one, predicted.open(encoding="utf-8") as two:
            for first, second in zip(one, two, strict=True):
                trees = [parser.create_from_bracket_string(line.strip()) for line in (first, second)]
                judge.score_trees(*trees)

    return run


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def random_tree(draw: random.Random, words: int) -> Tree:
    """A continuous tree of neighbouring phrases joined at random, about as many as a treebank has."""
    tokens = tuple(Token(f"w{draw.randrange(1000)}", draw.choice(TAGS)) for _ in range(words))
    parts: list[Child] = list(range(words))
    while len(parts) > 2:
        start = draw.randrange(len(parts) - 1)
        end = min(len(parts), start + draw.choice((1, 2, 2, 3)))
        if end - start == 1 and not isinstance(parts[start], int):
            continue
        parts[start:end] = [Constituent(draw.choice(PHRASES), tuple(parts[start:end]))]
    return Tree(Constituent("TOP", (Constituent("S", tuple(parts)),)), tokens)


def changed(tree: Tree, draw: random.Random) -> Tree:
    """The same words with some phrases left out and some relabelled, as a fair parser would have it."""
    built: dict[int, list[Child]] = {}
    for constituent in reversed(list(tree.root.walk())):
        children = [
            part for child in constituent.children for part in ([child] if isinstance(child, int) else built[id(child)])
        ]
        chance = draw.random()
        label = draw.choice(PHRASES) if chance < 0.05 else constituent.label
        is_root = constituent is tree.root
        built[id(constituent)] = children if chance > 0.95 and not is_root else [Constituent(label, tuple(children))]
    (root,) = built[id(tree.root)]
    assert isinstance(root, Constituent)
    return Tree(root, tree.tokens)


def size(tree: Tree) -> int:
    return sum(1 for _ in tree.root.walk())


if __name__ == "__main__":
    main()
