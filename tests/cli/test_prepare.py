import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.treebanks.recipes.apply import RECIPES

SOURCES = Path(__file__).resolve().parents[1] / "treebanks" / "recipes" / "sources"


def test_the_list_names_licence_size_and_address_of_every_recipe(discoseq: Command) -> None:
    outcome = discoseq("prepare", "--list")
    assert outcome.code == 0
    assert not outcome.err
    for recipe in RECIPES.values():
        assert f"{recipe.name}: {recipe.title} ({recipe.language})" in outcome.out
        assert recipe.licence in outcome.out
        assert recipe.address in outcome.out
        assert recipe.expected in outcome.out
    assert "39,832 / 1,700 / 2,416" in outcome.out


def test_splits_are_reported_on_standard_output_and_the_rest_on_standard_error(
    discoseq: Command, tmp_path: Path
) -> None:
    outcome = discoseq("prepare", "masc", SOURCES / "masc", tmp_path)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "train        3 sentences          8 tokens  discontinuous: 33.3 % counting punctuation, 33.3 % ignoring it  "
        f"{tmp_path}/train.discbracket",
        "dev          1 sentences          3 tokens  discontinuous: 0.0 % counting punctuation, 0.0 % ignoring it  "
        f"{tmp_path}/dev.discbracket",
    ]
    assert outcome.err.splitlines() == [
        "train is incomplete; files not found: 110CYL069.mrg; 110CYL070.mrg; 110CYL071.mrg; and 32 more, see card.json",
        "dev is incomplete; files not found: lw1.mrg; Article247_327.mrg; 118CWL050.mrg; and 3 more, see card.json",
        "test is missing; files not found: HistoryJerusalem.mrg; ReidSandra.mrg; Article247_66.mrg; "
        "and 5 more, see card.json",
        "left out: 1 sentence (trees/110CYL068.mrg, sentence 1): no word is left",
        "left out: 1 sentence (trees/110CYL068.mrg:15): a closing bracket has no opening one",
        "wrote train.discbracket, dev.discbracket and card.json",
    ]


def test_what_was_mended_and_what_differs_is_said(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("prepare", "tiger", SOURCES / "tiger", tmp_path)
    assert outcome.code == 0
    assert "'s46234_1' has two parents, 's46234_500' and 's46234_501'; the first is kept" in outcome.err
    assert "warning: test has 1 sentences; 5,000 were expected" in outcome.err


def test_the_format_is_an_option(discoseq: Command, tmp_path: Path) -> None:
    assert discoseq("prepare", "pcc", SOURCES / "pcc", tmp_path, "--to", "export").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "dev.export", "train.export"]


def test_the_moved_types_are_an_option(discoseq: Command, tmp_path: Path) -> None:
    assert discoseq("prepare", "dptb", SOURCES / "ptb", tmp_path, "--moved", "*ICH*, *EXP*").code == 0
    assert json.loads((tmp_path / "card.json").read_text("utf-8"))["settings"]["moved"] == ["*ICH*", "*EXP*"]
    assert discoseq("prepare", "dptb", SOURCES / "ptb", tmp_path, "--moved", "").code == 0
    assert json.loads((tmp_path / "card.json").read_text("utf-8"))["settings"]["moved"] == []
    assert discoseq("prepare", "dptb", SOURCES / "ptb", tmp_path, "--moved", "ICH").code == 2


def test_the_sections_are_an_option(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("prepare", "ptb", SOURCES / "ptb", tmp_path / "out", "--sections", "train=02,22-23,dev=00")
    assert outcome.code == 0
    assert [line.split()[:2] for line in outcome.out.splitlines()] == [["train", "4"], ["dev", "1"]]
    for wrong in ("train", "other=00", "train=a", "train=00,dev=00", "train=03-02", "00"):
        assert discoseq("prepare", "ptb", SOURCES / "ptb", tmp_path / "out", "--sections", wrong).code == 2


def test_annotations_are_kept_if_asked_for(discoseq: Command, tmp_path: Path) -> None:
    assert discoseq("prepare", "ptb", SOURCES / "ptb", tmp_path, "--keep-annotations").code == 0
    assert "(NP-SBJ (PRP 2=you))" in (tmp_path / "train.discbracket").read_text()


def test_what_a_user_got_wrong_is_one_line(discoseq: Command, tmp_path: Path) -> None:
    for arguments in [("ptb", tmp_path / "nowhere"), ("wsj", tmp_path), ("negra", tmp_path)]:
        outcome = discoseq("prepare", *arguments, tmp_path / "out")
        assert outcome.code == 1
        assert not outcome.out
        assert len(outcome.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [(), ("ptb",), ("ptb", "somewhere")])
def test_too_few_arguments_are_a_usage_error(discoseq: Command, arguments: tuple[str, ...]) -> None:
    outcome = discoseq("prepare", *arguments)
    assert outcome.code == 2
    assert "give NAME, SOURCE and OUTDIR, or --list" in outcome.err


@pytest.mark.slow
def test_an_interrupted_run_leaves_no_half_written_split(tmp_path: Path) -> None:
    sentence = "#BOS {}\na NN -- HD 500\nb VB -- HD 0\nc NN -- HD 500\n#500 NP -- SB 0\n#EOS {}\n"
    (tmp_path / "negra-corpus.export").write_text("".join(sentence.format(n, n) for n in range(1, 20603)))
    command = "from discoseq.cli.main import main; main()"
    arguments = ["prepare", "negra", str(tmp_path / "negra-corpus.export"), str(tmp_path / "out")]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not list((tmp_path / "out").rglob("*.partial")) and time.monotonic() < deadline:
        assert process.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) != 0
    process.communicate()
    assert not (tmp_path / "out").exists()


def test_a_continuous_format_gets_continuous_trees(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("prepare", "masc", SOURCES / "masc", tmp_path, "--to", "bracket")
    assert outcome.code == 0
    assert outcome.err.splitlines()[-1] == "note: made 1 discontinuous tree continuous (--continuous raise)"
    assert len((tmp_path / "train.mrg").read_text().splitlines()) == 3
    card = json.loads((tmp_path / "card.json").read_text("utf-8"))
    assert (card["made_continuous"], card["settings"]["continuous"]) == (1, "raise")
    assert "discontinuous trees are made continuous (method: raise)" in card["steps"]
    assert not any("no sentence is discontinuous" in warning for warning in card["warnings"])


def test_continuity_is_an_option_for_any_format(discoseq: Command, tmp_path: Path) -> None:
    outcome = discoseq("prepare", "masc", SOURCES / "masc", tmp_path, "--continuous", "split")
    assert outcome.code == 0
    assert "* (" in (tmp_path / "train.discbracket").read_text()
    assert "discontinuous: 0.0 % counting punctuation" in outcome.out.splitlines()[0]
