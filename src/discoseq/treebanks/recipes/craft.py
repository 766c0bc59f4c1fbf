"""CRAFT: biomedical articles in the Penn style, the index of a trace on the phrase over it; official split."""

from pathlib import Path

from discoseq.treebanks.recipes.recipe import SPLITS, Layout, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import find_documents, find_folder, not_expected, zipped_too
from discoseq.treebanks.recipes.steps import give_root, return_to_traces

_EXPECTED = (
    "the CRAFT distribution: a folder with structural-annotation/treebank/penn/*.tree (or penn/*.tree) and "
    "articles/ids/craft-ids-train.txt (or ids/...)"
)


def _locate(source: Path) -> Layout:
    folder = find_folder(source, ["structural-annotation/treebank/penn", "treebank/penn", "penn"], _EXPECTED)
    ids = find_folder(source, ["articles/ids", "ids"], _EXPECTED)
    lists = {split: ids / f"craft-ids-{split}.txt" for split in SPLITS}
    lacking = next((path for path in lists.values() if not path.is_file()), None)
    if lacking is not None:
        raise not_expected(lacking, _EXPECTED)
    documents = {split: path.read_text("utf-8").split() for split, path in lists.items()}
    return find_documents(source, folder, documents, zipped_too(".tree"), "bracket")


def _steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("ROOT"), return_to_traces(settings.moved)


CRAFT = Recipe(
    name="craft",
    title="Colorado Richly Annotated Full-Text Corpus, official split",
    language="English",
    licence="open: CC BY 3.0",
    address="https://github.com/UCDenver-ccp/CRAFT",
    expected=_EXPECTED,
    sizes={"train": 18951, "dev": 2780, "test": 9099},
    locate=_locate,
    steps=_steps,
    has_traces=True,
)
