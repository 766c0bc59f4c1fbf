"""The trees that a run learns from and is scored on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from discoseq.batching.examples import Vectors
from discoseq.errors import ConfigError
from discoseq.training.settings import DataSettings
from discoseq.treebanks.files import read_trees
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Functions are left out of the trees: they are no part of what is learnt."""

    train: list[Tree]
    dev: list[Tree]
    checksums: dict[str, str]  # sha256 of every treebank file
    repeats: list[int]  # for every training tree how often an epoch has it
    train_vectors: list[Vectors] | None = None  # (words, width) a sentence, read from disk when they are used
    dev_vectors: list[Vectors] | None = None


def load_data(settings: DataSettings) -> TrainingData:
    """Read all files; a run needs something to learn from and something to be scored on."""
    for name, paths in (("data.train", settings.train), ("data.dev", settings.dev)):
        if not paths:
            raise ConfigError(f"{name} is empty: name a treebank file")
    checksums = {path: _checksum(Path(path)) for path in [*settings.train, *settings.dev] if Path(path).is_file()}
    train, dev = ([_trees(path) for path in paths] for paths in (settings.train, settings.dev))
    repeats = settings.repeats or [1] * len(train)
    if len(repeats) != len(train) or min(repeats) < 1:
        raise ConfigError(f"data.repeats is {repeats}; it must have a number of 1 or more for each file of data.train")
    return TrainingData(
        [tree for trees in train for tree in trees],
        [tree for trees in dev for tree in trees],
        checksums,
        [times for trees, times in zip(train, repeats, strict=True) for _ in trees],
        _vectors(settings.train_vectors, train),
        _vectors(settings.dev_vectors, dev),
    )


def _trees(path: str) -> list[Tree]:
    return [drop_functions(tree) for tree in read_trees(path) if tree.tokens]


def _vectors(paths: Sequence[str], treebanks: Sequence[Sequence[Tree]]) -> list[Vectors] | None:
    if not paths:
        return None
    if len(paths) != len(treebanks):
        raise ConfigError(f"there are {len(paths)} files of vectors for {len(treebanks)} treebank files")
    vectors: list[Vectors] = []
    for path, trees in zip(paths, treebanks, strict=True):
        array = _array(path)
        ends = list(accumulate(len(tree.tokens) for tree in trees))
        if array.ndim != 2 or len(array) != ends[-1]:
            raise ConfigError(f"{path} has the shape {array.shape}, but the treebank has {ends[-1]} words")
        vectors += [array[end - len(tree.tokens) : end] for tree, end in zip(trees, ends, strict=True)]
    return vectors


def _array(path: str) -> Vectors:
    try:
        array: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: no NumPy array of vectors ({error})") from None
    return array


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
