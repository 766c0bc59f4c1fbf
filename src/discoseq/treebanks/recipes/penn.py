"""The Wall Street Journal part of the Penn Treebank, continuous (ptb) or discontinuous (dptb)."""

import re
from collections.abc import Sequence
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.recipe import (
    SPLITS,
    Distribution,
    Portion,
    Recipe,
    Sections,
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
from discoseq.trees.draft import Draft
from discoseq.trees.tree import Tree

_SECTIONS: Sections = {"train": tuple(range(2, 22)), "dev": (22,), "test": (23,)}
_SIZES = {"train": 39832, "dev": 1700, "test": 2416}
# the same sections as sentence numbers in one file that has all 49,208 sentences in order
_RANGES = {"train": between(3915, 43746), "dev": between(43747, 45446), "test": between(45447, 47862)}

_PTB_EXPECTED = (
    "the WSJ part of the Penn Treebank: a folder with wsj/02/wsj_0200.mrg and so on, with one file a section "
    "(wsj_02.mrg) or a split (wsj_02-21.mrg, train.mrg), or one file with all 49,208 trees in order"
)
_DPTB_EXPECTED = f"dptb7.export, or {_PTB_EXPECTED}"

_ONE_FILE = "--sections needs a file for each document or section"

_SUFFIX = r"\.(?:mrg|ptb|psd|brackets?|parse|tree|txt)(?:\.gz)?"
_DOCUMENT = re.compile(r"wsj_(\d\d)\d\d\.mrg(?:\.gz)?", re.IGNORECASE)  # the LDC's discs have WSJ_0200.MRG
_SECTIONS_FILE = re.compile(
    rf"(?:wsj|ptb|sec|section|sections)?[-_. ]?(\d\d?)(?:(?:-|_|to|-to-)(\d\d?))?{_SUFFIX}", re.IGNORECASE
)
_SPLIT_FILE = re.compile(rf"(?:wsj|ptb)?[-_.]?(train|dev|test){_SUFFIX}", re.IGNORECASE)
_ANY_FILE = re.compile(rf".+{_SUFFIX}", re.IGNORECASE)
_DPTB_FILE = re.compile(r"dptb.*\.export(?:\.gz)?", re.IGNORECASE)


def _locate_ptb(source: Path, sections: Sections = _SECTIONS, expected: str = _PTB_EXPECTED) -> Distribution:
    """Files of documents, sections or splits; or one file that is split by sentence numbers."""
    if not source.exists():
        raise not_expected(source, expected)
    if source.is_file():
        check_format(source, ["bracket"], expected)
        files = [source]
    else:
        files = sorted(path for path in source.rglob("*") if path.is_file() and _ANY_FILE.fullmatch(path.name))
    by_section = _documents(files, source) if source.is_dir() else {}
    by_section = by_section or _sections_in_files(files, source, sections)
    found = _distribution(by_section, source, sections)
    if found.portions:
        check_format(next(iter(found.portions.values()))[0].path, ["bracket"], expected)
        return found
    if by_section:
        raise _in_no_split(sorted(by_section), sections, source)
    if len(files) != 1:
        raise not_expected(source, expected)
    if source.is_dir():
        return _locate_ptb(files[0], sections, expected)
    if sections is not _SECTIONS:
        raise TreebankError(f"{_ONE_FILE}, and this is one file without a section in its name", str(source))
    return split_by_number(source, source, "bracket", _RANGES)


def _locate_dptb(source: Path, sections: Sections = _SECTIONS) -> Distribution:
    if not source.exists():
        raise not_expected(source, _DPTB_EXPECTED)
    if source.is_file():
        is_export = check_format(source, ["export", "bracket"], _DPTB_EXPECTED) == "export"
    else:
        is_export = any(_DPTB_FILE.fullmatch(path.name) for path in source.rglob("*"))
    if not is_export:
        return _locate_ptb(source, sections, _DPTB_EXPECTED)
    path = find_file(source, _DPTB_FILE, _DPTB_EXPECTED)
    check_format(path, ["export"], _DPTB_EXPECTED)
    if sections is not _SECTIONS:
        raise TreebankError(f"{_ONE_FILE}, and {name_within(source, path)} is one file for all", str(source))
    return split_by_number(path, source, "export", _RANGES)


def _fold_particles(tree: Tree) -> Tree:
    draft = Draft.of(tree)
    if _DOUBTFUL not in draft.labels:
        return tree
    draft.labels = [_PARTICLE if label == _DOUBTFUL else label for label in draft.labels]
    return draft.freeze(tree.id, tree.comment)


_DOUBTFUL, _PARTICLE = "PRT|ADVP", "PRT"  # the annotators could not decide
_FOLD_PARTICLES = Transform(f"the label {_DOUBTFUL} is {_PARTICLE}", _fold_particles)


def _ptb_steps(settings: Settings) -> tuple[Transform, ...]:
    # TOP, because EVALB's COLLINS.prm ignores this label, but counts ROOT and the empty label of `( (S`
    return give_root("TOP"), return_to_traces(()), _FOLD_PARTICLES


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
    locate_sections=_locate_ptb,
    steps=_ptb_steps,
    has_gaps=False,
    rules="evalb",
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
    locate_sections=_locate_dptb,
    steps=_dptb_steps,
    has_traces=True,
)


