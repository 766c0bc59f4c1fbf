"""Constituent parsing as translation, discontinuous trees included."""

from importlib.metadata import PackageNotFoundError, version

from discoseq.errors import DiscoseqError, TreebankError, TreeError
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

try:
    __version__ = version("discoseq")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["Constituent", "DiscoseqError", "SecondaryEdge", "Token", "Tree", "TreeError", "TreebankError"]
