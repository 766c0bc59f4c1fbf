"""The options, the progress bar and the error report of subcommands that read treebanks."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, read_trees
from discoseq.treebanks.streams import Source
from discoseq.trees.bracket_parser import ORDINARY_LEAVES, Leaves, Multiword, Wordless
from discoseq.trees.notes import Note
from discoseq.trees.tree import Tree

FORMAT_NAMES = ", ".join(FORMATS)

FromOption: TypeAlias = Annotated[
    str | None, typer.Option("--from", help=f"Format of the input: {FORMAT_NAMES}. Default: detected.")
]
EncodingOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Encoding of the input, e.g. latin-1, unless a byte order mark says it. Default: UTF-8 or, for XML, the "
        "declared one."
    ),
]
SkipBadOption: TypeAlias = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out sentences that can't be read, and report how many.")
]
MultiwordOption: TypeAlias = Annotated[
    Multiword | None,
    typer.Option(
        help="Several words in one bracket, as in (Np Ha Noi). join: Ha_Noi; first: only the first, for files with "
        "lemmas after the words; split: one token for each. Default: a phrase over words without tags."
    ),
]
WordlessOption: TypeAlias = Annotated[
    Wordless | None,
    typer.Option(
        help="Brackets without a word, as in (,). skip: leave them out; label: the label is the word. "
        "Default: they are an error."
    ),
]

_MOST_SHOWN = 10

Item = TypeVar("Item")


@dataclass(slots=True)
class Reading:
    """Trees from several files, the errors of sentences that could not be read, and notes about the others."""

    files: list[str]
    format: str | None
    encoding: str | None
    skips_bad: bool
    leaves: Leaves = ORDINARY_LEAVES
    bad: list[TreebankError] = field(default_factory=list)
    file: str = ""  # the one that the latest tree is from
    notes: dict[str, tuple[str, int]] = field(default_factory=dict)  # by text: the first place and how many

    def trees(self) -> Iterator[Tree]:
        on_bad = self.bad.append if self.skips_bad else None
        for file in self.files:
            yield from read_trees(
                file, self.format, self.encoding, on_bad, self.add_note, self.leaves, on_file=self._set_file
            )

    def add_note(self, note: Note) -> None:
        place, count = self.notes.get(note.text, (note.place, 0))
        self.notes[note.text] = place, count + 1

    def _set_file(self, source: Source) -> None:
        self.file = source.name

    def report(self) -> None:
        """Print to standard error what was left out or changed."""
        for text, (place, count) in self.notes.items():
            print(f"note: {text} ({place if count == 1 else f'{count:,} times, first {place}'})", file=sys.stderr)
        for error in self.bad[:_MOST_SHOWN]:
            print(error, file=sys.stderr)
        if len(self.bad) > _MOST_SHOWN:
            print(f"... and {len(self.bad) - _MOST_SHOWN} more", file=sys.stderr)
        if self.bad:
            print(f"skipped {len(self.bad):,} bad sentence{'' if len(self.bad) == 1 else 's'}", file=sys.stderr)


def track(items: Iterable[Item], description: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items, and show a progress bar if standard error is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    with Progress(*columns, *([TimeRemainingColumn()] if total else []), console=console, transient=True) as progress:
        task = progress.add_task(description, total=total)
        for item in items:
            yield item
            progress.advance(task)
