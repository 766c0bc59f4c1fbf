"""All that a model has numbers for, made from a treebank and kept with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.linearization import Linearization
from discoseq.trees.tree import Tree

PAD, UNKNOWN = 0, 1
_RESERVED = ("<pad>", "<unknown>")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Numbered strings: 0 is padding, 1 stands for all strings that are not listed."""

    names: tuple[str, ...]  # numbered from 2 on
    _numbers: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {name: number for number, name in enumerate(self.names, len(_RESERVED))}
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def of(cls, items: Iterable[str], min_count: int = 1) -> Vocabulary:
        """All strings that occur often enough, in alphabetical order."""
        counts = Counter(items)
        return cls(tuple(sorted(item for item, count in counts.items() if count >= min_count)))

    def __len__(self) -> int:
        return len(self.names) + len(_RESERVED)

    def encode(self, items: Sequence[str]) -> list[int]:
        """The number of each string."""
        return [self._numbers.get(item, UNKNOWN) for item in items]

    def name(self, number: int) -> str:
        """The string of a number."""
        return self.names[number - len(_RESERVED)] if number >= len(_RESERVED) else _RESERVED[number]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabularies:
    """Words are listed in lower case; characters keep their case."""

    words: Vocabulary
    characters: Vocabulary
    tags: Vocabulary
    ancestors: Vocabulary  # see `ancestor_labels`
    actions: ActionVocabulary
    subwords: SubwordTokenizer | None = None  # of a language model, kept in a file of its own

    @classmethod
    def of(cls, trees: Sequence[Tree], linearization: Linearization, min_word_count: int = 2) -> Vocabularies:
        """What occurs in the trees; words that are rarer than that are represented by their characters alone."""
        words = [word for tree in trees for word in tree.words]
        return cls(
            words=Vocabulary.of((word.lower() for word in words), min_word_count),
            characters=Vocabulary.of(character for word in words for character in word),
            tags=Vocabulary.of(token.tag for tree in trees for token in tree.tokens if token.tag),
            ancestors=Vocabulary.of(labels for tree in trees for labels in ancestor_labels(tree)),
            actions=ActionVocabulary.of(linearization, map(linearization.linearize, trees)),
        )

    def as_dict(self) -> dict[str, list[str]]:
        """Plain lists, for JSON."""
        lists = {name: list(getattr(self, name).names) for name in _LISTS}
        return lists | {"actions": self.actions.tokens}

    @classmethod
    def from_dict(cls, lists: dict[str, Any]) -> Vocabularies:
        """Undo `as_dict`; a list that is missing or has other items than strings is a KeyError."""
        for name in (*_LISTS, "actions"):
            items = lists.get(name)
            if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
                raise KeyError(name)
        words, characters, tags, ancestors = (Vocabulary(tuple(lists[name])) for name in _LISTS)
        return cls(words, characters, tags, ancestors, ActionVocabulary.from_tokens(lists["actions"]))


_LISTS = ("words", "characters", "tags", "ancestors")


def ancestor_labels(tree: Tree) -> list[str]:
    """For every word the labels of its parent and grandparent, such as `NP < PP`; for a child of the root its label."""
    found = [""] * len(tree.tokens)
    agenda = [(tree.root, tree.root.label)]  # a constituent, and what the words among its children get
    while agenda:
        node, labels = agenda.pop()
        for child in node.children:
            if isinstance(child, int):
                found[child] = labels
            else:
                agenda.append((child, f"{child.label} < {node.label}"))
    return found
