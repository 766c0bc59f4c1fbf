"""Constituent parsing as translation, discontinuous trees included."""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from discoseq.errors import DiscoseqError, TreebankError, TreeError
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

try:
    __version__ = version("discoseq")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["Constituent", "DiscoseqError", "Parser", "SecondaryEdge", "Token", "Tree", "TreeError", "TreebankError"]

if TYPE_CHECKING:
    from discoseq.parser import Parser
else:

    def __getattr__(name: str) -> object:
        if name == "Parser":  # brings torch with it, which takes its time
            from discoseq.parser import Parser

            return Parser
        raise AttributeError(f"module 'discoseq' has no attribute {name!r}")
