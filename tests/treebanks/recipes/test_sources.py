"""The shapes in which people have a corpus, and what is said when it is in none of them."""

import gzip
import shutil
from pathlib import Path

import pytest

from discoseq.errors import TreebankError
from discoseq.linearizations.linearization import linearization
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.recipes.apply import RECIPES, apply_recipe, recipe_named
from discoseq.treebanks.recipes.card import Card
from discoseq.treebanks.recipes.recipe import Recipe, Settings
from discoseq.treebanks.recipes.sources import read_split_list

SOURCES = Path(__file__).parent / "sources"
TREE = "( (S (NP-SBJ (NN {})) (VP (VBZ works))) )\n"


def words_of(folder: Path) -> dict[str, list[str]]:
    """The first word of every sentence, by split."""
    return {
        path.stem: [line.partition("0=")[2].partition(")")[0] for line in path.read_text("utf-8").splitlines()]
        for path in folder.glob("*.discbracket")
    }


def made(recipe: Recipe, source: Path, folder: Path) -> tuple[Card, dict[str, list[str]]]:
    card = apply_recipe(recipe, source, folder, Settings())
    return card, words_of(folder)


def write_files(folder: Path, contents: dict[str, str]) -> Path:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(content.encode()))
        else:
            path.write_text(content, "utf-8")
    return folder


@pytest.mark.parametrize(
    "names",
    [
        ["wsj/02/wsj_0201.mrg", "wsj/21/wsj_2172.mrg", "wsj/22/wsj_2200.mrg", "wsj/23/wsj_2300.mrg"],
        ["WSJ/02/WSJ_0201.MRG", "WSJ/21/WSJ_2172.MRG", "WSJ/22/WSJ_2200.MRG", "WSJ/23/WSJ_2300.MRG"],
        ["wsj_0201.mrg", "wsj_2172.mrg", "wsj_2200.mrg", "wsj_2300.mrg"],
        ["02/wsj_0201.mrg.gz", "21/wsj_2172.mrg.gz", "22/wsj_2200.mrg.gz", "23/wsj_2300.mrg.gz"],
        ["wsj_02.mrg", "wsj_21.mrg", "wsj_22.mrg", "wsj_23.mrg"],
        ["02.mrg.gz", "21.mrg.gz", "22.mrg.gz", "23.mrg.gz"],
        ["sec02.mrg", "sec03-21.mrg", "sec22.mrg", "sec23.mrg"],
    ],
    ids=lambda names: names[0],
)
def test_a_penn_treebank_of_documents_or_sections(names: list[str], tmp_path: Path) -> None:
    contents = dict(zip(names, map(TREE.format, ["two", "twentyone", "dev", "test"]), strict=True))
    source = write_files(tmp_path / "source", contents)
    _, words = made(RECIPES["ptb"], source, tmp_path / "out")
    assert words == {"train": ["two", "twentyone"], "dev": ["dev"], "test": ["test"]}


@pytest.mark.parametrize(
    "names",
    [["wsj_02-21.mrg", "wsj_22.mrg", "wsj_23.mrg"], ["train.mrg", "dev.mrg", "test.mrg"], ["2-21.txt.gz", "22.txt.gz"]],
    ids=lambda names: names[0],
)
def test_a_penn_treebank_of_splits(names: list[str], tmp_path: Path) -> None:
    source = write_files(tmp_path / "source", {name: TREE.format(name[:4]) for name in names})
    card, words = made(RECIPES["ptb"], source, tmp_path / "out")
    assert words == dict(zip(["train", "dev", "test"], [[name[:4]] for name in names], strict=False))
    assert list(card.missing) == ["train", "dev", "test"][len(names) :]


def test_a_penn_treebank_in_one_file_is_cut_by_number(tmp_path: Path) -> None:
    source = write_files(tmp_path, {"wsj.mrg": "".join(TREE.format(f"n{number}") for number in range(1, 3917))})
    card, words = made(RECIPES["ptb"], source / "wsj.mrg", tmp_path / "out")
    assert words == {"train": ["n3915", "n3916"]}
    assert card.missing == {"dev": ["its sentences of wsj.mrg"], "test": ["its sentences of wsj.mrg"]}


NLTK_SAMPLE = {  # the layout of nltk_data/corpora/treebank
    "combined/README": "(c) nobody",
    "combined/wsj_0001.mrg": TREE.format("one"),
    "combined/wsj_0002.mrg": "\n",
    "combined/wsj_0101.mrg": TREE.format("two"),
    "parsed/wsj_0001.prd": "( (S (NP-SBJ one) (VP works)) )\n",
    "tagged/wsj_0001.pos": "one/NN works/VBZ\n",
    "raw/wsj_0001": ".START\n\none works\n",
}


