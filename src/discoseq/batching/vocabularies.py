"""All that a model has numbers for, made from a treebank and kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discoseq.batching.pieces import PieceTokenizer
from discoseq.batching.spines import spines_of
from discoseq.batching.symbols import Symbols
from discoseq.linearization.linearization import Linearization
from discoseq.linearization.vocabulary import ActionVocabulary
from discoseq.trees.tree import Tree

_NONE = Symbols(())


@dataclass(frozen=True, slots=True, eq=False)
class Vocabularies:
    """Words are listed in lower case; the characters know about case."""

    words: Symbols
    characters: Symbols
    tags: Symbols
    actions: ActionVocabulary
    spines: Symbols = _NONE  # see spines.py
    pieces: PieceTokenizer | None = None  # of a language model, kept in a file of its own

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
