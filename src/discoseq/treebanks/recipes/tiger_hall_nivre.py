"""TIGER with the split of Hall & Nivre (2008): sentence i is in section i mod 10."""

import re
from collections.abc import Iterator
from pathlib import Path

from discoseq.treebanks.recipes.recipe import Layout, Portion, Recipe, Report, Settings, Step, read_portion
from discoseq.treebanks.recipes.sources import check_format, cut, find_file
from discoseq.treebanks.recipes.steps import ATTACH_ROOT_CHILDREN, MOVE_PUNCTUATION, give_root
from discoseq.treebanks.recipes.tiger import BRACKETS_AS_IN_PTB, read_mended
from discoseq.trees.tree import Tree

_EXPECTED = "one file with all of TIGER in the export format (tiger_release_aug07.export) or as TIGER-XML"
_NAME = re.compile(r"tiger.*\.(?:export|xml)(?:\.gz)?", re.IGNORECASE)


def _locate(source: Path) -> Layout:
    path = find_file(source, _NAME, _EXPECTED)
    splits = {
        # sections 2-9; for the final figures Hall & Nivre train on dev as well
        "train": lambda number: number % 10 > 1,
        "dev": lambda number: number % 10 == 1,
        "test": lambda number: number % 10 == 0,
    }
    return cut(path, source, check_format(path, ["export", "tigerxml"], _EXPECTED), splits)


def _read(portion: Portion, on_bad: Report, on_mended: Report) -> Iterator[Tree]:
    read = read_mended if portion.format == "tigerxml" else read_portion
    return read(portion, on_bad, on_mended)


def _steps(settings: Settings) -> tuple[Step, ...]:
    # Coavoux & Crabbé (2017) attach the children of the root before they move punctuation
    return give_root("ROOT"), ATTACH_ROOT_CHILDREN, MOVE_PUNCTUATION, BRACKETS_AS_IN_PTB


TIGER_HALL_NIVRE = Recipe(
    name="tiger-hall-nivre",
    title="TIGER, split of Hall & Nivre (2008)",
    language="German",
    licence="licensed by the University of Stuttgart, free of charge for research",
    address="http://www.ims.uni-stuttgart.de/forschung/ressourcen/korpora/tiger.html",
    expected=_EXPECTED,
    sizes={},  # the figures depend on the release
    locate=_locate,
    steps=_steps,
    read=_read,
)
