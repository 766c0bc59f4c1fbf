"""`discoseq delinearize`: action sequences to trees."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Annotated, TypeAlias

import typer

from discoseq.cli.linearize import NAMES
from discoseq.cli.reading import FORMAT_NAMES, EncodingOption, track
from discoseq.errors import LinearizationError, TreebankError
from discoseq.linearizations.actions import unescape
from discoseq.linearizations.linearization import Linearization, linearization
from discoseq.treebanks.files import format_of_path, read_trees, write_trees
from discoseq.treebanks.streams import STANDARD_STREAM, open_source
from discoseq.trees.tree import Token, Tree

_TEXT = "text"

Sentence: TypeAlias = tuple[tuple[Token, ...], str | None]  # the tokens, and the sentence's id if it has one


def delinearize(
    sequences: Annotated[str, typer.Argument(metavar="SEQS", help="A sequence a line, or - for standard input.")],
    name: Annotated[str, typer.Option("--linearization", "-l", help=f"One of {NAMES}.")],
    tokens: Annotated[
        str | None,
        typer.Option(
            help="The tokens: a sentence a line with spaces between the words, or a treebank for its words and tags. "
            "Default: the words in SEQS, if it was written with --with-words.",
        ),
    ] = None,
    tokens_from: Annotated[
        str | None, typer.Option(help=f"Format of the tokens: text, {FORMAT_NAMES}. Default: by the suffix, else text.")
    ] = None,
    to_format: Annotated[
        str | None,
        typer.Option("--to", help=f"Format of the trees: {FORMAT_NAMES}. Default: by the suffix of the output."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="A file, or - for standard output.")] = STANDARD_STREAM,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Make a tree of any sequence, and report the repairs.")
    ] = False,
    root: Annotated[str, typer.Option(help="With --lenient: the label of a root that has to be added.")] = "ROOT",
    encoding: EncodingOption = None,
) -> None:
    """Build trees from action sequences.

    Example: `discoseq delinearize predicted.actions -l in-order+swap --tokens test.export --to discbracket`
    """
    chosen = linearization(name)
    repaired: list[int] = []

    def trees() -> Iterator[Tree]:
        for number, sequence, sentence in _pairs(sequences, tokens, tokens_from, encoding):
            words, tree_id = sentence
            if lenient:
                result = chosen.repair(words, chosen.read_leniently(sequence), root)
                for repair in result.repairs:
                    print(f"{sequences}:{number}: {repair}", file=sys.stderr)
                if result.repairs:
                    repaired.append(number)
                yield replace(result.tree, id=tree_id)
            else:
                yield replace(_strict(chosen, words, sequence, sequences, number), id=tree_id)

    count = write_trees(trees() if output == STANDARD_STREAM else track(trees(), "building"), output, to_format)
    if lenient:
        print(f"repaired {len(repaired):,} of {count:,} sequences", file=sys.stderr)


def _strict(chosen: Linearization, tokens: tuple[Token, ...], sequence: str, file: str, line: int) -> Tree:
    try:
        return chosen.build(tokens, chosen.read(sequence))
    except LinearizationError as error:
        raise TreebankError(str(error), file, line) from None


def _pairs(
    sequences: str, sentences: str | None, sentences_from: str | None, encoding: str | None
) -> Iterator[tuple[int, str, Sentence]]:
    """The line number, the sequence and the sentence of every line."""
    if sentences is None:
        for number, line in enumerate(_lines(sequences, encoding), 1):
            words, tab, sequence = line.partition("\t")
            if not tab:
                raise TreebankError(
                    "the line has no words and no tab before the sequence; use --tokens", sequences, number
                )
            yield number, sequence, _words(words)
        return
    both = zip_longest(_lines(sequences, encoding), _sentences(sentences, sentences_from, encoding))
    for number, (line, sentence) in enumerate(both, 1):
        if line is None:
            raise TreebankError(f"the file ends here, but {sentences} has more sentences", sequences, number - 1)
        if sentence is None:
            raise TreebankError(f"{sentences} has no sentence for this sequence", sequences, number)
        yield number, line.rpartition("\t")[2], sentence


def _sentences(path: str, format: str | None, encoding: str | None) -> Iterator[Sentence]:
    if format == _TEXT or (format is None and format_of_path(path) is None):
        yield from map(_words, _lines(path, encoding))
    else:
        for tree in read_trees(path, format, encoding):
            yield tuple(replace(token, function=None) for token in tree.tokens), tree.id


def _lines(path: str, encoding: str | None) -> Iterator[str]:
    with open_source(path) as source:
        for line in source.lines(encoding):
            yield line.rstrip("\r\n")


def _words(text: str) -> Sentence:
    return tuple(Token(unescape(word)) for word in text.split(" ") if word), None
