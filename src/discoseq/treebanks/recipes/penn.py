"""The Wall Street Journal part of the Penn Treebank in the shapes in which people have it."""

import re
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.recipe import SPLITS, Layout, Portion
from discoseq.treebanks.recipes.sources import between, check_format, cut, name_within, not_expected

SECTIONS = {"train": range(2, 22), "dev": range(22, 23), "test": range(23, 24)}
SIZES = {"train": 39832, "dev": 1700, "test": 2416}
# the same sections as places in one file that has all 49,208 sentences in order
RANGES = {"train": between(3915, 43746), "dev": between(43747, 45446), "test": between(45447, 47862)}

EXPECTED = (
    "the WSJ part of the Penn Treebank: a folder with wsj/02/wsj_0200.mrg and so on, with a file a section "
    "(wsj_02.mrg) or a split (wsj_02-21.mrg, train.mrg), or one file with all 49,208 trees in order"
)

_SUFFIX = r"\.(?:mrg|ptb|psd|brackets?|parse|tree|txt)(?:\.gz)?"
_DOCUMENT = re.compile(r"wsj_(\d\d)\d\d\.mrg(?:\.gz)?", re.IGNORECASE)  # the LDC's discs have WSJ_0200.MRG
_SECTIONS = re.compile(
    rf"(?:wsj|ptb|sec|section|sections)?[-_. ]?(\d\d?)(?:(?:-|_|to|-to-)(\d\d?))?{_SUFFIX}", re.IGNORECASE
)
_SPLIT = re.compile(rf"(?:wsj|ptb)?[-_.]?(train|dev|test){_SUFFIX}", re.IGNORECASE)
_ANY = re.compile(rf".+{_SUFFIX}", re.IGNORECASE)


def locate_penn(source: Path, expected: str = EXPECTED) -> Layout:
    """Files of documents, of sections or of splits; or one file that is cut by numbers."""
    if source.is_file():
        check_format(source, ["bracket"], expected)
        named = _combined([source], source)
        return named if named.portions else cut(source, source, "bracket", RANGES)
    if not source.is_dir():
        raise not_expected(source, expected)
    files = sorted(path for path in source.rglob("*") if path.is_file() and _ANY.fullmatch(path.name))
    layout = _documents(files, source)
    if not layout.portions:
        layout = _combined(files, source)
    if not layout.portions and len(files) == 1:
        return locate_penn(files[0], expected)
    if not layout.portions:
        raise not_expected(source, expected)
    check_format(next(iter(layout.portions.values()))[0].path, ["bracket"], expected)
    return layout


def _documents(files: list[Path], source: Path) -> Layout:
    by_name: dict[str, Path] = {}
    for path in files:
        if _DOCUMENT.fullmatch(path.name):
            name = path.name.lower().removesuffix(".gz")
            if name in by_name:
                raise _twice(name, by_name[name], path, source)
            by_name[name] = path
    by_section: dict[int, list[Path]] = {}
    for name in sorted(by_name):
        by_section.setdefault(int(name[4:6]), []).append(by_name[name])
    return _layout(by_section, source)


def _combined(files: list[Path], source: Path) -> Layout:
    by_section: dict[int, list[Path]] = {}
    for path in files:
        sections = _sections_of(path)
        for section in sections:
            if section in by_section:
                raise _twice(f"section {section:02}", by_section[section][0], path, source)
            by_section[section] = []
        if sections:
            by_section[sections[0]].append(path)
    return _layout(by_section, source)


def _sections_of(path: Path) -> list[int]:
    """The sections that a combined file holds, if its name says so and they are all in one split."""
    if split := _SPLIT.fullmatch(path.name):
        return list(SECTIONS[split[1].lower()])
    numbers = _SECTIONS.fullmatch(path.name)
    if numbers is None:
        return []
    sections = list(range(int(numbers[1]), int(numbers[2] or numbers[1]) + 1))
    return sections if any(set(sections) <= set(whole) for whole in SECTIONS.values()) else []


def _layout(by_section: dict[int, list[Path]], source: Path) -> Layout:
    portions = {}
    missing = {}
    for split in SPLITS:
        found = [path for section in SECTIONS[split] for path in by_section.get(section, [])]
        lacking = [f"section {section:02}" for section in SECTIONS[split] if section not in by_section]
        if found:
            portions[split] = tuple(Portion(path, name_within(source, path), "bracket") for path in found)
        if lacking:
            missing[split] = tuple(lacking)
    return Layout(portions, missing)


def _twice(what: str, one: Path, two: Path, source: Path) -> TreebankError:
    return TreebankError(
        f"{what} is there twice, in {name_within(source, one)} and in {name_within(source, two)}; "
        "name a folder that has it once",
        str(source),
    )