@pytest.mark.parametrize("name", ["ptb", "dptb"])
def test_sections_in_no_split_are_named_and_can_be_chosen(name: str, tmp_path: Path) -> None:
    source = write_files(tmp_path / "treebank", NLTK_SAMPLE)
    with pytest.raises(
        TreebankError,
        match=r"found sections 00, 01, of which no split is made \(train is 02-21, dev is 22, test is 23\); "
        r"for a trial, --sections train=00,dev=01 makes splits of what is there",
    ):
        made(RECIPES[name], source, tmp_path / "out")
    settings = Settings(sections={"train": (0,), "dev": (1,)})
    card = apply_recipe(RECIPES[name], source, tmp_path / "out", settings)
    assert words_of(tmp_path / "out") == {"train": ["one"], "dev": ["two"]}
    assert (card.settings["sections"], card.missing) == (["train=00", "dev=01"], {})
    assert [str(remark) for remark in card.left_out] == ["combined/wsj_0002.mrg: the file has no sentences"]


def test_files_of_sections_that_no_split_has_are_named(tmp_path: Path) -> None:
    source = write_files(tmp_path / "source", {f"wsj_{n:02}.mrg": TREE.format("one") for n in (0, 1, 24)})
    with pytest.raises(TreebankError, match=r"found sections 00, 01, 24, .*--sections train=00,01,dev=24"):
        made(RECIPES["ptb"], source, tmp_path / "out")
    with pytest.raises(TreebankError, match=r"wsj_00\.mrg: found section 00, .*--sections train=00 makes"):
        made(RECIPES["ptb"], source / "wsj_00.mrg", tmp_path / "out")
    settings = Settings(sections={"train": (0, 1), "test": (24,)})
    apply_recipe(RECIPES["ptb"], source, tmp_path / "out", settings)
    assert words_of(tmp_path / "out") == {"train": ["one", "one"], "test": ["one"]}


def test_sections_can_not_be_chosen_where_there_are_none(tmp_path: Path) -> None:
    settings = Settings(sections={"train": (0,)})
    with pytest.raises(TreebankError, match="pcc has no numbered sections; --sections is for ptb and dptb"):
        apply_recipe(RECIPES["pcc"], SOURCES / "pcc", tmp_path / "out", settings)
    source = write_files(tmp_path / "source", {"all.mrg": TREE.format("one")})
    with pytest.raises(
        TreebankError, match="--sections needs a file for each document or section, and this is one file"
    ):
        apply_recipe(RECIPES["ptb"], source, tmp_path / "out", settings)


@pytest.mark.parametrize("name", ["ptb", "dptb"])
def test_the_numbers_at_which_one_file_is_cut(name: str, tmp_path: Path) -> None:
    source = write_files(tmp_path, {"wsj.mrg": TREE.format("x")})
    portions = RECIPES[name].locate(source / "wsj.mrg").portions
    for split, first, last in [("train", 3915, 43746), ("dev", 43747, 45446), ("test", 45447, 47862)]:
        (portion,) = portions[split]
        chosen = [number for number in range(1, 49209) if portion.includes(number)]
        assert chosen == list(range(first, last + 1))
        assert len(chosen) == RECIPES[name].sizes[split]


def test_documents_are_taken_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = ["wsj/21/wsj_2100.mrg", "wsj/03/wsj_0301.mrg", "wsj/03/wsj_0300.mrg", "b/02/wsj_0299.mrg"]
    source = write_files(tmp_path / "source", {name: TREE.format(name[-8:-4]) for name in names})
    _, words = made(RECIPES["ptb"], source, tmp_path / "out")
    assert words == {"train": ["0299", "0300", "0301", "2100"]}


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["a/wsj_0201.mrg", "b/wsj_0201.mrg"], "wsj_0201.mrg was found twice, in a/wsj_0201.mrg and in b/wsj_0201.mrg"),
        (["02.mrg", "train.mrg"], "section 02 was found twice, in 02.mrg and in train.mrg"),
    ],
)
def test_what_is_there_twice_is_not_taken_twice(names: list[str], what: str, tmp_path: Path) -> None:
    source = write_files(tmp_path / "source", dict.fromkeys(names, TREE.format("x")))
    with pytest.raises(TreebankError, match=what):
        apply_recipe(RECIPES["ptb"], source, tmp_path / "out", Settings())


