"""New trees from those of a treebank: phrases give way to others of their kind (Shi, Livescu & Gimpel, 2021)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Constituent, Token, Tree

_Kind: TypeAlias = tuple[str, str, int]  # label, the parent's label, number of blocks
_Hung: TypeAlias = list[tuple[Token, int]]  # tokens in their order, with the constituents of a draft that they go to


class Substitution:
    """What the constituents of a treebank can be replaced by: any of the same label, parent label and fan-out.

    One with gaps is replaced block by block, so what stands in its gaps stays there.
    """

    def __init__(self, trees: Sequence[Tree], rate: float) -> None:
        self.rate = rate  # how often a constituent is replaced, if none above it is
        self._alike: dict[_Kind, list[tuple[Tree, Constituent]]] = defaultdict(list)
        for tree in trees:
            for parent in tree.root.walk():
                for child in _constituents(parent):
                    self._alike[_kind(child, parent)].append((tree, child))

    def vary(self, tree: Tree, random: Random) -> Tree:
        """A tree of the treebank with some constituents replaced, or perhaps none; secondary edges are left out."""
        draft = Draft.rooted(tree.root.label)
        kept: dict[int, int] = {}  # by token: the constituent that it goes to
        blocks: dict[int, _Hung] = {}  # by the token that they take the place of, and of those after it
        agenda = [(tree.root, ROOT)]
        while agenda:
            parent, node = agenda.pop()
            kept.update((child, node) for child in parent.children if isinstance(child, int))
            for child in _constituents(parent):
                if random.random() < self.rate:
                    source, other = random.choice(self._alike[_kind(child, parent)])
                    new = _copy(draft, source, other, draft.add(other.label, node, child.function))
                    blocks.update((old[0], block) for old, block in zip(child.blocks, new, strict=True))
                else:
                    agenda.append((child, draft.add(child.label, node, child.function)))
        for place, token in enumerate(tree.tokens):
            for new_token, node in [(token, kept[place])] if place in kept else blocks.get(place, []):
                draft.add_token(new_token, node)
        return draft.freeze()


def _copy(draft: Draft, source: Tree, constituent: Constituent, node: int) -> list[_Hung]:
    """Add all the constituents below one to a draft; its tokens, block by block, are yet to be added."""
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
