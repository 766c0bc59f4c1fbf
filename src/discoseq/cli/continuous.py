"""The option --continuous, and the note on the trees that it changed."""

import sys
from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from discoseq.trees.tree import Tree

CONTINUOUS_FORMATS = ("bracket",)  # they can't hold crossing branches


class Method(StrEnum):
    """The names of the ways to make a tree continuous."""

    RAISE = "raise"
    SPLIT = "split"
    ATTACH = "attach"


DEFAULT_METHOD = Method.RAISE

ContinuousOption: TypeAlias = Annotated[
    Method | None,
    typer.Option(
        "--continuous",
        help="Make discontinuous trees continuous. raise: keep the block of the head and attach the rest higher, as "
        "treetools does; split: make a phrase VP* of every block, as disco-dop does; attach: attach what is in a gap "
        "to the phrase around it. Default: raise for the format bracket, which has no crossing branches; no change for "
        "the others.",
    ),
]


class ContinuousTrees:
    """Makes trees continuous if this is asked for or the format needs it, and counts those it changes."""

    def __init__(self, method: Method | None, format: str | None) -> None:
        self.method = method or (DEFAULT_METHOD if format in CONTINUOUS_FORMATS else None)
        self.changed = 0

    def apply(self, tree: Tree) -> Tree:
        if self.method is None or not tree.is_discontinuous:
            return tree
        self.changed += 1
        return tree.continuous(self.method.value)

    def report(self) -> None:
        """Print to standard error how many trees were changed."""
        if self.method is not None and self.changed:
            trees = f"{self.changed:,} discontinuous tree{'' if self.changed == 1 else 's'}"
            print(f"note: made {trees} continuous (--continuous {self.method.value})", file=sys.stderr)
