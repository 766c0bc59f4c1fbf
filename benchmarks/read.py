"""Trees read a second in every format, beside NLTK's reader on the same bracket file, all in one run.

    python benchmarks/read.py [TREEBANK]

Without a treebank the trees are random ones of about 25 words.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from discoseq.treebanks.files import FORMATS, read_trees, write_trees
from discoseq.trees.tree import Child, Constituent, Token, Tree

SENTENCES = 2000
ROUNDS = 5
NLTK = "NLTK Tree.fromstring"


def main() -> None:
    """Print a line for every reader: the best of several rounds, which take turns, for the machine may be shared."""
    trees = list(read_trees(sys.argv[1])) if len(sys.argv) > 1 else [random_tree(i) for i in range(SENTENCES)]
    trees = [tree for tree in trees if not tree.is_discontinuous][:SENTENCES]
    print(f"{len(trees):,} continuous trees, {sum(len(tree.tokens) for tree in trees) / len(trees):.1f} words each")
    with tempfile.TemporaryDirectory() as folder:
        readers: dict[str, Callable[[], None]] = {}
        for name in FORMATS:
            path = Path(folder) / name
            write_trees(trees, path, name)
            readers[name] = partial(exhaust, path, name)
        readers[NLTK] = partial(read_with_nltk, Path(folder) / "bracket")
        times = [{name: seconds(read) for name, read in readers.items()} for _ in range(ROUNDS)]
    speeds = {name: len(trees) / min(row[name] for row in times) for name in readers}
    for name, speed in speeds.items():
        print(f"{name:22} {speed:9,.0f} trees/s   {speed / speeds[NLTK]:5.2f} x NLTK")


def exhaust(path: Path, name: str) -> None:
    for _ in read_trees(path, name):
        pass


def read_with_nltk(path: Path) -> None:
    from nltk.tree import Tree as NltkTree

    with path.open() as lines:
        for line in lines:
            NltkTree.fromstring(line)


def seconds(run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def random_tree(seed: int) -> Tree:
    generator = random.Random(seed)
    count = generator.randint(10, 40)
    parts: list[Child] = list(range(count))
    while len(parts) > 1:
        size = min(len(parts), generator.randint(2, 4))
        start = generator.randrange(len(parts) - size + 1)
        phrase = Constituent(generator.choice(["S", "NP", "VP", "PP"]), tuple(parts[start : start + size]))
        parts[start : start + size] = [phrase]
    words = [f"word{generator.randrange(5000)}" for _ in range(count)]
    return Tree(Constituent("ROOT", tuple(parts)), tuple(Token(word, "NN") for word in words))


if __name__ == "__main__":
    main()
