"""Finding the files of a corpus distribution; an error says what was expected."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.files import guess_format
from discoseq.treebanks.recipes.recipe import SPLITS, Distribution, Portion
from discoseq.treebanks.streams import open_source


def read_split_list(name: str) -> dict[str, list[str]]:
    """The document names of each split of a corpus without an official one, from the lists in this package."""
    folder = files("discoseq.treebanks.recipes") / "splits"
    return {split: _expand((folder / f"{name}-{split}.txt").read_text("utf-8").split()) for split in SPLITS}


def find_folder(source: Path, candidates: Iterable[str], expected: str) -> Path:
    """The first of the folders that exists, else the source itself."""
    if not source.is_dir():
        raise not_expected(source, expected)
    return next((source / name for name in candidates if (source / name).is_dir()), source)


def find_documents(
    source: Path, folder: Path, documents: Mapping[str, Sequence[str]], suffixes: Sequence[str], format: str
) -> Distribution:
    """A portion for every document whose file exists."""
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
    return Distribution(portions, missing)


def or_gzipped(*suffixes: str) -> tuple[str, ...]:
    """The suffixes, and the suffixes with .gz."""
    return tuple(suffix + gzip for gzip in ("", ".gz") for suffix in suffixes)


def find_file(source: Path, pattern: re.Pattern[str], expected: str) -> Path:
    """The source itself if it is a file, else the one file in or below it whose name matches."""
    if source.is_file():
        return source
    if not source.is_dir():
        raise not_expected(source, expected)
    found = [path for path in sorted(source.rglob("*")) if pattern.fullmatch(path.name) and path.is_file()]
    if len(found) > 1:
        raise TreebankError(
            f"{name_within(source, found[0])} and {name_within(source, found[1])} both match; name the file",
            str(source),
        )
    if not found:
        raise not_expected(source, expected)
    return found[0]


def check_format(path: Path, formats: Sequence[str], expected: str) -> str:
    """The format of a file; an error if it is none of these."""
    with open_source(path) as source:
        try:
            guessed = guess_format(source).name
        except TreebankError:
            guessed = ""
    if guessed not in formats:
        raise not_expected(path, expected, f"this is {guessed}" if guessed else "this is not a treebank file")
    return guessed


def guess_encoding(path: Path) -> str:
    """UTF-8 if the file can be decoded as such, else latin-1, the encoding of NEGRA and old releases of TIGER."""
    with open_source(path) as source:
        try:
            for _ in source.lines("utf-8"):
                pass
        except TreebankError:
            return "latin-1"
    return "utf-8"


def split_by_number(path: Path, source: Path, format: str, splits: Mapping[str, Callable[[int], bool]]) -> Distribution:
    """One file with all sentences, split by their numbers."""
    encoding = None if format == "tigerxml" else guess_encoding(path)
    name = name_within(source, path)
    return Distribution({split: (Portion(path, name, format, encoding, chosen),) for split, chosen in splits.items()})


def between(first: int, last: int) -> Callable[[int], bool]:
    """A test whether a number is in this range, both ends included."""
    return lambda number: first <= number <= last


def name_within(source: Path, path: Path) -> str:
    """The path relative to the source, as the card names files: where the source is does not matter."""
    return path.name if path == source else path.relative_to(source).as_posix()


def not_expected(path: Path, expected: str, found: str = "") -> TreebankError:
    """An error that says what was found and what was expected."""
    if not found:
        found = "not found here" if path.exists() else "no such file or folder"
    return TreebankError(f"{found}; expected {expected}", str(path))


def _expand(entries: list[str]) -> list[str]:
    """Names as they are; 3..5 means 3, 4 and 5."""
    names: list[str] = []
    for entry in entries:
        first, dots, last = entry.partition("..")
        names.extend(map(str, range(int(first), int(last) + 1)) if dots else [entry])
    return names
