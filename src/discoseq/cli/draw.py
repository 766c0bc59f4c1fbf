"""`discoseq draw`: draw trees."""

import shutil
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from discoseq.cli.reading import EncodingOption, FromOption, MultiwordOption, Reading, SkipBadOption, WordlessOption
from discoseq.errors import TreebankError
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output
from discoseq.trees.bracket_parser import Leaves
from discoseq.trees.drawing.svg import draw_svg
from discoseq.trees.drawing.text import draw_text
from discoseq.trees.drawing.tikz import draw_tikz
from discoseq.trees.tree import Tree


class DrawingFormat(StrEnum):
    """The formats of drawings."""

    TEXT = "text"
    SVG = "svg"
    TIKZ = "tikz"


def draw(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A treebank file, a folder of files, or - for standard input.")
    ],
    sentence: Annotated[
        str | None,
        typer.Option(
            help="The id of a sentence or, if no sentence has this id, its number, counted from 1. "
            "Default: all sentences as text, the first one as SVG or TikZ."
        ),
    ] = None,
    to: Annotated[
        DrawingFormat, typer.Option(help="text for the terminal, svg for the browser, tikz for LaTeX.")
    ] = DrawingFormat.TEXT,
    output: Annotated[str, typer.Option("--output", "-o", help="A file, or - for standard output.")] = STANDARD_STREAM,
    from_format: FromOption = None,
    encoding: EncodingOption = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Text: draw with ASCII characters only.")] = False,
    width: Annotated[
        int | None,
        typer.Option(
            help="Text: print an outline if the drawing is wider than this. Default: the width of the terminal."
        ),
    ] = None,
    standalone: Annotated[bool, typer.Option("--standalone", help="TikZ: write a complete LaTeX document.")] = False,
    multiword: MultiwordOption = None,
    wordless: WordlessOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Draw trees with crossing branches: all sentences as text, or one sentence (default: the first) as SVG or TikZ.

    Example: `discoseq draw tiger.xml --sentence s42 --to svg -o s42.svg`
    """
    if width is None and output == STANDARD_STREAM and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    reading = Reading([file], from_format, encoding, skip_bad, Leaves(multiword, wordless))
    trees = reading.trees() if sentence is None else iter([_find(reading.trees(), sentence, file)])
    with atomic_output(output) as out:
        if to is DrawingFormat.TEXT:
            for tree in trees:
                heading = f"# {tree.id}\n" if sentence is None else ""
                out.write(f"{heading}{draw_text(tree, ascii=ascii_only, width=width)}\n\n")
        else:
            tree = next(trees)
            out.write(draw_svg(tree) if to is DrawingFormat.SVG else draw_tikz(tree, standalone=standalone))
    reading.report()


def _find(trees: Iterator[Tree], sentence: str, file: str) -> Tree:
    by_number: Tree | None = None
    count = 0
    for count, tree in enumerate(trees, 1):
        if tree.id == sentence:
            return tree
        if str(count) == sentence:
            by_number = tree
    if by_number is None:
        raise TreebankError(f"there is no sentence {sentence!r}; the file has {count}", file)
    return by_number
