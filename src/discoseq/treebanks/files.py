"""Reading and writing trees in any format, which is given by its name or detected."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from discoseq.errors import NoTreesError, TreebankError
from discoseq.treebanks.alpino_xml import read_alpino, write_alpino
from discoseq.treebanks.brackets import read_bracket, read_discbracket, write_bracket, write_discbracket
from discoseq.treebanks.export import read_export, write_export, write_export3
from discoseq.treebanks.json_lines import read_json, write_json
from discoseq.treebanks.streams import STANDARD_STREAM, Source, atomic_output, bytes_source, errors_named, open_source
from discoseq.treebanks.tiger_xml import read_tigerxml, write_tigerxml
from discoseq.trees.bracket_parser import ORDINARY_LEAVES, Leaves
from discoseq.trees.notes import Note, OnNote
from discoseq.trees.tree import Tree

OnBad: TypeAlias = Callable[[TreebankError], None]
OnFile: TypeAlias = Callable[[Source], None]


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
        Format("export", (".export", ".negra"), lambda x, code: read_export(x.lines(code), x.note), write_export),
        Format("export3", (".export3",), lambda x, code: read_export(x.lines(code), x.note), write_export3),
        Format(
            "tigerxml",
            (".xml", ".tigerxml"),
            lambda x, code: read_tigerxml(x.stream, x.encoding(code), note=x.note),
            write_tigerxml,
        ),
        Format(
            "discbracket",
            (".discbracket", ".discbrackets", ".dbr", ".discobrackets"),
            lambda x, code: read_discbracket(x.lines(code)),
            write_discbracket,
        ),
        Format(
            "bracket",
            (".mrg", ".bracket", ".brackets", ".ptb", ".psd", ".tree", ".prd", ".parse", ".fid", ".tbf"),
            lambda x, code: read_bracket(x.lines(code), note=x.note),
            write_bracket,
        ),
        Format(
            "alpino",
            (".alpino",),
            lambda x, code: read_alpino(x.stream, x.encoding(code), x.note),
            write_alpino,
        ),
        Format("json", (".jsonl", ".json"), lambda x, code: read_json(x.lines(code)), write_json),
    ]
}

_PREAMBLE = r"\A(?:\s*+[#<][^\n]*+)*+\s*+"  # comments and SGML before the first bracket
_CONTENT = [  # patterns for the beginning of a file, in the order in which they are tried
    ("alpino", re.compile(r"<alpino_ds")),
    ("tigerxml", re.compile(r"<(?:corpus|subcorpus|graph)[\s>]|<s(?:\s[^>]*[\"'])?\s*>")),  # <s id=1> is SGML
    ("export", re.compile(r"^#(BOS|FORMAT|BOT)\b", re.MULTILINE)),
    ("discbracket", re.compile(rf"{_PREAMBLE}\([^)]*\s\d+=[^\s()]")),  # the first leaf has an index
    (
        "discbracket",
        re.compile(rf"{_PREAMBLE}\([^)]*\s\d+\)[^\n=]*\)\t"),
    ),  # or is one (treetools)
    ("bracket", re.compile(rf"{_PREAMBLE}\(")),
    ("json", re.compile(r'\A\s*\{\s*"')),
]


def read_trees(
    path: str | Path,
    format: str | None = None,
    encoding: str | None = None,
    on_bad: OnBad | None = None,
    on_note: OnNote | None = None,
    leaves: Leaves = ORDINARY_LEAVES,
    on_file: OnFile | None = None,
) -> Iterator[Tree]:
    """The trees of a file (`-`: standard input) or of all files in a folder, one at a time.

    A sentence that can't be read raises a TreebankError, or is left out and its error passed to `on_bad`. What is left
    out of a tree is passed to `on_note`. `leaves` is for brackets that are not one word under a tag. `on_file` gets
    every file that is opened, before its first tree.
    """
    if str(path) == STANDARD_STREAM or not Path(path).is_dir():
        yield from _read_file(path, format, encoding, on_bad, on_note, leaves, on_file)
        return
    has_trees = False
    for file in _treebank_files(Path(path), format):
        try:
            if format is not None and not _is_of_format(file, format_named(format)):
                raise NoTreesError(f"this is not {format}", str(file))
            yield from _read_file(file, format, encoding, on_bad, on_note, leaves, on_file)
            has_trees = True
        except NoTreesError as error:
            if on_note is not None:
                on_note(Note(f"{error.reason}; it is passed over", str(file)))
    if not has_trees:
        raise NoTreesError("there are no trees in the files of this folder", str(path))


def _read_file(
    path: str | Path,
    format: str | None,
    encoding: str | None,
    on_bad: OnBad | None,
    on_note: OnNote | None,
    leaves: Leaves,
    on_file: OnFile | None,
) -> Iterator[Tree]:
    with open_source(path, on_note) as source:
        if on_file is not None:
            on_file(source)
        yield from read_source(source, format, encoding, on_bad, leaves)


def read_source(
    source: Source,
    format: str | None = None,
    encoding: str | None = None,
    on_bad: OnBad | None = None,
    leaves: Leaves = ORDINARY_LEAVES,
) -> Iterator[Tree]:
    """The trees of a source, as `read_trees` reads them."""
    found = False
    reader = format_named(format) if format else guess_format(source)
    # brackets alone leave open what a leaf is
    is_bracket = reader.name == "bracket"
    readings = (
        read_bracket(source.lines(encoding), leaves, source.note) if is_bracket else reader.read(source, encoding)
    )
    for reading in readings:
        found = True
        if isinstance(reading, Tree):
            yield reading if reading.id else replace(reading, id=Path(source.name).stem)
        elif on_bad is None:
            raise reading
        else:
            on_bad(TreebankError(reading.reason, source.name, reading.line))
    if not found:
        raise NoTreesError(f"there are no sentences in this file (read as {reader.name})", source.name)


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
    name = "<string>"
    trees = []
    with errors_named(name):
        for reading in format_named(format).read(bytes_source(name, text.encode()), "utf-8"):
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
        raise NoTreesError("the file is empty", source.name)
    text = head.decode("latin-1")
    if "\x00" not in text:
        for name, pattern in _CONTENT:
            if pattern.search(text):
                return FORMATS[name]
    by_suffix = format_of_path(source.name)
    if by_suffix is None or "\x00" in text:
        raise TreebankError(f"can't tell what format this is; name one of {', '.join(FORMATS)}", source.name)
    return by_suffix


def files_in(folder: Path) -> list[Path]:
    """All files in a folder and its subfolders but hidden ones, numbers in names sorted as numbers."""
    files = [(file, file.relative_to(folder).parts) for file in folder.rglob("*") if file.is_file()]
    seen = [(file, parts) for file, parts in files if not any(part.startswith(".") for part in parts)]
    return [file for file, parts in sorted(seen, key=lambda item: [natural_key(part) for part in item[1]])]


def treebank_files(folder: Path, format: str) -> list[Path]:
    """The files in a folder that end or begin as the format does."""
    return [file for file in files_in(folder) if _is_of_format(file, format_named(format))]


def _treebank_files(folder: Path, format: str | None) -> list[Path]:
    """If the format is named, these are all files, whatever their suffix."""
    files = files_in(folder)
    if format is None:
        # a `.json` among treebanks is a card or a configuration; trees in JSON lines are in a `.jsonl`
        files = [x for x in files if format_of_path(x) is not None and not x.name.endswith((".json", ".json.gz"))]
    if not files:
        raise TreebankError("there are no treebank files in this folder", str(folder))
    return files


def _is_of_format(path: Path, format: Format) -> bool:
    """Whether a file ends or begins as the format does; a README beside the trees does not."""
    patterns = [pattern for name, pattern in _CONTENT if name == format.name]
    if not patterns or path.name.removesuffix(".gz").endswith(format.suffixes):
        return True
    with open_source(path) as source:
        head = source.head().decode("latin-1")
    return "\x00" in head or any(pattern.search(head) for pattern in patterns)  # UTF-16 has zeros


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sorts names as people do: part 9 before part 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
