"""Phrases whose words may still be moved: what questions are made of (en_questions.py)."""

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


def tree_of(clause: Phrase, order: Sequence[Leaf]) -> Tree:
    """The tree whose words stand in this order, with a capital at the beginning."""
    places = {leaf: place for place, leaf in enumerate(order)}

    def constituent(phrase: Phrase) -> Constituent:
        parts = (places[part] if isinstance(part, Leaf) else constituent(part) for part in phrase.parts)
        return Constituent(phrase.label, tuple(parts))

    first, *others = (Token(leaf.word, leaf.tag) for leaf in order)
    first = replace(first, word=first.word[0].upper() + first.word[1:])
    return Tree(Constituent("ROOT", (constituent(clause),)), (first, *others))


def phrase_of(tree: Tree, constituent: Constituent) -> Phrase:
    """A short constituent as a phrase; the first word of the sentence loses its capital unless it is a name."""
    parts = (_leaf(tree, x) if isinstance(x, int) else phrase_of(tree, x) for x in constituent.children)
    return Phrase(constituent.label, tuple(parts))


def _leaf(tree: Tree, number: int) -> Leaf:
    token = tree.tokens[number]
    is_lower = number == 0 and token.tag not in ("NNP", "NNPS") and token.word != "I"
    return Leaf(token.word[0].lower() + token.word[1:] if is_lower else token.word, token.tag or "")
