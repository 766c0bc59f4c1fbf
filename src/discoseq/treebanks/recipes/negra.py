"""NEGRA with the split of Dubey & Keller (2003): test comes before dev."""

import re
from pathlib import Path

from discoseq.treebanks.recipes.recipe import Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import between, check_format, cut, find_file
from discoseq.treebanks.recipes.steps import MOVE_PUNCTUATION, give_root

_EXPECTED = "negra-corpus.export of NEGRA 2 (20,602 sentences in the export format), or a folder with it"
_NAME = re.compile(r"negra.*\.export(?:\.gz)?", re.IGNORECASE)


def _locate(source: Path) -> Layout:
    path = find_file(source, _NAME, _EXPECTED)
    check_format(path, ["export"], _EXPECTED)
    splits = {"train": between(1, 18602), "dev": between(19603, 20602), "test": between(18603, 19602)}
    return cut(path, source, "export", splits)


def _steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION


NEGRA = Recipe(
    name="negra",
    title="NEGRA 2, split of Dubey & Keller (2003)",
    language="German",
    licence="licensed by Saarland University, free of charge for research",
    address="http://www.coli.uni-saarland.de/projects/sfb378/negra-corpus/negra-corpus.html",
    expected=_EXPECTED,
    sizes={"train": 18602, "dev": 1000, "test": 1000},
    locate=_locate,
    steps=_steps,
)
