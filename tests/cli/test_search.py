"""`discoseq search`, as a user calls it."""

import json
from pathlib import Path

import pytest

from cli.command import Command

TREES = """(ROOT (S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man)) ($. 4=.))
(ROOT (NP (ART 0=Das) (NN 1=Ende)))
"""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "in.discbracket"
    path.write_text(TREES)
    return path


def test_hits_are_printed_a_line_each_with_their_place(discoseq: Command, treebank: Path) -> None:
    outcome = discoseq("search", "Das", treebank)
    assert (outcome.code, outcome.out) == (0, f"{treebank}:1: 0=Das\n{treebank}:2: 0=Das\n")
    assert outcome.err == "2 hits in 2 of 2 trees\n"
    outcome = discoseq("search", "VP{discontinuous}", treebank)
    assert outcome.out == f"{treebank}:1: (VP-OC (PDS 0=Das) (VVINF 3=tun))\n"


def test_the_place_is_the_file_in_a_folder(discoseq: Command, treebank: Path) -> None:
    (treebank.parent / "a.discbracket").write_text("(ROOT (NN 0=Ende))\n")
    outcome = discoseq("search", "Ende", treebank.parent)
    assert outcome.out.splitlines() == [f"{treebank.parent / 'a.discbracket'}:1: 0=Ende", f"{treebank}:2: 1=Ende"]


def test_no_hit_is_no_error(discoseq: Command, treebank: Path) -> None:
    outcome = discoseq("search", "XP", treebank)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "0 hits in 0 of 2 trees\n")


def test_hits_are_counted(discoseq: Command, treebank: Path) -> None:
    outcome = discoseq("search", "*{tag}", treebank, treebank, "--count")
    assert (outcome.out, outcome.err) == ("14 hits in 4 of 4 trees\n", "")
    counts = json.loads(discoseq("search", "VP", treebank, "--count", "--json").out)
    assert counts == {"hits": 1, "trees_with_hits": 1, "trees": 2}


def test_hits_are_drawn_in_their_trees(discoseq: Command, treebank: Path) -> None:
    drawn = discoseq("search", "VP <^ man", treebank, "--draw").out
    assert drawn.startswith(f"# {treebank}:1\n")
    assert "[VP]-OC" in drawn
    assert "[PIS]" in discoseq("search", "PIS", treebank, "--draw").out
    assert "[man]" in discoseq("search", "man", treebank, "--draw").out


def test_sentences_are_printed_with_the_words_of_the_hit(discoseq: Command, treebank: Path) -> None:
    assert discoseq("search", "VP|NP", treebank, "--words").out.splitlines() == [
        f"{treebank}:1: [Das] muss man [tun] .",
        f"{treebank}:2: [Das Ende]",
    ]


def test_json_has_this_shape(discoseq: Command, treebank: Path) -> None:
    found = json.loads(discoseq("search", "VP < PDS=p", treebank, "--json").out)
    pronoun = {"kind": "tag", "name": "PDS", "tokens": [0], "words": ["Das"], "gap_degree": 0, "tree": "(PDS 0=Das)"}
    assert found == {
        "file": str(treebank),
        "id": "1",
        "kind": "phrase",
        "name": "VP-OC",
        "tokens": [0, 3],
        "words": ["Das", "tun"],
        "gap_degree": 1,
        "tree": "(VP-OC (PDS 0=Das) (VVINF 3=tun))",
        "bound": {"p": pronoun},
    }


def test_trees_with_hits_make_a_treebank(discoseq: Command, treebank: Path, tmp_path: Path) -> None:
    assert discoseq("search", "NP", treebank, "--to", "discbracket").out == TREES.splitlines(keepends=True)[1]
    assert discoseq("search", "*", treebank, "-o", tmp_path / "out.export").code == 0
    assert (tmp_path / "out.export").read_text().count("#BOS") == 2


def test_the_search_stops_at_the_limit(discoseq: Command, treebank: Path) -> None:
    outcome = discoseq("search", "*", treebank, "--limit", 3)
    assert len(outcome.out.splitlines()) == 3
    assert outcome.err == "3 hits in 1 of 1 tree\n"


def test_a_gap_of_punctuation_may_be_none(discoseq: Command, tmp_path: Path) -> None:
    (tmp_path / "x.discbracket").write_text("(ROOT (S (A 0=a) (B 2=b)) ($, 1=,))\n")
    assert discoseq("search", "{discontinuous}", tmp_path / "x.discbracket").out
    assert not discoseq("search", "{discontinuous}", tmp_path / "x.discbracket", "--ignore-punctuation").out


def test_mistakes_are_one_line(discoseq: Command, treebank: Path, tmp_path: Path) -> None:
    outcome = discoseq("search", "NP <", treebank, "-o", tmp_path / "out.txt")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("the query can't be read at its end (character 5): a node is missing here")
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "out.txt").exists()
    assert discoseq("search", "NP", tmp_path / "nothing.export").code == 1
    assert discoseq("search", "NP", treebank, "--draw", "--json").code == 2
    assert discoseq("search", "NP").code == 2
