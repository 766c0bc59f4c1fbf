"""The options of all subcommands that read treebanks, and their report on sentences that can't be read."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

import typer

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, read_trees
from discoseq.trees.tree import Tree

FORMAT_NAMES = ", ".join(FORMATS)

FromOption: TypeAlias = Annotated[
    str | None, typer.Option("--from", help=f"Format of the input; default: detected. One of {FORMAT_NAMES}.")
]
EncodingOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Encoding of the input, e.g. latin-1. Default: UTF-8 or, for XML, the declared one.")
]
SkipBadOption: TypeAlias = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out sentences that can't be read, and report how many.")
]

_MOST_SHOWN = 10


@dataclass(slots=True)
class Reading:
    """Trees from several files, and the errors of sentences that could not be read."""

    files: list[str]
    format: str | None
    encoding: str | None
    skips_bad: bool
    bad: list[TreebankError] = field(default_factory=list)

    def trees(self) -> Iterator[Tree]:
        for file in self.files:
            yield from read_trees(file, self.format, self.encoding, self.bad.append if self.skips_bad else None)

    def report(self) -> None:
        """Print to standard error which sentences were left out."""
        for error in self.bad[:_MOST_SHOWN]:
            print(error, file=sys.stderr)
        if len(self.bad) > _MOST_SHOWN:
            print(f"... and {len(self.bad) - _MOST_SHOWN} more", file=sys.stderr)
        if self.bad:
            print(f"skipped {_count(len(self.bad), 'bad sentence')}", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
