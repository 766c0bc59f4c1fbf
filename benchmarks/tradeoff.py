"""Accuracy against speed: models of one language on the same trees, each with several beams, as a table and a picture.

Sentences per CPU-second are of one thread, whole sentences in and trees out. All models take turns in one run, so the
ratios carry over to other machines.

python benchmarks/tradeoff.py TREEBANK PICTURE.png NAME=MODEL...
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, ScalarFormatter

from discoseq.evaluation import evaluate
from discoseq.parser.parser import Parser
from discoseq.treebanks.files import read_trees
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree

BEAMS = [1, 2, 4, 10]


@dataclass(frozen=True, slots=True)
class Point:
    """One model with one beam."""

    name: str
    beam: int
    speed: float  # sentences per CPU-second
    f1: float
    discontinuous_f1: float


def main(treebank: str, picture: str, *named: str) -> None:
    gold = [drop_functions(tree) for tree in read_trees(treebank)]
    parsers = {name: Parser.load(path) for name, _, path in (text.partition("=") for text in named)}
    for parser in parsers.values():
        list(parser.parse_all([tree.words for tree in gold[:20]]))  # the first sentences pay for what is made once
    print("model                          beam   sentences per CPU-second      F1   discontinuous")
    points = []
    for beam in BEAMS:
        for name, parser in parsers.items():
            points.append(measure(name, parser, gold, beam))
            point = points[-1]
            print(f"{name:30} {beam:4} {point.speed:26.1f} {point.f1:7.2f} {point.discontinuous_f1:15.2f}", flush=True)
    draw(points, Path(picture))


def measure(name: str, parser: Parser, gold: list[Tree], beam: int) -> Point:
    sentences = [list(tree.words) for tree in gold]
    start = time.process_time()
    trees = list(parser.parse_all(sentences, beam))
    seconds = time.process_time() - start
    scores = evaluate(gold, trees).all
    return Point(name, beam, len(gold) / seconds, scores.f1 or 0.0, scores.discontinuous.f1 or 0.0)


def draw(points: list[Point], path: Path) -> None:
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    both = figure.subplots(1, 2, sharex=True)
    for axes, what, label in zip(both, ("f1", "discontinuous_f1"), ("F1", "discontinuous F1"), strict=True):
        for name in dict.fromkeys(point.name for point in points):
            own = [point for point in points if point.name == name]
            axes.plot([point.speed for point in own], [getattr(point, what) for point in own], "o-", label=name)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("sentences per CPU-second; beams 10, 4, 2 and 1 from left to right")
        axes.set_ylabel(f"{label} on dev")
        axes.grid(alpha=0.3)
    both[1].legend(fontsize="small")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 3 else print(__doc__)
