"""Notes: what a reader leaves out of a sentence or changes in it, so that nothing is lost in silence.

A note is no error: the sentence is read. The command line counts notes of equal text and prints each text once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from discoseq.trees.draft import Draft
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Note:
    """What was left out or changed, and where."""

    text: str
    path: str
    line: int = 0  # 0 if the note is about the whole file

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


OnNote: TypeAlias = Callable[[Note], None]
NoteLine: TypeAlias = Callable[[str, int], None]  # takes the text and the line; a reader does not know its file


def ignore_note(text: str, line: int) -> None:
    """For callers who do not want the notes of a reader."""


def freeze_noting(draft: Draft, id: str | None, comment: str | None, note: NoteLine, line: int) -> Tree:
    """The tree of a draft, with a note for every constituent and secondary edge that is left out of it."""
    tree = draft.freeze(id, comment)
    for _ in range(len(draft.labels) - sum(1 for _ in tree.root.walk())):
        note("a constituent without words is left out", line)
    for _ in range(len(draft.secondary_edges) - len(tree.secondary_edges)):
        note("a secondary edge of a constituent without words is left out", line)
    return tree
