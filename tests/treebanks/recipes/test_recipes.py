"""What every recipe makes of a tiny source in the layout of its distribution."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, read_trees
from discoseq.treebanks.recipes.apply import RECIPES, apply_recipe
from discoseq.treebanks.recipes.card import checksum
from discoseq.treebanks.recipes.recipe import Settings
from discoseq.trees.tree import Tree

SOURCES = Path(__file__).parent / "sources"

# by recipe: the folder of its source, and the lines of each split
EXPECTED: dict[str, tuple[str, dict[str, list[str]]]] = {
    "ptb": (
        "ptb",
        {
            "train": [
                "(TOP (SBARQ (WHNP (WP 0=What)) (SQ (VBP 1=do) (NP (PRP 2=you)) (VP (VB 3=grow))) (. 4=?)))",
                "(TOP (S (NP (NP (DT 0=A) (NN 1=ferry))) (VP (VBD 2=was) (VP (VBN 3=seen) "
                r"(PP (IN 4=with) (NP (CD 5=1\/2) (NN 6=sail))))) (. 7=.)))",
            ],
            "dev": [
                "(TOP (S (`` 0=``) (NP (NNP 1=Snow)) (PRN (, 2=,) ('' 3='') (S (NP (PRP 4=he)) (VP (VBD 5=said))) "
                "(, 6=,) (`` 7=``)) (VP (VBZ 8=melts)) (. 9=.) ('' 10='')))"
            ],
            "test": [
                "(TOP (S (NP (NNP 0=Ann)) (VP (VP (VBZ 1=mends)) (CC 2=and) (VP (VBZ 3=sells)) "
                "(NP (JJ 4=old) (NNS 5=clocks))) (. 6=.)))"
            ],
        },
    ),
    "dptb": (
        "ptb",
        {
            "train": [
                "(ROOT (SBARQ (SQ (VP (WHNP (WP 0=What)) (VB 3=grow)) (VBP 1=do) (NP (PRP 2=you))) (. 4=?)))",
                "(ROOT (S (NP (NP (DT 0=A) (NN 1=ferry)) (PP (IN 4=with) (NP (CD 5=1/2) (NN 6=sail)))) "
                "(VP (VBD 2=was) (VP (VBN 3=seen))) (. 7=.)))",
            ],
            "dev": [
                "(ROOT (PRN (S (VP (SBAR (S (`` 0=``) (NP (NNP 1=Snow)) (VP (VBZ 8=melts)) (. 9=.) ('' 10=''))) "
                "(VBD 5=said)) (NP (PRP 4=he))) (, 2=,) ('' 3='') (, 6=,) (`` 7=``)))"
            ],
            "test": [
                "(ROOT (S (NP (NNP 0=Ann)) (VP (VP (VBZ 1=mends)) (CC 2=and) (VP (VBZ 3=sells) "
                "(NP (JJ 4=old) (NNS 5=clocks)))) (. 6=.)))"
            ],
        },
    ),
    "negra": (
        "negra",
        {
            "train": [
                "(ROOT (S (VP (PDS 0=Das) (VVINF 3=prüfen)) (VMFIN 1=muß) (NE 2=Jürgen) ($, 4=,) "
                "(S (KOUS 5=weil) (PPER 6=es) (VVFIN 7=brennt))) ($. 8=.))",
                "(ROOT (ADV 0=Später) ($[ 1=#LRB#) ($. 2=!) ($[ 3=#RRB#))",
            ]
        },
    ),
    "tiger": (
        "tiger",
        {
            "train": [
                "(ROOT (S (VP (PROAV 0=Darüber) ($[ 1=-LRB-) (ADV 2=heute) (VVINF 6=lachen)) "
                "($[ 3=-RRB-) (VMFIN 4=muss) (NE 5=Ida)) ($. 7=.))"
            ],
            "dev": ["(ROOT (NP (ADJA 0=Gute) (NN 1=Suppe)))"],
            "test": ["(ROOT (CS (S (PPER 0=Er) (VVFIN 1=liest)) (KON 2=und) (S (VVFIN 3=lacht))))"],
        },
    ),
    "tiger-hall-nivre": (
        "tiger-hall-nivre",
        {
            split: [f"(ROOT (S (NP (CARD 0={word}) (PIS 2=viel)) (VAFIN 1=ist)) ($. 3=.))" for word in words.split()]
            for split, words in {
                "train": "Zwei Drei Vier Fünf Sechs Sieben Acht Neun Zwölf",
                "dev": "Eins Elf",
                "test": "Zehn",
            }.items()
        },
    ),
    "craft": (
        "craft",
        {
            "train": [
                "(ROOT (TITLE (NP (NN 0=Enzyme) (NNS 1=clocks))))",
                "(ROOT (S (S (NP (NNS 0=Assays)) (VP (VBD 1=were) (VP (VBN 2=used) (SBAR (IN 7=because) "
                "(S (NP (PRP 8=they)) (VP (VBP 9=work))))))) "
                "(PRN (-LRB- 3=-LRB-) (NP (NN 4=Fig.) (CD 5=2)) (-RRB- 6=-RRB-)) (. 10=.)))",
                "(ROOT (SBARQ (SQ (VP (WHADVP (WRB 0=How)) (VB 3=grow)) (VBZ 1=does) (NP (NN 2=yeast))) (. 4=?)))",
            ],
            "dev": [
                "(ROOT (S (NP (NP (NP (JJ 0=young)) (CC 1=and) (NP (JJ 2=old) (NML (NN 3=mouse) (NNS 4=cells))))) "
                "(VP (VBP 5=divide)) (. 6=.)))"
            ],
        },
    ),
    "masc": (
        "masc",
        {
            "train": [
                "(ROOT (S (NP (NP (PRP 0=It)) (S (VP (TO 2=to) (VP (VB 3=ask))))) (VP (VBZ 1=pays)) (. 4=.)))",
                "(ROOT (SYM 0=P.S.))",
                "(ROOT (FRAG (NP (NNS 0=Seeds)) (. 1=.)))",
            ],
            "dev": ["(ROOT (S (NP (PRP 0=I)) (VP (VBP 1=bake)) (. 2=.)))"],
        },
    ),
    "alpino": (
        "alpino",
        {
            "train": [
                "(TOP (SMAIN (vnw 0=Zij) (ww 1=wil) (INF (n 2=thee) (let 5=,) (ww 6=drinken)) (let 3=,) (bw 4=heus)) "
                "(let 7=.))"
            ],
            "dev": ["(TOP (n 0=Regen) (let 1=!))"],
        },
    ),
    "alpino-suites": (
        "alpino-suites",
        {
            "train": [
                "(TOP (NP (adj 0=Vers) (n 1=brood)))",
                "(TOP (WHQ (vnw 0=Wie) (SV1 (ww 1=zingt) (bw 2=daar))) (let 3=?))",
            ],
            "dev": ["(TOP (bw 0=Waarom) (let 1=?))"],
        },
    ),
    "pcc": (
        "pcc",
        {
            "train": [
                "(ROOT (S (VP (VVINF 0=Warten) (ADV 6=lange)) ($, 1=,) (ADV 2=so) ($, 3=,) (VMFIN 4=kann) "
                "(PIS 5=jeder)) ($. 7=.))"
            ],
            "dev": ["(ROOT (NP (ADJA 0=Neue) (NN 1=Wege)))"],
        },
    ),
}


def source_of(name: str) -> Path:
    return SOURCES / EXPECTED[name][0]


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(params=sorted(RECIPES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_splits_are_what_one_would_write_by_hand(name: str, tmp_path: Path) -> None:
    apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings())
    written = {path.stem: path.read_text("utf-8").splitlines() for path in tmp_path.glob("*.discbracket")}
    assert written == EXPECTED[name][1]


def test_the_same_source_gives_the_same_bytes_wherever_it_is(name: str, tmp_path: Path) -> None:
    shutil.copytree(source_of(name), tmp_path / "elsewhere" / "copy")
    apply_recipe(RECIPES[name], source_of(name), tmp_path / "one", Settings())
    apply_recipe(RECIPES[name], tmp_path / "elsewhere" / "copy", tmp_path / "two", Settings())
    assert everything_in(tmp_path / "one") == everything_in(tmp_path / "two")


@pytest.mark.parametrize("format", ["discbracket", "export"])
def test_the_card_tells_the_truth_about_the_files(name: str, format: str, tmp_path: Path) -> None:
    apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings(format))
    card = json.loads((tmp_path / "card.json").read_text("utf-8"))
    assert card["recipe"] == name
    assert card["settings"]["format"] == format
    for split, record in card["splits"].items():
        path = tmp_path / record["file"]
        trees = list(read_trees(path, format))
        below_root = [constituent for tree in trees for constituent in list(tree.root.walk())[1:]]
        assert path.name == split + FORMATS[format].suffixes[0]
        assert record["sha256"] == checksum(path)
        assert record["sentences"] == len(trees)
        assert record["tokens"] == sum(len(tree.tokens) for tree in trees)
        assert record["longest_sentence"] == max(len(tree.tokens) for tree in trees)
        assert record["constituents"] == len(below_root) == sum(record["labels"].values())
        assert record["discontinuous"]["sentences"] == sum(tree.is_discontinuous for tree in trees)
        assert sum(record["tags"].values()) == record["tokens"]
        assert len({tree.id for tree in trees}) == len(trees)
    assert not set(card["missing"]) - {"train", "dev", "test"}
    assert str(tmp_path) not in json.dumps(card)


def test_every_format_gives_the_same_trees(name: str, tmp_path: Path) -> None:
    for kind in ("discbracket", "export"):
        apply_recipe(RECIPES[name], source_of(name), tmp_path / kind, Settings(kind))
    for path in (tmp_path / "discbracket").glob("*.discbracket"):
        exported = list(read_trees(tmp_path / "export" / f"{path.stem}.export"))
        bracketed = list(read_trees(path))
        assert [tree.root.children for tree in exported] == [tree.root.children for tree in bracketed]
        assert [tree.tokens for tree in exported] == [tree.tokens for tree in bracketed]


def test_every_tree_of_a_recipe_has_the_same_root(name: str, tmp_path: Path) -> None:
    apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings())
    roots = {tree.root.label for path in tmp_path.glob("*.discbracket") for tree in read_trees(path)}
    assert roots == ({"TOP"} if name in ("ptb", "alpino", "alpino-suites") else {"ROOT"})


def test_annotations_stay_if_asked_for(name: str, tmp_path: Path) -> None:
    apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings("export", keeps_annotations=True))
    trees = [tree for path in tmp_path.glob("*.export") for tree in read_trees(path)]
    functions = {x.function for tree in trees for x in tree.root.walk()} | {x.function for t in trees for x in t.tokens}
    assert functions - {None}
    if RECIPES[name].has_traces or name == "ptb":
        assert not any(character.isdigit() for function in functions for character in function or "")


def test_a_source_that_is_not_there_gets_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(TreebankError) as caught:
        apply_recipe(RECIPES[name], tmp_path / "nowhere", tmp_path / "out", Settings())
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'nowhere'}: no such file or folder; expected ")
    assert RECIPES[name].expected in message
    assert "\n" not in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["empty folder", "folder of other things", "file of another kind"])
def test_a_source_of_the_wrong_kind_gets_one_sentence(name: str, kind: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    if kind == "file of another kind":
        source.write_text("Dear reader, this is a letter.\n")
    else:
        source.mkdir()
    if kind == "folder of other things":
        for other in ("letter.txt", "letter.xml", "letter.export", "letter.mrg"):
            (source / other).write_text("Dear reader, this is a letter.\n")
    with pytest.raises(TreebankError) as caught:
        apply_recipe(RECIPES[name], source, tmp_path / "out", Settings())
    message = str(caught.value)
    assert RECIPES[name].expected in message
    assert message.startswith(str(source))
    assert "\n" not in message
    assert not (tmp_path / "out").exists()


def test_an_interruption_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    def interrupted(trees: Iterable[Tree], split: str, total: int | None) -> Iterator[Tree]:
        for tree in trees:
            yield tree
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply_recipe(RECIPES[name], source_of(name), tmp_path / "out", Settings(), interrupted)
    assert not (tmp_path / "out").exists()


def test_an_interruption_leaves_an_earlier_run_alone(name: str, tmp_path: Path) -> None:
    def interrupted_in_dev(trees: Iterable[Tree], split: str, total: int | None) -> Iterator[Tree]:
        yield from trees
        if split == "dev":
            raise KeyboardInterrupt

    apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings())
    before = everything_in(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        apply_recipe(RECIPES[name], source_of(name), tmp_path, Settings(keeps_annotations=True), interrupted_in_dev)
    assert everything_in(tmp_path) == before
