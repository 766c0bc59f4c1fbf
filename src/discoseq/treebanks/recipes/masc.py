"""MASC: the Penn Treebank project's trees of the American National Corpus, without the LDC's texts."""

from pathlib import Path

from discoseq.treebanks.recipes.recipe import Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import find_documents, find_folder, read_split_list, zipped_too
from discoseq.treebanks.recipes.steps import drop_tagged, give_root, return_to_traces

_EXPECTED = "MASC: a folder with 1/original-annotations/Penn_Treebank/*.mrg (or trees/*.mrg)"


def _locate(source: Path) -> Layout:
    places = ["1/original-annotations/Penn_Treebank", "original-annotations/Penn_Treebank", "Penn_Treebank", "trees"]
    folder = find_folder(source, places, _EXPECTED)
    # one of the documents comes as 117CWL009.mrg.txt
    return find_documents(source, folder, read_split_list("masc"), zipped_too(".mrg", ".mrg.txt"), "bracket")


def _steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("ROOT"), drop_tagged(("CODE", "SU")), return_to_traces(settings.moved)


MASC = Recipe(
    name="masc",
    title="Manually Annotated Sub-Corpus 1, Penn Treebank trees, document split of our own",
    language="English",
    licence='open: no licence file, status "free" in the corpus header; LDC\'s texts are left out',
    address="https://github.com/oanc/masc",
    expected=_EXPECTED,
    sizes={"train": 3796, "dev": 284},
    locate=_locate,
    steps=_steps,
    has_traces=True,
)
