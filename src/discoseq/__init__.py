"""Constituent parsing as translation, discontinuous trees included.

The stable API; docs/api.md describes it.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from discoseq.errors import DiscoseqError
from discoseq.trees.tree import Constituent, Token, Tree

try:
    __version__ = version("discoseq")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "Constituent",
    "DiscoseqError",
    "Parser",
    "Token",
    "Tree",
    "evaluate",
    "linearization",
    "read_trees",
    "to_dataframe",
    "write_trees",
]

# imported when they are first used: the parser takes torch with it, and linearizations NumPy
_LAZY = {
    "Parser": "discoseq.parser.parser",
    "evaluate": "discoseq.evaluation",
    "linearization": "discoseq.linearizations.linearization",
    "read_trees": "discoseq.treebanks.files",
    "to_dataframe": "discoseq.integrations.dataframe",
    "write_trees": "discoseq.treebanks.files",
}

if TYPE_CHECKING:
    from discoseq.evaluation import evaluate
    from discoseq.integrations.dataframe import to_dataframe
    from discoseq.linearizations.linearization import linearization
    from discoseq.parser.parser import Parser
    from discoseq.treebanks.files import read_trees, write_trees
else:

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module 'discoseq' has no attribute {name!r}")
        return getattr(import_module(_LAZY[name]), name)
