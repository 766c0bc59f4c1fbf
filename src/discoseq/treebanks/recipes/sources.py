"""Finding a distribution's files, and one sentence that says what was expected where they are not."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.formats import guess_format
from discoseq.treebanks.recipes.recipe import SPLITS, Layout, Portion
from discoseq.treebanks.streams import open_source


def read_split_list(name: str) -> dict[str, list[str]]:
    """The document names of each split of a corpus that has no official ones, from the package's own lists."""
    folder = files("discoseq.treebanks.recipes") / "splits"
    return {split: _expand((folder / f"{name}-{split}.txt").read_text("utf-8").split()) for split in SPLITS}


def find_folder(source: Path, candidates: Iterable[str], expected: str) -> Path:
    """The first of the folders that is there; the source itself where none is."""
    if not source.is_dir():
        raise not_expected(source, expected)
    return next((source / name for name in candidates if (source / name).is_dir()), source)


def find_documents(
    source: Path, folder: Path, documents: Mapping[str, Sequence[str]], suffixes: Sequence[str], format: str
) -> Layout:
    """A portion for every document whose file is there, plain or gzipped."""
    portions: dict[str, tuple[Portion, ...]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    names = {path.name for path in folder.iterdir()}
    for split, stems in documents.items():
        found = []
        lacking = []
        for stem in stems:
            name = next((stem + suffix for suffix in suffixes if stem + suffix in names), None)
            if name is None:
                lacking.append(stem + suffixes[0])
            else:
                found.append(Portion(folder / name, name_within(source, folder / name), format))
        if found:
            portions[split] = tuple(found)
        if lacking:
            missing[split] = tuple(lacking)
    return Layout(portions, missing)


def zipped_too(*suffixes: str) -> tuple[str, ...]:
    return tuple(suffix + zipped for zipped in ("", ".gz") for suffix in suffixes)


def find_file(source: Path, pattern: re.Pattern[str], expected: str) -> Path:
    """The source itself if it is a file, else the one file in or below it whose name matches."""
    if source.is_file():
        return source
    if not source.is_dir():
        raise not_expected(source, expected)
    found = [path for path in sorted(source.rglob("*")) if pattern.fullmatch(path.name) and path.is_file()]
    if len(found) > 1:
        raise TreebankError(
            f"{name_within(source, found[0])} and {name_within(source, found[1])} could both be meant; name the file",
            str(source),
        )
    if not found:
        raise not_expected(source, expected)
    return found[0]


def check_format(path: Path, formats: Sequence[str], expected: str) -> str:
    """The format of a file, which has to be one of those named."""
    with open_source(path) as source:
        try:
            guessed = guess_format(source).name
        except TreebankError:
            guessed = ""
    if guessed not in formats:
        raise not_expected(path, expected, f"this is {guessed}" if guessed else "this is no treebank file")
    return guessed


def guess_encoding(path: Path) -> str:
    """UTF-8 if the file is, else latin-1, in which NEGRA and the older releases of TIGER come."""
    with open_source(path) as source:
        try:
            for _ in source.lines("utf-8"):
                pass
        except TreebankError:
            return "latin-1"
    return "utf-8"


def cut(path: Path, source: Path, format: str, splits: Mapping[str, Callable[[int], bool]]) -> Layout:
    """One file with all the sentences, divided by their numbers."""
    encoding = None if format == "tigerxml" else guess_encoding(path)
    name = name_within(source, path)
    return Layout({split: (Portion(path, name, format, encoding, chosen),) for split, chosen in splits.items()})


def between(first: int, last: int) -> Callable[[int], bool]:
    """Whether a number is one of these, both ends included."""
    return lambda number: first <= number <= last


def name_within(source: Path, path: Path) -> str:
    """How the card names a file: without the place of the source, which is no property of the corpus."""
    return path.name if path == source else path.relative_to(source).as_posix()


def not_expected(path: Path, expected: str, found: str = "") -> TreebankError:
    """What is there, or that nothing is, and what was expected."""
    if not found:
        found = "it is not here" if path.exists() else "no such file or folder"
    return TreebankError(f"{found}; expected {expected}", str(path))


def _expand(entries: list[str]) -> list[str]:
    """Names as they are; 3..5 stands for 3, 4 and 5."""
    names: list[str] = []
    for entry in entries:
        first, dots, last = entry.partition("..")
        names.extend(map(str, range(int(first), int(last) + 1)) if dots else [entry])
    return names
