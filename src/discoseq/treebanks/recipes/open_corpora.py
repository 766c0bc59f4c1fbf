"""Treebanks that anyone can download: CRAFT and MASC (English), Alpino and its suites (Dutch), PCC (German)."""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from discoseq.treebanks.recipes.recipe import (
    MOVE_PUNCTUATION,
    SPLITS,
    Distribution,
    Portion,
    Recipe,
    Settings,
    Transform,
    drop_tagged,
    give_root,
    return_to_traces,
)
from discoseq.treebanks.recipes.sources import (
    find_documents,
    find_folder,
    name_within,
    not_expected,
    or_gzipped,
    read_split_list,
)

_CRAFT_EXPECTED = (
    "the CRAFT distribution: a folder with structural-annotation/treebank/penn/*.tree (or penn/*.tree) and "
    "articles/ids/craft-ids-train.txt (or ids/...)"
)
_MASC_EXPECTED = "MASC: a folder with 1/original-annotations/Penn_Treebank/*.mrg (or trees/*.mrg)"
_MASC_FOLDERS = [
    "1/original-annotations/Penn_Treebank",
    "original-annotations/Penn_Treebank",
    "Penn_Treebank",
    "trees",
]
_ALPINO_EXPECTED = "the Alpino Treebank: a folder with Treebank/cdb/*.xml (or cdb/*.xml), one sentence a file"
_SUITES_EXPECTED = "the Alpino Treebank: a folder with Treebank/qa/*.xml and other suites, or one of the suites"
_SUITES = [
    "cgn_exs",
    "eans",
    "extra",
    "g_suite",
    "h_suite",
    "i_suite",
    "j_suite",
    "leuven_yellow_pages",
    "medfail",
    "noisy",
    "ntv-suite",
    "paco-realtest",
    "paco-test",
    "qa",
    "qtleap1a",
    "qtleap1q",
    "wpspel",
]
_PCC_EXPECTED = "the Potsdam Commentary Corpus 2.0: a folder with syntax/maz-*.xml"


def _locate_craft(source: Path) -> Distribution:
    folder = find_folder(source, ["structural-annotation/treebank/penn", "treebank/penn", "penn"], _CRAFT_EXPECTED)
    ids = find_folder(source, ["articles/ids", "ids"], _CRAFT_EXPECTED)
    lists = {split: ids / f"craft-ids-{split}.txt" for split in SPLITS}
    lacking = next((path for path in lists.values() if not path.is_file()), None)
    if lacking is not None:
        raise not_expected(lacking, _CRAFT_EXPECTED)
    documents = {split: path.read_text("utf-8").split() for split, path in lists.items()}
    return find_documents(source, folder, documents, or_gzipped(".tree"), "bracket")


def _locate_masc(source: Path) -> Distribution:
    folder = find_folder(source, _MASC_FOLDERS, _MASC_EXPECTED)
    # one of the documents comes as 117CWL009.mrg.txt
    return find_documents(source, folder, read_split_list("masc"), or_gzipped(".mrg", ".mrg.txt"), "bracket")


def _locate_alpino(source: Path) -> Distribution:
    folder = find_folder(source, ["Treebank/cdb", "cdb"], _ALPINO_EXPECTED)
    return find_documents(source, folder, read_split_list("alpino"), or_gzipped(".xml"), "alpino")


def _locate_suites(source: Path) -> Distribution:
    """Split by a checksum of each file's name, so that the split of a sentence does not depend on the other files."""
    portions: dict[str, list[Portion]] = {"train": [], "dev": []}
    for suite in _find_suites(source):
        for path in sorted(path for path in suite.iterdir() if path.name.endswith(or_gzipped(".xml"))):
            name = f"{suite.resolve().name}/{path.name.removesuffix('.gz')}"
            split = "dev" if crc32(name.encode()) % 10 == 0 else "train"
            portions[split].append(Portion(path, name_within(source, path), "alpino"))
    return Distribution({split: tuple(found) for split, found in portions.items() if found})


def _find_suites(source: Path) -> Iterator[Path]:
    folder = find_folder(source, ["Treebank"], _SUITES_EXPECTED)
    if source.resolve().name in _SUITES:
        yield source
    else:
        yield from (folder / name for name in _SUITES if (folder / name).is_dir())


def _locate_pcc(source: Path) -> Distribution:
    folder = find_folder(source, ["syntax"], _PCC_EXPECTED)
    return find_documents(source, folder, read_split_list("pcc"), or_gzipped(".xml"), "tigerxml")


def _craft_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("ROOT"), return_to_traces(settings.moved)


def _masc_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("ROOT"), drop_tagged(("CODE", "SU")), return_to_traces(settings.moved)


def _alpino_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("TOP"), MOVE_PUNCTUATION


def _pcc_steps(settings: Settings) -> tuple[Transform, ...]:
    return give_root("ROOT"), MOVE_PUNCTUATION


CRAFT = Recipe(
    name="craft",
    title="Colorado Richly Annotated Full-Text Corpus, official split",
    language="English",
    licence="open: CC BY 3.0",
    address="https://github.com/UCDenver-ccp/CRAFT",
    expected=_CRAFT_EXPECTED,
    sizes={"train": 18951, "dev": 2780, "test": 9099},
    locate=_locate_craft,
    steps=_craft_steps,
    has_traces=True,
)

MASC = Recipe(
    name="masc",
    title="Manually Annotated Sub-Corpus 1, Penn Treebank trees, document split of our own",
    language="English",
    licence='open: no licence file, status "free" in the corpus header; LDC\'s texts are left out',
    address="https://github.com/oanc/masc",
    expected=_MASC_EXPECTED,
    sizes={"train": 3796, "dev": 284},
    locate=_locate_masc,
    steps=_masc_steps,
    has_traces=True,
)

ALPINO = Recipe(
    name="alpino",
    title="Alpino Treebank, Eindhoven corpus (cdb), split of our own by file number",
    language="Dutch",
    licence="open: LGPL 2.1 or later",
    address="https://github.com/rug-compling/Alpino",
    expected=_ALPINO_EXPECTED,
    sizes={"train": 5708, "dev": 714, "test": 714},
    locate=_locate_alpino,
    steps=_alpino_steps,
)

ALPINO_SUITES = Recipe(
    name="alpino-suites",
    title="Alpino Treebank, seventeen suites beside cdb, every tenth file by a checksum of its name for dev",
    language="Dutch",
    licence="open: LGPL 2.1 or later",
    address="https://github.com/rug-compling/Alpino",
    expected=_SUITES_EXPECTED,
    sizes={},
    locate=_locate_suites,
    steps=_alpino_steps,
)

PCC = Recipe(
    name="pcc",
    title="Potsdam Commentary Corpus 2.0, document split of our own",
    language="German",
    licence="open: CC BY-NC-SA 4.0 (not for commercial use)",
    address="https://github.com/arne-cl/discoursegraphs (src/discoursegraphs/data/potsdam-commentary-corpus-2.0.0)",
    expected=_PCC_EXPECTED,
    sizes={"train": 1750, "dev": 217, "test": 226},
    locate=_locate_pcc,
    steps=_pcc_steps,
)
