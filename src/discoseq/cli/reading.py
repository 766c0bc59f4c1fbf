"""What the subcommands that read treebanks have in common: their options, and what they say of bad sentences."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

import typer

from discoseq.errors import TreebankError
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.formats import FORMATS
from discoseq.trees.tree import Tree

FORMAT_NAMES = ", ".join(FORMATS)

FromOption: TypeAlias = Annotated[
    str | None, typer.Option("--from", help=f"Format of the input, if it can't be guessed: {FORMAT_NAMES}.")
]
EncodingOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Encoding of the input, e.g. latin-1. Default: UTF-8, or what an XML file declares.")
]
SkipBadOption: TypeAlias = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out sentences that can't be read, and say how many.")
]

_MOST_SHOWN = 10


@dataclass(slots=True)
class Reading:
    """Trees from several files, with a count of the sentences that could not be read."""

    files: list[str]
    format: str | None
    encoding: str | None
    skips_bad: bool
    bad: list[TreebankError] = field(default_factory=list)

    def trees(self) -> Iterator[Tree]:
        for file in self.files:
            yield from read_trees(file, self.format, self.encoding, self.bad.append if self.skips_bad else None)

    def report(self) -> None:
        """Say on standard error what was left out."""
        for error in self.bad[:_MOST_SHOWN]:
            print(error, file=sys.stderr)
        if len(self.bad) > _MOST_SHOWN:
            print(f"... and {len(self.bad) - _MOST_SHOWN} more", file=sys.stderr)
        if self.bad:
            print(f"skipped {_count(len(self.bad), 'bad sentence')}", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