def test_a_treebank_of_another_format_is_named(tmp_path: Path) -> None:
    xml = next((SOURCES / "pcc").rglob("*.xml"))
    with pytest.raises(TreebankError, match=r"this is tigerxml; expected negra-corpus.export"):
        apply_recipe(RECIPES["negra"], xml, tmp_path / "out", Settings())
    with pytest.raises(TreebankError, match=r"this is export; expected the WSJ part"):
        apply_recipe(RECIPES["ptb"], SOURCES / "negra" / "negra-corpus.export", tmp_path / "out", Settings())
    with pytest.raises(TreebankError, match=r"this is a file; expected .* tiger-hall-nivre"):
        apply_recipe(RECIPES["tiger"], xml, tmp_path / "out", Settings())


def test_traces_lost_on_the_way_are_noticed(tmp_path: Path) -> None:
    source = write_files(tmp_path / "source", {"train.mrg": TREE.format("x")})
    card, _ = made(RECIPES["dptb"], source, tmp_path / "out")
    assert "no sentence is discontinuous; this source may be a continuous version of the corpus" in card.warnings


def export_of(first: int, last: int) -> str:
    return "#FORMAT 4\n" + "".join(
        f"#BOS {n}\nn{n}\\/x\t--\tNN\t--\tHD\t500\ny\t--\tVB\t--\tHD\t501\nz\t--\tRB\t--\tMO\t500\n"
        f"#500\t--\tNP\t--\tSBJ\t501\n#501\t--\tS\t--\t--\t0\n#EOS {n}\n"
        for n in range(first, last + 1)
    )


@pytest.mark.parametrize("is_folder", [False, True])
def test_the_export_file_of_the_discontinuous_penn_treebank(is_folder: bool, tmp_path: Path) -> None:
    source = write_files(tmp_path / "source", {"dptb7.export": export_of(1, 3916)})
    apply_recipe(RECIPES["dptb"], source if is_folder else source / "dptb7.export", tmp_path / "out", Settings())
    assert (tmp_path / "out" / "train.discbracket").read_text().splitlines() == [
        "(ROOT (S (NP (NN 0=n3915/x) (RB 2=z)) (VB 1=y)))",
        "(ROOT (S (NP (NN 0=n3916/x) (RB 2=z)) (VB 1=y)))",
    ]


def test_a_complete_negra_has_the_published_numbers(tmp_path: Path) -> None:
    sentences = "".join(f"#BOS {n}\nw{n} NN -- HD 500\nx VB -- HD 0\ny NN -- HD 500\n#500 NP -- SB 0\n#EOS {n}\n"
                        for n in range(1, 20603))  # fmt: skip
    source = write_files(tmp_path / "source", {"negra-corpus.export": sentences})
    card, words = made(RECIPES["negra"], source, tmp_path / "out")
    assert {split: (own[0], own[-1], len(own)) for split, own in words.items()} == {
        "train": ("w1", "w18602", 18602),
        "test": ("w18603", "w19602", 1000),
        "dev": ("w19603", "w20602", 1000),
    }
    assert not card.warnings
    assert not card.missing


def test_a_number_that_differs_from_the_published_one_is_a_warning(tmp_path: Path) -> None:
    card, _ = made(RECIPES["negra"], SOURCES / "negra", tmp_path)
    assert card.warnings == ["train has 2 sentences; 18,602 were expected"]


def test_the_number_of_an_incomplete_split_is_no_warning(tmp_path: Path) -> None:
    card, _ = made(RECIPES["ptb"], SOURCES / "ptb", tmp_path)
    assert [warning.partition(" ")[0] for warning in card.warnings] == ["dev", "test"]
    assert card.missing == {"train": [f"section {number:02}" for number in range(3, 22)]}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_negra_may_come_in_either_encoding(encoding: str, tmp_path: Path) -> None:
    text = (SOURCES / "negra" / "negra-corpus.export").read_bytes().decode("latin-1")
    (tmp_path / "negra-corpus.export").write_bytes(text.encode(encoding))
    apply_recipe(RECIPES["negra"], tmp_path, tmp_path / "out", Settings())
    assert "0=Später" in (tmp_path / "out" / "train.discbracket").read_text("utf-8")


def test_an_undecided_particle_is_one_in_ptb_and_stays_undecided_in_dptb(tmp_path: Path) -> None:
    tree = "( (S (NP-SBJ (PRP They) ) (VP (VBD gave) (PRT|ADVP (RP up) ) (ADVP (RB soon) ))))\n"
    source = write_files(tmp_path / "source", {"wsj_02.mrg": tree, "wsj_22.mrg": tree})
    made(RECIPES["ptb"], source, tmp_path / "ptb")
    (found,) = read_trees(tmp_path / "ptb" / "train.discbracket")
    assert [x.label for x in found.root.walk()] == ["TOP", "S", "NP", "VP", "PRT", "ADVP"]
    made(RECIPES["dptb"], source, tmp_path / "dptb")
    (found,) = read_trees(tmp_path / "dptb" / "train.discbracket")
    assert [x.label for x in found.root.walk()] == ["ROOT", "S", "NP", "VP", "PRT|ADVP", "ADVP"]


