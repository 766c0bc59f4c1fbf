"""Reading and writing trees in any format, which is given by its name or detected."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

from discoseq.errors import TreebankError
from discoseq.treebanks.alpino_xml import read_alpino, write_alpino
from discoseq.treebanks.export import read_export, write_export, write_export3
from discoseq.treebanks.json_lines import read_json, write_json
from discoseq.treebanks.streams import STANDARD_STREAM, Source, atomic_output, errors_named, open_source
from discoseq.treebanks.tiger_xml import read_tigerxml, write_tigerxml
from discoseq.trees.brackets import read_bracket, read_discbracket, write_bracket, write_discbracket
from discoseq.trees.tree import Tree

OnBad: TypeAlias = Callable[[TreebankError], None]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one format are read and written; the first suffix is the usual one.

    A reader yields for every sentence its tree, or the error that says why there is none.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, str | None], Iterator[Tree | TreebankError]]
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
        Format("json", (".jsonl", ".json"), lambda x, code: read_json(x.lines(code)), write_json),
    ]
}

_CONTENT = [  # patterns for the beginning of a file, in the order in which they are tried
    ("alpino", re.compile(r"<alpino_ds")),
    ("tigerxml", re.compile(r"<(corpus|subcorpus|s|graph)[\s>]")),
    ("export", re.compile(r"^#(BOS|FORMAT|BOT)\b", re.MULTILINE)),
    ("discbracket", re.compile(r"\A\s*\([^)]*\s\d+=[^\s()]")),  # the first leaf has an index
    ("discbracket", re.compile(r"\A\s*\([^)]*\s\d+\)[^\n=]*\)\t")),  # or is one, and the words follow (treetools)
    ("bracket", re.compile(r"\A\s*\(")),
    ("json", re.compile(r'\A(?:\xef\xbb\xbf)?\s*\{\s*"')),
]


def read_trees(
    path: str | Path, format: str | None = None, encoding: str | None = None, on_bad: OnBad | None = None
) -> Iterator[Tree]:
    """The trees of a file (`-`: standard input) or of all files in a folder, one at a time.

    A sentence that can't be read raises a TreebankError, or is left out and its error passed to `on_bad`.
    """
    if str(path) != STANDARD_STREAM and Path(path).is_dir():
        for file in _files_in(Path(path)):
            yield from read_trees(file, format, encoding, on_bad)
        return
    with open_source(path) as source:
        reader = format_named(format) if format else guess_format(source)
        found = False
        for reading in reader.read(source, encoding):
            found = True
            if isinstance(reading, Tree):
                yield reading if reading.id else replace(reading, id=Path(source.name).stem)
            elif on_bad is None:
                raise reading
            else:
                on_bad(TreebankError(reading.reason, source.name, reading.line))
        if not found:
            raise TreebankError(f"there are no sentences in this file (read as {reader.name})")


def write_trees(trees: Iterable[Tree], path: str | Path, format: str | None = None) -> int:
    """Write a file (`-`: standard output), which appears only when it is complete; returns the number of trees."""
    writer = format_named(format) if format else format_of_path(path)
    if writer is None:
        raise TreebankError("can't tell the format from this name; name it with --to", str(path))
    count = 0

    def counted() -> Iterator[Tree]:
        nonlocal count
        for tree in trees:
            count += 1
            yield tree

    with atomic_output(path) as out:
        for text in writer.write(counted()):
            out.write(text)
    return count


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


def format_named(name: str) -> Format:
    """The format of that name; the error for an unknown name lists all formats."""
    if name not in FORMATS:
        raise TreebankError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_path(path: str | Path) -> Format | None:
    """The format by the suffix of a file, `.gz` aside; `.xml` is taken for TIGER-XML."""
    name = Path(path).name.removesuffix(".gz")
    return next((x for x in FORMATS.values() if name.endswith(x.suffixes)), None)


def guess_format(source: Source) -> Format:
    """The format by the content of a file or, if the content matches none, by its suffix."""
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


def _files_in(folder: Path) -> list[Path]:
    """The treebank files in a folder and its subfolders, numbers in names sorted as numbers."""
    # a `.json` among treebanks is a card or a configuration; trees in JSON lines are in a `.jsonl`
    others = (".json", ".json.gz")
    known = (file for file in folder.rglob("*") if format_of_path(file) is not None and not file.name.endswith(others))
    files = [file for file in known if file.is_file()]
    if not files:
        raise TreebankError("there are no treebank files in this folder", str(folder))
    return sorted(files, key=lambda file: [_natural(part) for part in file.relative_to(folder).parts])


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
