"""Data augmentation by substructure substitution (Shi, Livescu & Gimpel, 2021)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Constituent, Token, Tree

_Kind: TypeAlias = tuple[str, str, int]  # label, the parent's label, number of blocks
_Block: TypeAlias = list[tuple[Token, int]]  # tokens in order, with their parents in the draft


class SubstructureSubstitution:
    """Replaces constituents by others of the treebank with the same label, parent label and fan-out.

    A discontinuous constituent is replaced block by block, so that the contents of its gaps remain.
    """

    def __init__(self, trees: Sequence[Tree], rate: float) -> None:
        self.rate = rate  # the probability that a constituent is replaced, if none above it is
        self._candidates: dict[_Kind, list[tuple[Tree, Constituent]]] = defaultdict(list)
        for tree in trees:
            for parent in tree.root.walk():
                for child in _constituents(parent):
                    self._candidates[_kind(child, parent)].append((tree, child))

    def augment(self, tree: Tree, random: Random) -> Tree:
        """A copy of the tree with some constituents replaced; secondary edges are left out."""
        draft = Draft.rooted(tree.root.label)
        kept: dict[int, int] = {}  # by token, its new parent
        blocks: dict[int, _Block] = {}  # the new tokens of a block, by the first token of the block that they replace
        agenda = [(tree.root, ROOT)]
        while agenda:
            parent, node = agenda.pop()
            kept.update((child, node) for child in parent.children if isinstance(child, int))
            for child in _constituents(parent):
                if random.random() < self.rate:
                    source, other = random.choice(self._candidates[_kind(child, parent)])
                    new = _copy(draft, source, other, draft.add(other.label, node, child.function))
                    blocks.update((old[0], block) for old, block in zip(child.blocks, new, strict=True))
                else:
                    agenda.append((child, draft.add(child.label, node, child.function)))
        for position, token in enumerate(tree.tokens):
            for new_token, node in [(token, kept[position])] if position in kept else blocks.get(position, []):
                draft.add_token(new_token, node)
        return draft.freeze()


def _copy(draft: Draft, source: Tree, constituent: Constituent, node: int) -> list[_Block]:
    """Add the constituents below one to a draft; returns its blocks of tokens, which the caller has to add."""
    parents: dict[int, int] = {}
    agenda = [(constituent, node)]
    while agenda:
        parent, node = agenda.pop()
        parents.update((child, node) for child in parent.children if isinstance(child, int))
        agenda.extend((child, draft.add(child.label, node, child.function)) for child in _constituents(parent))
    return [[(source.tokens[i], parents[i]) for i in range(start, end)] for start, end in constituent.blocks]


def _constituents(parent: Constituent) -> Iterator[Constituent]:
    return (child for child in parent.children if not isinstance(child, int))


def _kind(constituent: Constituent, parent: Constituent) -> _Kind:
    return constituent.label, parent.label, constituent.fan_out
