"""The German treebanks NEGRA and TIGER with the splits of the literature."""

import re
from collections.abc import Iterator
from pathlib import Path

from discoseq.errors import TreebankError
from discoseq.treebanks.recipes.recipe import (
    ATTACH_ROOT_CHILDREN,
    MOVE_PUNCTUATION,
    SPLITS,
    Distribution,
    Portion,
    Recipe,
    Report,
    Settings,
    Transform,
    change_words,
    give_root,
    read_portion,
)
from discoseq.treebanks.recipes.sources import (
    between,
    check_format,
    find_file,
    name_within,
    not_expected,
    split_by_number,
)
from discoseq.treebanks.streams import open_source
from discoseq.treebanks.tiger_xml import read_tigerxml
from discoseq.trees.tree import Tree

_NEGRA_EXPECTED = "negra-corpus.export of NEGRA 2 (20,602 sentences in the export format), or a folder with it"
_TIGER_EXPECTED = (
    "the SPMRL shared task's train.German.gold.xml, dev.German.gold.xml and test.German.gold.xml in or below a folder "
    "(one file with all of TIGER is for the recipe tiger-hall-nivre)"
)
_HALL_NIVRE_EXPECTED = "one file with all of TIGER in the export format (tiger_release_aug07.export) or as TIGER-XML"

_NEGRA_FILE = re.compile(r"negra.*\.export(?:\.gz)?", re.IGNORECASE)
_SPMRL_FILE = re.compile(r"(train|dev|test)(?![0-9A-Za-z]).*\.xml(?:\.gz)?", re.IGNORECASE)  # train5k is another file
_TIGER_FILE = re.compile(r"tiger.*\.(?:export|xml)(?:\.gz)?", re.IGNORECASE)

# The lines of edges in test.German.gold.xml that generate_tiger_data.sh (mcoavoux/multilingual_disco_data) deletes, so
# that the parents that are left agree with the CoNLL version.
_DELETED_EDGES = (52143, 52160, 52192, 331199, 331200, 331206, 331207, 331208, 331214, 331254, 331261)

_BRACKETS_AS_IN_PTB = change_words(
    "brackets in words are -LRB- and -RRB-", lambda word: word.replace("(", "-LRB-").replace(")", "-RRB-")
)


def _locate_negra(source: Path) -> Distribution:
    path = find_file(source, _NEGRA_FILE, _NEGRA_EXPECTED)
    check_format(path, ["export"], _NEGRA_EXPECTED)
    splits = {"train": between(1, 18602), "dev": between(19603, 20602), "test": between(18603, 19602)}
    return split_by_number(path, source, "export", splits)


def _locate_tiger(source: Path) -> Distribution:
    if not source.is_dir():
        raise not_expected(source, _TIGER_EXPECTED, "this is a file" if source.is_file() else "")
    found: dict[str, list[Path]] = {split: [] for split in SPLITS}
    for path in sorted(source.rglob("*")):
        name = _SPMRL_FILE.fullmatch(path.name)
        if name and path.is_file():
            found[name[1].lower()].append(path)
    portions = {}
    for split, paths in found.items():
        # the shared tasks' folder also has files with predicted tags
        gold = [path for path in paths if "gold" in name_within(source, path)] or paths
        if len(gold) > 1:
            raise TreebankError(
                f"{name_within(source, gold[0])} and {name_within(source, gold[1])} could both be {split}; "
                "choose a folder that has one of them",
                str(source),
            )
        for path in gold:
            check_format(path, ["tigerxml"], _TIGER_EXPECTED)
            portions[split] = (Portion(path, name_within(source, path), "tigerxml"),)
    if not portions:
        raise not_expected(source, _TIGER_EXPECTED)
    return Distribution(portions, {split: (f"{split}.German.gold.xml",) for split in SPLITS if split not in portions})


def _locate_hall_nivre(source: Path) -> Distribution:
    """Sentence i is in section i mod 10."""
    path = find_file(source, _TIGER_FILE, _HALL_NIVRE_EXPECTED)
    splits = {
        # sections 2-9; for the final figures Hall & Nivre train on dev as well
        "train": lambda number: number % 10 > 1,
        "dev": lambda number: number % 10 == 1,
        "test": lambda number: number % 10 == 0,
    }
    return split_by_number(path, source, check_format(path, ["export", "tigerxml"], _HALL_NIVRE_EXPECTED), splits)


def _read_mended(portion: Portion, on_bad: Report, on_mended: Report) -> Iterator[Tree]:
    """A node with two parents in TIGER-XML keeps the one of the published data; in a file of another layout, the first.

    Sentences 46234 and 50224, which are in test, have such nodes.
    """
    if portion.format != "tigerxml":
        yield from read_portion(portion, on_bad, on_mended)
        return
    name = _SPMRL_FILE.fullmatch(portion.path.name)
    deleted_lines = _DELETED_EDGES if name and name[1].lower() == "test" else ()
    with open_source(portion.path) as source:
        for reading in read_tigerxml(source.stream, portion.encoding, on_mended, deleted_lines=deleted_lines):
            if isinstance(reading, Tree):
                yield reading
            else:
                on_bad(reading)


def _negra_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION


def _tiger_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION, _BRACKETS_AS_IN_PTB


def _hall_nivre_steps(settings: Settings) -> tuple[Transform, ...]:
    # Coavoux & Crabbé (2017) attach the children of the root before they move punctuation
    return give_root("ROOT"), ATTACH_ROOT_CHILDREN, MOVE_PUNCTUATION, _BRACKETS_AS_IN_PTB


NEGRA = Recipe(
    name="negra",
    title="NEGRA 2, split of Dubey & Keller (2003)",
    language="German",
    licence="licensed by Saarland University, free of charge for research",
    address="http://www.coli.uni-saarland.de/projects/sfb378/negra-corpus/negra-corpus.html",
    expected=_NEGRA_EXPECTED,
    sizes={"train": 18602, "dev": 1000, "test": 1000},
    locate=_locate_negra,
    steps=_negra_steps,
)

TIGER = Recipe(
    name="tiger",
    title="TIGER 2.2, split of the SPMRL shared tasks (2013, 2014)",
    language="German",
    licence="licensed by the University of Stuttgart, free of charge for research",
    address="http://www.ims.uni-stuttgart.de/forschung/ressourcen/korpora/tiger.html and http://www.spmrl.org/spmrl2014-sharedtask.html",
    expected=_TIGER_EXPECTED,
    sizes={"train": 40472, "dev": 5000, "test": 5000},
    locate=_locate_tiger,
    steps=_tiger_steps,
    read=_read_mended,
)

TIGER_HALL_NIVRE = Recipe(
    name="tiger-hall-nivre",
    title="TIGER, split of Hall & Nivre (2008)",
    language="German",
    licence="licensed by the University of Stuttgart, free of charge for research",
    address="http://www.ims.uni-stuttgart.de/forschung/ressourcen/korpora/tiger.html",
    expected=_HALL_NIVRE_EXPECTED,
    sizes={},  # the figures depend on the release
    locate=_locate_hall_nivre,
    steps=_hall_nivre_steps,
    read=_read_mended,
)