def test_the_vocabulary_sizes_of_the_paper_are_those_of_26_labels_and_the_root() -> None:
    labels = [f"L{i}" for i in range(26)] + ["TOP"]
    names = ["top-down", "enriched-top-down", "in-order", "enriched-in-order"]
    assert [len(linearization(name).basic_actions(labels)) for name in names] == [29, 55, 30, 56]
    assert len(linearization("in-order+swap").basic_actions([*labels, "PRT|ADVP"])) == 32  # for DPTB


def test_a_zipped_export_file_is_found(tmp_path: Path) -> None:
    data = (SOURCES / "negra" / "negra-corpus.export").read_bytes()
    (tmp_path / "negra-corpus.export.gz").write_bytes(gzip.compress(data))
    _, words = made(RECIPES["negra"], tmp_path, tmp_path / "out")
    assert words == {"train": ["Das", "Später"]}


def test_two_candidates_are_not_chosen_between(tmp_path: Path) -> None:
    for name in ("negra-corpus.export", "negra-corpus2.export"):
        shutil.copy(SOURCES / "negra" / "negra-corpus.export", tmp_path / name)
    with pytest.raises(TreebankError, match=r"negra-corpus.export and negra-corpus2.export both match"):
        apply_recipe(RECIPES["negra"], tmp_path, tmp_path / "out", Settings())


def test_a_node_with_two_parents_keeps_the_first_and_is_named(tmp_path: Path) -> None:
    card, words = made(RECIPES["tiger"], SOURCES / "tiger", tmp_path)
    assert words["test"] == ["Er"]
    (remark,) = card.mended
    assert remark.split == "test"
    assert str(remark) == (
        "GERMAN_SPMRL/gold/xml/test/test.German.gold.xml:18: 's46234_1' has two parents, 's46234_500' and 's46234_501'"
    )
    assert not card.left_out


def test_of_two_parents_that_of_the_published_data_is_kept(tmp_path: Path) -> None:
    xml = (SOURCES / "tiger/GERMAN_SPMRL/gold/xml/test/test.German.gold.xml").read_text("utf-8")
    lines = xml.splitlines()
    assert [number for number, line in enumerate(lines, 1) if 'idref="s46234_1"' in line] == [14, 18]
    edges = lines[13:]  # of which the first, to the word with two parents, comes to line 52143
    moved = "\n".join([*lines[:13], *[""] * (52143 - 14), *edges])
    source = write_files(tmp_path / "source", {"test.German.gold.xml": moved, "dev.German.gold.xml": moved})
    card, _ = made(RECIPES["tiger"], source, tmp_path / "out")
    tree = "(ROOT (CS (S (PPER 0=Er) (VVFIN 3=lacht)) (S (VVFIN 1=liest)) (KON 2=und)))\n"
    assert (tmp_path / "out" / "test.discbracket").read_text() == tree
    assert (tmp_path / "out" / "dev.discbracket").read_text() != tree  # the lines are those of test
    assert [str(remark) for remark in card.mended if remark.split == "test"] == [
        "test.German.gold.xml:52143: the edge from 's46234_500' to 's46234_1' is deleted, because 's46234_1' has "
        "another parent"
    ]


def test_an_edge_in_such_a_line_is_kept_if_its_node_has_no_other_parent(tmp_path: Path) -> None:
    lines = (SOURCES / "tiger/GERMAN_SPMRL/gold/xml/test/test.German.gold.xml").read_text("utf-8").splitlines()
    moved = "\n".join([*lines[:14], *[""] * (52143 - 15), *lines[14:]])
    source = write_files(tmp_path / "source", {"test.German.gold.xml": moved})
    card, _ = made(RECIPES["tiger"], source, tmp_path / "out")
    assert [remark.reason for remark in card.mended] == ["'s46234_1' has two parents, 's46234_500' and 's46234_501'"]


