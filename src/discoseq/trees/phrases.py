"""Phrases whose words may still be moved: what rules make new trees of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from discoseq.trees.tree import Constituent, Token, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A word; two leaves are never equal."""

    word: str
    tag: str

    @property
    def label(self) -> str:
        return self.tag

    @property
    def leaves(self) -> list[Leaf]:
        return [self]


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A constituent whose parts are in the order in which they are written, wherever their words will stand."""

    label: str
    parts: tuple[Part, ...]

    @property
    def leaves(self) -> list[Leaf]:
        return [leaf for part in self.parts for leaf in part.leaves]

    def phrases(self, label: str) -> list[Phrase]:
        """The parts with this label."""
        return [part for part in self.parts if isinstance(part, Phrase) and part.label == label]

    def replacing(self, old: Phrase, new: Phrase) -> Phrase:
        """With another phrase in the place of one below it."""
        parts = (new if x is old else x.replacing(old, new) if isinstance(x, Phrase) else x for x in self.parts)
        return Phrase(self.label, tuple(parts))


Part: TypeAlias = Phrase | Leaf


def tree_of(clause: Phrase, order: Sequence[Leaf], root: str = "ROOT") -> Tree:
    """The tree whose words stand in this order, with a capital at the beginning."""
    places = {leaf: place for place, leaf in enumerate(order)}

    def constituent(phrase: Phrase) -> Constituent:
        parts = (places[part] if isinstance(part, Leaf) else constituent(part) for part in phrase.parts)
        return Constituent(phrase.label, tuple(parts))

    first, *others = (Token(leaf.word, leaf.tag) for leaf in order)
    first = replace(first, word=first.word[0].upper() + first.word[1:])
    return Tree(Constituent(root, (constituent(clause),)), (first, *others))


def phrase_of(tree: Tree, constituent: Constituent) -> Phrase:
    """A constituent of a tree as a phrase."""
    leaves = {number: Leaf(tree.words[number], tree.tokens[number].tag or "") for number in constituent.tokens}

    def phrase(constituent: Constituent) -> Phrase:
        return Phrase(
            constituent.label, tuple(leaves[x] if isinstance(x, int) else phrase(x) for x in constituent.children)
        )

    return phrase(constituent)