def _documents(files: list[Path], source: Path) -> dict[int, list[Path]]:
    """The documents of every section, by their names."""
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
    return by_section


def _sections_in_files(files: list[Path], source: Path, sections: Sections) -> dict[int, list[Path]]:
    """The file of every section; of a file with several, it is listed under the first."""
    by_section: dict[int, list[Path]] = {}
    for path in files:
        numbers = _sections_of(path)
        splits = [split for split, chosen in sections.items() if set(numbers) & set(chosen)]
        if splits and (len(splits) > 1 or not set(numbers) <= set(sections[splits[0]])):
            continue  # the file can't be cut where a split ends
        for section in numbers:
            if splits and section in by_section:
                raise _found_twice(f"section {section:02}", by_section[section][0], path, source)
            by_section.setdefault(section, [])
        if numbers:
            by_section[numbers[0]].append(path)
    return by_section


def _sections_of(path: Path) -> list[int]:
    """The sections in a file according to its name."""
    if split := _SPLIT_FILE.fullmatch(path.name):
        return list(_SECTIONS[split[1].lower()])
    numbers = _SECTIONS_FILE.fullmatch(path.name)
    return [] if numbers is None else list(range(int(numbers[1]), int(numbers[2] or numbers[1]) + 1))


def _distribution(by_section: dict[int, list[Path]], source: Path, sections: Sections) -> Distribution:
    portions = {}
    missing = {}
    for split in SPLITS:
        chosen = sections.get(split, ())
        found = [path for section in chosen for path in by_section.get(section, [])]
        lacking = [f"section {section:02}" for section in chosen if section not in by_section]
        if found:
            portions[split] = tuple(Portion(path, name_within(source, path), "bracket") for path in found)
        if lacking:
            missing[split] = tuple(lacking)
    return Distribution(portions, missing)


def _in_no_split(found: list[int], sections: Sections, source: Path) -> TreebankError:
    splits = ", ".join(f"{split} is {_ranges(chosen)}" for split, chosen in sections.items())
    trial = f"train={_ranges(found)}" if len(found) == 1 else f"train={_ranges(found[:-1])},dev={found[-1]:02}"
    return TreebankError(
        f"found section{'' if len(found) == 1 else 's'} {_ranges(found, ', ')}, of which no split is made ({splits}); "
        f"for a trial, --sections {trial} makes splits of what is there",
        str(source),
    )


def _ranges(numbers: Sequence[int], separator: str = ",") -> str:
    """Numbers with two digits, three or more in a row as 02-21."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    names = (
        [f"{part[0]:02}-{part[-1]:02}"] if len(part) > 2 else [f"{number:02}" for number in part] for part in parts
    )
    return separator.join(name for group in names for name in group)


def _found_twice(name: str, one: Path, two: Path, source: Path) -> TreebankError:
    return TreebankError(
        f"{name} was found twice, in {name_within(source, one)} and in {name_within(source, two)}; "
        "choose a folder that has it once",
        str(source),
    )
