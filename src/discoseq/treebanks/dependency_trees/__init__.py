"""German phrase structure from dependencies: the trees of TIGER from the output of a parser trained on TIGER."""

from discoseq.treebanks.dependency_trees.dependencies import Dependencies
from discoseq.treebanks.dependency_trees.phrases import build_tiger_tree

__all__ = ["Dependencies", "build_tiger_tree"]
