"""All that a model has numbers for, made from a treebank and kept with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.linearization import Linearization
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Tree

PAD, UNKNOWN = 0, 1
_RESERVED = ("<pad>", "<unknown>")


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """Number 0 is padding, number 1 stands for whatever is not listed; neither can be met as a string of the data."""

    names: tuple[str, ...]  # those that have a number of their own, from 2 on
    _numbers: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {name: number for number, name in enumerate(self.names, len(_RESERVED))}
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def counted(cls, items: Iterable[str], at_least: int = 1) -> Symbols:
        """All that occur often enough, in an order that does not depend on where they were met."""
        counts = Counter(items)
        return cls(tuple(sorted(item for item, count in counts.items() if count >= at_least)))

    def __len__(self) -> int:
        return len(self.names) + len(_RESERVED)

    def encode(self, items: Sequence[str]) -> list[int]:
        """The number of each."""
        return [self._numbers.get(item, UNKNOWN) for item in items]

    def name(self, number: int) -> str:
        """The string of a number."""
        return self.names[number - len(_RESERVED)] if number >= len(_RESERVED) else _RESERVED[number]


_SEPARATOR = " < "


def spines_of(tree: Tree) -> list[str]:
    """One name a word, such as `NP < PP`; a word of the root has that label alone."""
    draft = Draft.of(tree)
    return [_name(draft, parent) for parent in draft.token_parents]


def _name(draft: Draft, parent: int) -> str:
    label = draft.labels[-1 - parent]
    return label if parent == ROOT else f"{label}{_SEPARATOR}{draft.labels[-1 - draft.parent(parent)]}"


_NONE = Symbols(())


@dataclass(frozen=True, slots=True, eq=False)
class Vocabularies:
    """Words are listed in lower case; the characters know about case."""

    words: Symbols
    characters: Symbols
    tags: Symbols
    actions: ActionVocabulary
    spines: Symbols = _NONE  # see spines.py
    pieces: SubwordTokenizer | None = None  # of a language model, kept in a file of its own

    @classmethod
    def of(cls, trees: Sequence[Tree], linearization: Linearization, min_word_count: int = 2) -> Vocabularies:
        """What occurs in the trees; words that are rarer than that are left to the characters."""
        words = [word for tree in trees for word in tree.words]
        return cls(
            words=Symbols.counted((word.lower() for word in words), min_word_count),
            characters=Symbols.counted(character for word in words for character in word),
            tags=Symbols.counted(token.tag for tree in trees for token in tree.tokens if token.tag),
            actions=ActionVocabulary.of(linearization, map(linearization.linearize, trees)),
            spines=Symbols.counted(spine for tree in trees for spine in spines_of(tree)),
        )

    def as_dict(self) -> dict[str, list[str]]:
        """Plain lists, for JSON."""
        return {
            "words": list(self.words.names),
            "characters": list(self.characters.names),
            "tags": list(self.tags.names),
            "actions": self.actions.tokens,
            "spines": list(self.spines.names),
        }

    @classmethod
    def from_dict(cls, lists: dict[str, Any]) -> Vocabularies:
        """Undo `as_dict`."""
        words, characters, tags = (Symbols(tuple(lists[name])) for name in ("words", "characters", "tags"))
        spines = Symbols(tuple(lists.get("spines", ())))  # the first models have none
        return cls(words, characters, tags, ActionVocabulary.from_tokens(lists["actions"]), spines)
