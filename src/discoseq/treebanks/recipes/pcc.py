"""The Potsdam Commentary Corpus: newspaper commentaries in the TIGER scheme."""

from pathlib import Path

from discoseq.treebanks.recipes.recipe import Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import find_documents, find_folder, read_split_list, zipped_too
from discoseq.treebanks.recipes.steps import MOVE_PUNCTUATION, give_root

_EXPECTED = "the Potsdam Commentary Corpus 2.0: a folder with syntax/maz-*.xml"


def _locate(source: Path) -> Layout:
    folder = find_folder(source, ["syntax"], _EXPECTED)
    return find_documents(source, folder, read_split_list("pcc"), zipped_too(".xml"), "tigerxml")


def _steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION


PCC = Recipe(
    name="pcc",
    title="Potsdam Commentary Corpus 2.0, document split of our own",
    language="German",
    licence="open: CC BY-NC-SA 4.0 (not for commercial use)",
    address="https://github.com/arne-cl/discoursegraphs (src/discoursegraphs/data/potsdam-commentary-corpus-2.0.0)",
    expected=_EXPECTED,
    sizes={"train": 1750, "dev": 217, "test": 226},
    locate=_locate,
    steps=_steps,
)
