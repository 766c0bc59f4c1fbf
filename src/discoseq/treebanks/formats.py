"""The table of formats, and telling them apart by name and content."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from discoseq.errors import TreebankError
from discoseq.treebanks.alpino import read_alpino, write_alpino
from discoseq.treebanks.bracket import read_bracket, write_bracket
from discoseq.treebanks.discbracket import read_discbracket, write_discbracket
from discoseq.treebanks.export import read_export, write_export, write_export3
from discoseq.treebanks.streams import Source, errors_named
from discoseq.treebanks.tigerxml import read_tigerxml, write_tigerxml
from discoseq.trees.tree import Tree

# a reader gives for every sentence its tree, or the error that stands in its place
Readings = Iterator[Tree | TreebankError]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one kind are read and written; the first suffix is the usual one."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, str | None], Readings]
    write: Callable[[Iterable[Tree]], Iterator[str]]


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in [
        Format("export", (".export", ".negra"), lambda x, code: read_export(x.lines(code)), write_export),
        Format("export3", (".export3",), lambda x, code: read_export(x.lines(code)), write_export3),
        Format("tigerxml", (".xml", ".tigerxml"), lambda x, code: read_tigerxml(x.stream, code), write_tigerxml),
        Format(
            "discbracket",
            (".discbracket", ".discbrackets", ".dbr", ".discobrackets"),
            lambda x, code: read_discbracket(x.lines(code)),
            write_discbracket,
        ),
        Format(
            "bracket",
            (".mrg", ".bracket", ".brackets", ".ptb", ".psd", ".tree"),
            lambda x, code: read_bracket(x.lines(code)),
            write_bracket,
        ),
        Format("alpino", (".alpino",), lambda x, code: read_alpino(x.stream, code), write_alpino),
    ]
}

_CONTENT = [  # what the head of a file says, in the order of asking
    ("alpino", re.compile(r"<alpino_ds")),
    ("tigerxml", re.compile(r"<(corpus|subcorpus|s|graph)[\s>]")),
    ("export", re.compile(r"^#(BOS|FORMAT|BOT)\b", re.MULTILINE)),
    ("discbracket", re.compile(r"\A\s*\([^)]*\s\d+=[^\s()]")),  # the first leaf has an index
    ("discbracket", re.compile(r"\A\s*\([^)]*\s\d+\)[^\n=]*\)\t")),  # or is one, and the words follow (treetools)
    ("bracket", re.compile(r"\A\s*\(")),
]


def format_named(name: str) -> Format:
    """The format of that name; an unknown one lists those there are."""
    if name not in FORMATS:
        raise TreebankError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_path(path: str | Path) -> Format | None:
    """What the suffix says, `.gz` aside; `.xml` is taken for TIGER-XML."""
    name = Path(path).name.removesuffix(".gz")
    return next((x for x in FORMATS.values() if name.endswith(x.suffixes)), None)


def guess_format(source: Source) -> Format:
    """What the content says and, where it says nothing, the suffix."""
    head = source.head()
    if not head:
        raise TreebankError("the file is empty", source.name)
    text = head.decode("latin-1")
    if "\x00" not in text:
        for name, pattern in _CONTENT:
            if pattern.search(text):
                return FORMATS[name]
    by_suffix = format_of_path(source.name)
    if by_suffix is None or "\x00" in text:
        raise TreebankError(f"can't tell what format this is; name one of {', '.join(FORMATS)}", source.name)
    return by_suffix


def parse_trees(text: str, format: str) -> list[Tree]:
    """The trees in a string."""
    source = Source("<string>", io.BufferedReader(cast(io.RawIOBase, io.BytesIO(text.encode()))))
    trees = []
    with errors_named(source.name):
        for reading in format_named(format).read(source, "utf-8"):
            if isinstance(reading, TreebankError):
                raise reading
            trees.append(reading)
    return trees


def format_trees(trees: Iterable[Tree], format: str) -> str:
    """The trees as the text of a file."""
    return "".join(format_named(format).write(trees))
