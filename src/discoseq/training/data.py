"""The trees that a run is trained and scored on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from discoseq.errors import ConfigError
from discoseq.training.config import DataSettings
from discoseq.treebanks.files import read_trees
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Trees without functions, which are not learnt."""

    train: list[Tree]
    dev: list[Tree]
    checksums: dict[str, str]  # sha256 of every treebank file
    repeats: list[int]  # for every training tree how often an epoch contains it


def load_data(settings: DataSettings) -> TrainingData:
    """Read all files; both train and dev must name at least one."""
    for name, paths in (("data.train", settings.train), ("data.dev", settings.dev)):
        if not paths:
            raise ConfigError(f"{name} is empty: name a treebank file")
    checksums = {path: _checksum(Path(path)) for path in [*settings.train, *settings.dev] if Path(path).is_file()}
    train, dev = ([_trees(path) for path in paths] for paths in (settings.train, settings.dev))
    repeats = settings.repeats or [1] * len(train)
    if len(repeats) != len(train) or min(repeats) < 1:
        raise ConfigError(f"data.repeats must have a number of at least 1 for each file of data.train, not {repeats}")
    return TrainingData(
        [tree for trees in train for tree in trees],
        [tree for trees in dev for tree in trees],
        checksums,
        [times for trees, times in zip(train, repeats, strict=True) for _ in trees],
    )


def _trees(path: str) -> list[Tree]:
    return [drop_functions(tree) for tree in read_trees(path) if tree.tokens]


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
