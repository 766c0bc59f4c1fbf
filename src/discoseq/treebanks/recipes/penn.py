"""The Wall Street Journal part of the Penn Treebank, continuous (ptb) or discontinuous (dptb)."""

import re
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.recipe import (
    SPLITS,
    Distribution,
    Portion,
    Recipe,
    Settings,
    Transform,
    change_words,
    give_root,
    return_to_traces,
)
from discoseq.treebanks.recipes.sources import (
    between,
    check_format,
    find_file,
    name_within,
    not_expected,
    split_by_number,
)

_SECTIONS = {"train": range(2, 22), "dev": range(22, 23), "test": range(23, 24)}
_SIZES = {"train": 39832, "dev": 1700, "test": 2416}
# the same sections as sentence numbers in one file that has all 49,208 sentences in order
_RANGES = {"train": between(3915, 43746), "dev": between(43747, 45446), "test": between(45447, 47862)}

_PTB_EXPECTED = (
    "the WSJ part of the Penn Treebank: a folder with wsj/02/wsj_0200.mrg and so on, with one file a section "
    "(wsj_02.mrg) or a split (wsj_02-21.mrg, train.mrg), or one file with all 49,208 trees in order"
)
_DPTB_EXPECTED = f"dptb7.export, or {_PTB_EXPECTED}"

_SUFFIX = r"\.(?:mrg|ptb|psd|brackets?|parse|tree|txt)(?:\.gz)?"
_DOCUMENT = re.compile(r"wsj_(\d\d)\d\d\.mrg(?:\.gz)?", re.IGNORECASE)  # the LDC's discs have WSJ_0200.MRG
_SECTIONS_FILE = re.compile(
    rf"(?:wsj|ptb|sec|section|sections)?[-_. ]?(\d\d?)(?:(?:-|_|to|-to-)(\d\d?))?{_SUFFIX}", re.IGNORECASE
)
_SPLIT_FILE = re.compile(rf"(?:wsj|ptb)?[-_.]?(train|dev|test){_SUFFIX}", re.IGNORECASE)
_ANY_FILE = re.compile(rf".+{_SUFFIX}", re.IGNORECASE)
_DPTB_FILE = re.compile(r"dptb.*\.export(?:\.gz)?", re.IGNORECASE)


def _locate_ptb(source: Path, expected: str = _PTB_EXPECTED) -> Distribution:
    """Files of documents, sections or splits; or one file that is split by sentence numbers."""
    if source.is_file():
        check_format(source, ["bracket"], expected)
        named = _sections_in_files([source], source)
        return named if named.portions else split_by_number(source, source, "bracket", _RANGES)
    if not source.is_dir():
        raise not_expected(source, expected)
    files = sorted(path for path in source.rglob("*") if path.is_file() and _ANY_FILE.fullmatch(path.name))
    found = _documents(files, source)
    if not found.portions:
        found = _sections_in_files(files, source)
    if not found.portions and len(files) == 1:
        return _locate_ptb(files[0], expected)
    if not found.portions:
        raise not_expected(source, expected)
    check_format(next(iter(found.portions.values()))[0].path, ["bracket"], expected)
    return found


def _locate_dptb(source: Path) -> Distribution:
    if not source.exists():
        raise not_expected(source, _DPTB_EXPECTED)
    if source.is_file():
        is_export = check_format(source, ["export", "bracket"], _DPTB_EXPECTED) == "export"
    else:
        is_export = any(_DPTB_FILE.fullmatch(path.name) for path in source.rglob("*"))
    if not is_export:
        return _locate_ptb(source, _DPTB_EXPECTED)
    path = find_file(source, _DPTB_FILE, _DPTB_EXPECTED)
    check_format(path, ["export"], _DPTB_EXPECTED)
    return split_by_number(path, source, "export", _RANGES)


def _ptb_steps(settings: Settings) -> tuple[Transform, ...]:
    # TOP, because EVALB's COLLINS.prm ignores this label, but counts ROOT and the empty label of `( (S`
    return give_root("TOP"), return_to_traces(())


def _dptb_steps(settings: Settings) -> tuple[Transform, ...]:
    return (
        give_root("ROOT"),
        return_to_traces(settings.moved),  # dptb7.export has no traces left
        change_words(r"backslashes are left out of words (\/ is /)", lambda word: word.replace("\\", "") or word),
    )


PTB = Recipe(
    name="ptb",
    title="Penn Treebank, WSJ sections 2-21 / 22 / 23",
    language="English",
    licence="licensed by the LDC (LDC99T42, also LDC95T7)",
    address="https://catalog.ldc.upenn.edu/LDC99T42",
    expected=_PTB_EXPECTED,
    sizes=_SIZES,
    locate=_locate_ptb,
    steps=_ptb_steps,
    has_gaps=False,
)

# Evang & Kallmeyer (2011), made from the .mrg files or taken from dptb7.export
DPTB = Recipe(
    name="dptb",
    title="Discontinuous Penn Treebank, WSJ sections 2-21 / 22 / 23",
    language="English",
    licence="licensed by the LDC, as ptb; dptb7.export from its author to those who have that licence",
    address="https://catalog.ldc.upenn.edu/LDC99T42, or K. Evang for dptb7.export",
    expected=_DPTB_EXPECTED,
    sizes=_SIZES,
    locate=_locate_dptb,
    steps=_dptb_steps,
    has_traces=True,
)


def _documents(files: list[Path], source: Path) -> Distribution:
    by_name: dict[str, Path] = {}
    for path in files:
        if _DOCUMENT.fullmatch(path.name):
            name = path.name.lower().removesuffix(".gz")
            if name in by_name:
                raise _found_twice(name, by_name[name], path, source)
            by_name[name] = path
    by_section: dict[int, list[Path]] = {}
    for name in sorted(by_name):
        by_section.setdefault(int(name[4:6]), []).append(by_name[name])
    return _distribution(by_section, source)


def _sections_in_files(files: list[Path], source: Path) -> Distribution:
    by_section: dict[int, list[Path]] = {}
    for path in files:
        sections = _sections_of(path)
        for section in sections:
            if section in by_section:
                raise _found_twice(f"section {section:02}", by_section[section][0], path, source)
            by_section[section] = []
        if sections:
            by_section[sections[0]].append(path)
    return _distribution(by_section, source)


def _sections_of(path: Path) -> list[int]:
    """The sections in a file according to its name, if they are all in one split."""
    if split := _SPLIT_FILE.fullmatch(path.name):
        return list(_SECTIONS[split[1].lower()])
    numbers = _SECTIONS_FILE.fullmatch(path.name)
    if numbers is None:
        return []
    sections = list(range(int(numbers[1]), int(numbers[2] or numbers[1]) + 1))
    return sections if any(set(sections) <= set(whole) for whole in _SECTIONS.values()) else []


def _distribution(by_section: dict[int, list[Path]], source: Path) -> Distribution:
    portions = {}
    missing = {}
    for split in SPLITS:
        found = [path for section in _SECTIONS[split] for path in by_section.get(section, [])]
        lacking = [f"section {section:02}" for section in _SECTIONS[split] if section not in by_section]
        if found:
            portions[split] = tuple(Portion(path, name_within(source, path), "bracket") for path in found)
        if lacking:
            missing[split] = tuple(lacking)
    return Distribution(portions, missing)


def _found_twice(name: str, one: Path, two: Path, source: Path) -> TreebankError:
    return TreebankError(
        f"{name} was found twice, in {name_within(source, one)} and in {name_within(source, two)}; "
        "choose a folder that has it once",
        str(source),
    )
