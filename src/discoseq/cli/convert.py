"""`discoseq convert`: convert treebanks between formats."""

import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated

import typer

from discoseq.cli.continuous import ContinuousOption, ContinuousTrees
from discoseq.cli.reading import (
    FORMAT_NAMES,
    EncodingOption,
    FromOption,
    MultiwordOption,
    Reading,
    SkipBadOption,
    WordlessOption,
    track,
)
from discoseq.treebanks.files import format_of_path, write_trees
from discoseq.treebanks.losses import Losses
from discoseq.treebanks.streams import STANDARD_STREAM
from discoseq.treebanks.traces import resolve_traces
from discoseq.trees.bracket_parser import Leaves
from discoseq.trees.punctuation import TREATMENTS
from discoseq.trees.transforms import add_root, collapse_unary, drop_functions, restore_unary, strip_traces
from discoseq.trees.tree import Tree


class Punctuation(StrEnum):
    """The names of the treatments of punctuation."""

    MOVE = "move"
    ROOT_ATTACH = "root_attach"
    REMOVE = "remove"
    ROOT = "root"


class Keep(StrEnum):
    """Whether to keep an annotation."""

    KEEP = "keep"
    DROP = "drop"


class Traces(StrEnum):
    """What to do with empty elements."""

    KEEP = "keep"
    DROP = "drop"
    RESOLVE = "resolve"


class Unary(StrEnum):
    """What to do with unary chains."""

    KEEP = "keep"
    COLLAPSE = "collapse"
    RESTORE = "restore"


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, a folder of files, or - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file (.gz: gzipped) or - for standard output.")],
    from_format: FromOption = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help=f"Format of the output: {FORMAT_NAMES}. Default: by its suffix.")
    ] = None,
    encoding: EncodingOption = None,
    punctuation: Annotated[
        Punctuation | None,
        typer.Option(
            help="move: as `discodop treetransforms --punct=move`; root_attach: as treetools; "
            "remove: delete it; root: attach it to the root. Default: leave it where it is."
        ),
    ] = None,
    functions: Annotated[
        Keep, typer.Option(help="Edge functions; the bracket formats write them as NP-SB.")
    ] = Keep.KEEP,
    traces: Annotated[
        Traces,
        typer.Option(
            help="Empty elements (-NONE-). resolve: return moved phrases to their traces, with crossing branches, "
            "and drop all other empty elements and indices."
        ),
    ] = Traces.KEEP,
    root: Annotated[
        str | None, typer.Option(help="Give every tree a root with this label. Default: keep the roots.")
    ] = None,
    unary: Annotated[Unary, typer.Option(help="Unary chains: collapse writes S over VP as S+VP.")] = Unary.KEEP,
    continuous: ContinuousOption = None,
    multiword: MultiwordOption = None,
    wordless: WordlessOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Convert a treebank to another format.

    Example: `discoseq convert negra.export negra.discbracket --encoding latin-1 --punctuation move --functions drop`

    Example: `discoseq convert tiger.xml tiger.mrg --punctuation root_attach --continuous raise`
    """
    by_suffix = format_of_path(target)
    output_format = to_format or (by_suffix.name if by_suffix else "")
    reading = Reading([source], from_format, encoding, skip_bad, Leaves(multiword, wordless))
    continuous_trees, losses = ContinuousTrees(continuous, output_format), Losses(output_format)
    steps = list(_steps(punctuation, functions, traces, root, unary, continuous_trees))
    trees = losses.watch(_apply(steps, tree) for tree in reading.trees())
    shown = trees if target == STANDARD_STREAM else track(trees, "converting")
    count = write_trees(shown, target, to_format)
    reading.report()
    continuous_trees.report()
    if note := losses.note():
        print(f"note: {note}", file=sys.stderr)
    if target != STANDARD_STREAM:
        print(f"wrote {count:,} trees to {target}", file=sys.stderr)


def _steps(
    punctuation: Punctuation | None,
    functions: Keep,
    traces: Traces,
    root: str | None,
    unary: Unary,
    continuous: ContinuousTrees,
) -> Iterator[Callable[[Tree], Tree]]:
    if traces is Traces.DROP:
        yield strip_traces
    if traces is Traces.RESOLVE:
        yield resolve_traces
    if punctuation is not None:
        yield TREATMENTS[punctuation.value]
    yield continuous.apply  # functions tell heads, so it comes before they are dropped
    if functions is Keep.DROP:
        yield drop_functions
    if root is not None:
        yield lambda tree: add_root(tree, root)
    if unary is Unary.COLLAPSE:
        yield collapse_unary
    if unary is Unary.RESTORE:
        yield restore_unary


def _apply(steps: list[Callable[[Tree], Tree]], tree: Tree) -> Tree:
    for step in steps:
        tree = step(tree)
    return tree