def test_two_files_that_could_be_the_same_split_of_tiger_are_not_chosen_between(tmp_path: Path) -> None:
    xml = (SOURCES / "tiger/GERMAN_SPMRL/gold/xml/dev/dev.German.gold.xml").read_text("utf-8")
    source = write_files(tmp_path / "source", {"a/dev.gold.xml": xml, "b/dev.gold.xml": xml})
    with pytest.raises(TreebankError, match=r"a/dev.gold.xml and b/dev.gold.xml could both be dev"):
        apply_recipe(RECIPES["tiger"], source, tmp_path / "out", Settings())
    source = write_files(tmp_path / "other", {"gold/dev.xml": xml, "pred/dev.xml": xml})
    assert made(RECIPES["tiger"], source, tmp_path / "out")[1] == {"dev": ["Gute"]}


@pytest.mark.parametrize("number", [9, 10])
def test_sections_of_hall_and_nivre_count_sentences_not_ids(number: int) -> None:
    # the tiny source has no id 7, as TIGER has none of 7561 and 17632
    (portion,) = RECIPES["tiger-hall-nivre"].locate(SOURCES / "tiger-hall-nivre").portions["test"]
    assert portion.includes(number) == (number == 10)


def test_hall_and_nivre_from_tiger_xml(tmp_path: Path) -> None:
    xml = SOURCES / "tiger/GERMAN_SPMRL/gold/xml/test/test.German.gold.xml"
    card, words = made(RECIPES["tiger-hall-nivre"], xml, tmp_path / "out")
    assert words == {"dev": ["Er"]}
    assert len(card.mended) == 1


def test_what_masc_loses_is_counted_and_named(tmp_path: Path) -> None:
    card, _ = made(RECIPES["masc"], SOURCES / "masc", tmp_path)
    assert sorted(map(str, card.left_out)) == [
        "trees/110CYL068.mrg, sentence 1: no word is left",
        "trees/110CYL068.mrg:15: a closing bracket has no opening one",
    ]


@pytest.mark.parametrize("folder", ["1/original-annotations/Penn_Treebank", "Penn_Treebank", "."])
def test_masc_is_found_where_its_distribution_has_it(folder: str, tmp_path: Path) -> None:
    shutil.copytree(SOURCES / "masc" / "trees", tmp_path / "source" / folder)
    _, words = made(RECIPES["masc"], tmp_path / "source", tmp_path / "out")
    assert words == {"train": ["It", "P.S.", "Seeds"], "dev": ["I"]}


def test_craft_is_found_where_its_distribution_has_it(tmp_path: Path) -> None:
    shutil.copytree(SOURCES / "craft" / "penn", tmp_path / "source/structural-annotation/treebank/penn")
    shutil.copytree(SOURCES / "craft" / "ids", tmp_path / "source/articles/ids")
    card, words = made(RECIPES["craft"], tmp_path / "source", tmp_path / "out")
    assert words["dev"] == ["young"]
    assert card.missing == {"test": ["10000003.tree", "10000004.tree"]}


def test_craft_without_its_lists_is_refused(tmp_path: Path) -> None:
    shutil.copytree(SOURCES / "craft" / "penn", tmp_path / "penn")
    with pytest.raises(TreebankError, match=r"craft-ids-train.txt: no such file or folder; expected the CRAFT"):
        apply_recipe(RECIPES["craft"], tmp_path, tmp_path / "out", Settings())


def test_zipped_documents_are_found(tmp_path: Path) -> None:
    tree = (SOURCES / "masc" / "trees" / "PolkMaria.mrg").read_bytes()
    (tmp_path / "PolkMaria.mrg.gz").write_bytes(gzip.compress(tree))
    assert made(RECIPES["masc"], tmp_path, tmp_path / "out")[1] == {"dev": ["I"]}


@pytest.mark.parametrize("here", [".", "qa"])  # the current folder: a relative path, perhaps without a name
def test_one_suite_alone_has_the_split_it_has_among_others(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SOURCES / "alpino-suites" / "Treebank" / "qa", tmp_path / "qa")
    monkeypatch.chdir(tmp_path / here)
    suite = Path("." if here == "qa" else "qa")
    _, words = made(RECIPES["alpino-suites"], suite, tmp_path / "out")
    assert words == {"train": ["Wie"], "dev": ["Waarom"]}


def test_the_lists_of_splits_name_every_document_once() -> None:
    for name, sizes in {"alpino": (5708, 714, 714), "masc": (37, 7, 8), "pcc": (140, 18, 18)}.items():
        lists = read_split_list(name)
        assert tuple(map(len, lists.values())) == sizes
        assert len({document for documents in lists.values() for document in documents}) == sum(sizes)


def test_an_unknown_recipe_lists_those_there_are() -> None:
    with pytest.raises(TreebankError, match=r"there is no recipe 'wsj'; the recipes are ptb, dptb, negra"):
        recipe_named("wsj")
