"""The Alpino Treebank (cdb): newspaper text, dependency structures that branch across each other."""

from pathlib import Path

from discoseq.treebanks.recipes.recipe import Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import find_documents, find_folder, read_split_list, zipped_too
from discoseq.treebanks.recipes.steps import MOVE_PUNCTUATION, give_root

_EXPECTED = "the Alpino Treebank: a folder with Treebank/cdb/*.xml (or cdb/*.xml), one sentence a file"


def _locate(source: Path) -> Layout:
    folder = find_folder(source, ["Treebank/cdb", "cdb"], _EXPECTED)
    return find_documents(source, folder, read_split_list("alpino"), zipped_too(".xml"), "alpino")


def _steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("TOP"), MOVE_PUNCTUATION


ALPINO = Recipe(
    name="alpino",
    title="Alpino Treebank, Eindhoven corpus (cdb), split of our own by file number",
    language="Dutch",
    licence="open: LGPL 2.1 or later",
    address="https://github.com/rug-compling/Alpino",
    expected=_EXPECTED,
    sizes={"train": 5708, "dev": 714, "test": 714},
    locate=_locate,
    steps=_steps,
)
