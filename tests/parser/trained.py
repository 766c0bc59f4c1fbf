"""A model that knows twenty trees by heart, tags included; made once, where it is first asked for."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import torch

from discoseq.parser.parser import Parser
from discoseq.training.config import read_config
from discoseq.treebanks.files import read_trees
from discoseq.trees.tree import Tree

torch.set_num_threads(1)  # tests run side by side

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "twenty.discbracket"
SETTINGS = [
    "training.epochs=30",
    "training.first_scored_epoch=30",
    "training.tag_weight=1.0",
]


@cache
def trained() -> Parser:
    """The parser; its model directory is `trained_directory()`."""
    folder = Path(tempfile.mkdtemp(prefix="discoseq-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    parser = Parser.train(read_config(ROOT / "examples" / "tiny.toml", SETTINGS), folder / "run")
    parser.save(folder / "model")
    _FOLDERS.append(folder / "model")
    return parser


def trained_directory() -> Path:
    trained()
    return _FOLDERS[0]


@cache
def example_trees() -> list[Tree]:
    return list(read_trees(EXAMPLES))


_FOLDERS: list[Path] = []
