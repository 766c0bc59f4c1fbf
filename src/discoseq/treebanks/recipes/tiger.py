"""TIGER as in the SPMRL shared tasks: three TIGER-XML files, two sentences of which need mending."""

import re
from collections.abc import Iterator
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.recipe import SPLITS, Layout, Portion, Recipe, Report, Settings, Step
from discoseq.treebanks.recipes.sources import check_format, name_within, not_expected
from discoseq.treebanks.recipes.steps import MOVE_PUNCTUATION, change_words, give_root
from discoseq.treebanks.streams import open_source
from discoseq.treebanks.tigerxml import read_tigerxml
from discoseq.trees.tree import Tree

EXPECTED = (
    "the SPMRL shared task's train.German.gold.xml, dev.German.gold.xml and test.German.gold.xml in or below a folder "
    "(one file with all of TIGER is for the recipe tiger-hall-nivre)"
)
_NAME = re.compile(r"(train|dev|test)(?![0-9A-Za-z]).*\.xml(?:\.gz)?", re.IGNORECASE)  # train5k is another file


def _locate(source: Path) -> Layout:
    if not source.is_dir():
        raise not_expected(source, EXPECTED, "this is a file" if source.is_file() else "")
    found: dict[str, list[Path]] = {split: [] for split in SPLITS}
    for path in sorted(source.rglob("*")):
        name = _NAME.fullmatch(path.name)
        if name and path.is_file():
            found[name[1].lower()].append(path)
    portions = {}
    for split, paths in found.items():
        # the shared tasks' folder also has files with predicted tags
        gold = [path for path in paths if "gold" in name_within(source, path)] or paths
        if len(gold) > 1:
            raise TreebankError(
                f"{name_within(source, gold[0])} and {name_within(source, gold[1])} could both be {split}; "
                "name a folder that has one of them",
                str(source),
            )
        for path in gold:
            check_format(path, ["tigerxml"], EXPECTED)
            portions[split] = (Portion(path, name_within(source, path), "tigerxml"),)
    if not portions:
        raise not_expected(source, EXPECTED)
    return Layout(portions, {split: (f"{split}.German.gold.xml",) for split in SPLITS if split not in portions})


def read_mended(portion: Portion, on_bad: Report, on_mended: Report) -> Iterator[Tree]:
    """A node with two parents keeps the first one given.

    Sentences 46234 and 50224 have such nodes. The literature took 11 edges out by hand, so that the result agrees with
    the CoNLL version; which 11 is not on record, so those two trees may differ from the ones in the published data.
    """
    with open_source(portion.path) as source:
        for reading in read_tigerxml(source.stream, portion.encoding, on_mended):
            if isinstance(reading, Tree):
                yield reading
            else:
                on_bad(reading)


def steps(settings: Settings) -> tuple[Step, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION, BRACKETS_AS_IN_PTB


BRACKETS_AS_IN_PTB = change_words(
    "brackets in words are -LRB- and -RRB-", lambda word: word.replace("(", "-LRB-").replace(")", "-RRB-")
)

TIGER = Recipe(
    name="tiger",
    title="TIGER 2.2, split of the SPMRL shared tasks (2013, 2014)",
    language="German",
    licence="licensed by the University of Stuttgart, free of charge for research",
    address="http://www.ims.uni-stuttgart.de/forschung/ressourcen/korpora/tiger.html and http://www.spmrl.org/spmrl2014-sharedtask.html",
    expected=EXPECTED,
    sizes={"train": 40472, "dev": 5000, "test": 5000},
    locate=_locate,
    steps=steps,
    read=read_mended,
)
