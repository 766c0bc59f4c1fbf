"""What stands above each word of a tree: the labels of its parent and grandparent."""

from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Tree

_SEPARATOR = " < "


def spines_of(tree: Tree) -> list[str]:
    """One name a word, such as `NP < PP`; a word of the root has that label alone."""
    draft = Draft.of(tree)
    return [_name(draft, parent) for parent in draft.token_parents]


def _name(draft: Draft, parent: int) -> str:
    label = draft.labels[-1 - parent]
    return label if parent == ROOT else f"{label}{_SEPARATOR}{draft.labels[-1 - draft.parent(parent)]}"
