"""Constituent parsing as translation, discontinuous trees included.

The stable API; docs/api.md describes it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from discoseq.errors import DiscoseqError
from discoseq.trees.tree import Constituent, Token, Tree

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


def _version() -> str:
    """That of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("discoseq")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"


if TYPE_CHECKING:
    __version__: str
    from discoseq.evaluation import evaluate
    from discoseq.integrations.dataframe import to_dataframe
    from discoseq.linearizations.linearization import linearization
    from discoseq.parser.parser import Parser
    from discoseq.treebanks.files import read_trees, write_trees
else:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return _version()
        if name not in _LAZY:
            raise AttributeError(f"module 'discoseq' has no attribute {name!r}")
        return getattr(import_module(_LAZY[name]), name)
