"""`discoseq linearize`: trees to sequences of actions."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, astuple
from itertools import islice
from typing import Annotated

import typer

from discoseq.cli.reading import EncodingOption, FromOption, Reading, SkipBadOption, track
from discoseq.cli.tables import format_latex, format_table
from discoseq.errors import LinearizationError
from discoseq.linearizations.actions import escape
from discoseq.linearizations.linearization import LINEARIZATIONS, Linearization, linearization
from discoseq.linearizations.sizes import Size, measure_sizes
from discoseq.linearizations.trace import trace
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree

NAMES = ", ".join(LINEARIZATIONS)

_SIZE_HEADER = ("linearization", "sentences", "vocabulary", "longest", "mean")
_TRACE_HEADER = ("Transition", "Stack", "Buffer", "Stack mask", "Buffer mask")


def linearize(
    file: Annotated[str, typer.Argument(help="A treebank file, a folder of files, or - for standard input.")],
    name: Annotated[
        str | None,
        typer.Option("--linearization", "-l", help=f"One of {NAMES}. Default: none, and required but for --table."),
    ] = None,
    with_words: Annotated[
        bool, typer.Option("--with-words", help="Put the words and a tab before every sequence.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Rebuild every tree, and fail at the first that differs.")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="Print vocabulary size, longest and mean sequence of every linearization.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The table as JSON.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="The table as LaTeX.")] = False,
    traced: Annotated[
        int | None,
        typer.Option(
            "--trace",
            metavar="N",
            min=1,
            help="Print the derivation of sentence N, counted from 1. Default: print sequences.",
        ),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="A file, or - for standard output.")] = STANDARD_STREAM,
    from_format: FromOption = None,
    encoding: EncodingOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Write trees as action sequences, one a line.

    Example: `discoseq linearize negra.export -l in-order+swap --check -o negra.actions`
    """
    reading = Reading([file], from_format, encoding, skip_bad)
    chosen = None if table else _chosen(name)
    with atomic_output(output) as out:
        if chosen is None:
            out.write(_table(track(reading.trees(), "measuring"), as_json, as_latex))
        elif traced is not None:
            out.write(_trace(chosen, _sentence(reading.trees(), traced, file)))
        else:
            trees = reading.trees() if output == STANDARD_STREAM else track(reading.trees(), "linearizing")
            count = 0
            for count, tree in enumerate(trees, 1):  # noqa: B007 - the number is for the report
                out.write(_line(chosen, tree, with_words, check))
            if check:
                print(f"trees that came back the same: {count:,}", file=sys.stderr)
    reading.report()


def _chosen(name: str | None) -> Linearization:
    if name is None:
        raise typer.BadParameter(f"choose one of {NAMES}", param_hint="--linearization")
    return linearization(name)


def _line(chosen: Linearization, tree: Tree, with_words: bool, check: bool) -> str:
    bare = drop_functions(tree)  # actions have labels only
    written = chosen.write(chosen.linearize(bare))
    if check and chosen.build(bare.tokens, chosen.read(written)).root != bare.root:
        raise LinearizationError(f"sentence {tree.id} differs after a round trip through {chosen.name}")
    words = " ".join(map(escape, tree.words)) + "\t" if with_words else ""
    return f"{words}{written}\n"


def _table(trees: Iterator[Tree], as_json: bool, as_latex: bool) -> str:
    sizes = measure_sizes(trees)
    if as_json:
        return json.dumps([asdict(size) for size in sizes], indent=2) + "\n"
    formatted = format_latex if as_latex else format_table
    return formatted(_SIZE_HEADER, map(_cells, sizes)) + "\n"


def _cells(size: Size) -> tuple[str, ...]:
    if not size.sentences:
        return size.linearization, "-", "-", "-", "-"
    return size.linearization, str(size.sentences), str(size.vocabulary), str(size.longest), f"{size.mean:.1f}"


def _trace(chosen: Linearization, tree: Tree) -> str:
    return format_table(_TRACE_HEADER, map(astuple, trace(chosen, tree)), align="lllll") + "\n"


def _sentence(trees: Iterator[Tree], number: int, file: str) -> Tree:
    for tree in islice(trees, number - 1, None):
        return tree
    raise LinearizationError(f"{file} has no sentence {number}")
