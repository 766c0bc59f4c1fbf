"""`discoseq label`: trees with weights, a report, and a file to go on from after an interruption."""

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.command import Command, Outcome
from discoseq.parser import labelling
from discoseq.parser.labelling import LabelledPart
from discoseq.training.silver import tree_weight
from discoseq.treebanks.files import read_trees
from parser.trained import example_trees, trained, trained_directory

PATIENCE = 240.0  # seconds; on a busy machine it takes long to start


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """The words of the twenty trees, one of them twice."""
    path = tmp_path / "words.txt"
    lines = [" ".join(tree.words) for tree in example_trees()]
    path.write_text("\n".join([*lines, lines[0]]) + "\n", encoding="utf-8")
    return path


class Label:
    """Calls `discoseq label` with the trained model, greedily, on words."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def __call__(self, *arguments: object) -> Outcome:
        return self._command("label", "--tokenized", "--model", trained_directory(), "--beam", 1, *arguments)


@pytest.fixture
def label(discoseq: Command) -> Label:
    return Label(discoseq)


@pytest.mark.parametrize("name", ["x.discbracket", "x.export", "x.jsonl", "x.alpino", "x.export3", "x.discbracket.gz"])
def test_the_trees_have_weights_in_every_format_that_can_hold_them(label: Label, words: Path, name: str) -> None:
    out = words.with_name(name)
    outcome = label(words, "--out", out)
    assert (outcome.code, outcome.out) == (0, "")
    assert f"{out}: 20 trees of 21 sentences, mean weight 0.9" in outcome.err
    assert "left out: 1 duplicates" in outcome.err
    trees = list(read_trees(out))
    assert [tree.words for tree in trees] == [tree.words for tree in example_trees()]
    assert all(0.5 < tree_weight(tree) < 1 for tree in trees)
    assert [path.name for path in words.parent.iterdir() if path != words] == [name]


def test_the_report_says_what_became_of_the_sentences(label: Label, words: Path) -> None:
    excluded = words.with_name("dev.discbracket")
    excluded.write_text(example_trees_text(3), encoding="utf-8")
    out = words.with_name("x.discbracket")
    thresholds = ("--agreement", 0.9, "--certainty", 0.5, "--longest", 7)
    outcome = label(words, "--out", out, "--model", trained_directory(), *thresholds, "--exclude", excluded, "--json")
    assert outcome.code == 0
    report = json.loads(outcome.out)
    trees = list(read_trees(out))
    longer = sum(len(tree.words) > 7 for tree in example_trees())
    assert report["read"] == 21
    assert report["too_long"] >= longer > 0
    assert report["excluded"] > 0
    assert report["kept"] == len(trees) == report["parsed"]
    assert report["agreements"] == {"1.00": report["parsed"]}
    assert sum(report["certainties"].values()) == report["parsed"]
    assert report["mean_weight"] == pytest.approx(sum(map(tree_weight, trees)) / len(trees), abs=1e-3)
    assert "at least" in outcome.err


def example_trees_text(count: int) -> str:
    return "".join((Path(__file__).parents[2] / "examples/twenty.discbracket").read_text().splitlines(True)[:count])


def test_raw_text_gzipped_and_in_folders_is_read_as_by_parse(discoseq: Command, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    with gzip.open(folder / "a.txt.gz", "wt") as file:
        file.write("Which letter did Ben find? The rain\nhas stopped.")
    call = ("label", folder, "--model", trained_directory(), "--beam", 1, "--out", tmp_path / "x.discbracket")
    assert discoseq(*call).code == 0
    found = [tree.words for tree in read_trees(tmp_path / "x.discbracket")]
    assert found == [tree.words for tree in trained().parse_text("Which letter did Ben find? The rain has stopped.")]


def interrupted(monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """Ctrl-C after so many parts of four sentences."""
    from discoseq.parser.label_journal import Journal

    add, count = Journal.add, 0

    def add_some(self: Journal, part: LabelledPart) -> None:
        nonlocal count
        if count == parts:
            raise KeyboardInterrupt
        count += 1
        add(self, part)

    monkeypatch.setattr(Journal, "add", add_some)
    monkeypatch.setattr(labelling, "_PART", 4)


def test_after_an_interruption_the_same_command_goes_on(
    label: Label, words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out, partial = (words.with_name(name) for name in ("whole.export", "x.export", "x.export.partial"))
    monkeypatch.setattr(labelling, "_PART", 4)
    expected = label(words, "--out", whole, "--json")
    with monkeypatch.context() as patch:
        interrupted(patch, 2)
        first = label(words, "--out", out, "--json")
    assert (first.code, first.out, first.err) == (130, "", "interrupted after 8 sentences: the same command goes on\n")
    assert partial.exists()
    assert not out.exists()
    with partial.open("ab") as file:
        file.write(b'{"counts": {"read": 12')  # as if it had been killed while it wrote
    again = label(words, "--out", out, "--json")
    assert again.code == 0
    assert again.err.startswith(f"going on after 8 sentences ({partial})\n")
    assert again.out == expected.out
    assert out.read_bytes() == whole.read_bytes()
    assert not partial.exists()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (["--certainty", "0.3"], "differs in --certainty (there 0.0); repeat"),
        (["--limit", "5", "--shortest", "2"], "differs in --shortest (there 1), --limit (not given there); repeat"),
        (
            ["--exclude", str(Path(__file__).parents[2] / "examples/twenty.discbracket")],
            "differs in the contents of --exclude; repeat",
        ),
        (["--model", "{model}"], "differs in the models; repeat"),
        ([], "differs in the text; repeat"),
    ],
)
def test_another_command_is_refused_and_changes_nothing(
    label: Label, words: Path, monkeypatch: pytest.MonkeyPatch, change: list[str], named: str
) -> None:
    out, partial = words.with_name("x.discbracket"), words.with_name("x.discbracket.partial")
    with monkeypatch.context() as patch:
        interrupted(patch, 1)
        assert label(words, "--out", out).code == 130
    before = partial.read_bytes()
    if not change:
        words.write_text("something else\n")
    outcome = label(words, "--out", out, *(x.format(model=trained_directory()) for x in change))
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{partial}: this labelling was begun by a command that differs in ")
    assert named in outcome.err
    assert outcome.err.count("\n") == 1
    assert partial.read_bytes() == before


def test_a_damaged_file_of_an_earlier_command_is_one_sentence(label: Label, words: Path) -> None:
    partial = words.with_name("x.discbracket.partial")
    partial.write_text("nonsense\n")
    outcome = label(words, "--out", words.with_name("x.discbracket"))
    assert outcome.code == 1
    assert outcome.err.startswith(f"{partial}: this file of an earlier labelling can't be read")
    assert outcome.err.count("\n") == 1


def test_what_was_done_before_a_bad_line_is_kept_and_another_way_to_read_it_goes_on(
    label: Label, words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labelling, "_PART", 4)
    with words.open("ab") as file:
        file.write(b"caf\xe9\n")
    out = words.with_name("x.discbracket")
    outcome = label(words, "--out", out)
    assert (outcome.code, outcome.err) == (1, f"{words}:22: byte 0xe9 is not utf-8; try --encoding latin-1\n")
    again = label(words, "--out", out, "--errors", "replace")
    assert again.code == 0
    assert again.err.startswith("going on after 20 sentences")
    assert len(list(read_trees(out))) == 21


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--out", "x.mrg"], 1, "x.mrg: the suffix has to be that of a format with weights: "),
        (["--out", "no/x.export"], 1, "no/x.export: there is no folder"),
        (["--out", "x.export", "--agreement", "0.5"], 2, "--agreement needs several models"),
        (["--out", "x.export", "--ensemble"], 2, "--ensemble needs several models"),
        (["--out", "x.export", "--longest", "2", "--shortest", "3"], 2, "--longest is below --shortest"),
        (["--out", "x.export", "--exclude", "no.export"], 1, "no.export: "),
        (["--out", "x.export", "-"], 2, "name files: standard input"),
        (["--out", "x.export", "."], 1, "x.export: the output can't be in a folder that is read"),
        (["--out", "x.export", "--model", "nothing"], 1, "there is no model 'nothing'"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_nothing(
    label: Label, words: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(words.parent)
    outcome = label(words.name, *arguments)
    assert outcome.code == code
    assert message in " ".join(outcome.err.replace("│", " ").split())
    assert [path.name for path in words.parent.iterdir()] == [words.name]


def test_an_ensemble_makes_the_trees_together(label: Label, words: Path) -> None:
    alone, together = words.with_name("alone.discbracket"), words.with_name("together.discbracket")
    label(words, "--out", alone)
    outcome = label(words, "--model", trained_directory(), "--ensemble", "--out", together)
    assert outcome.code == 0
    assert "agreement" not in outcome.err
    assert list(read_trees(alone)) == list(read_trees(together))  # of two equal members
    refused = label(words, "--model", "en", "--ensemble", "--out", words.with_name("x.discbracket"))
    assert refused.code == 1
    assert "models 1 and 2 can't form an ensemble" in refused.err
    assert label(words, "--model", "en", "--ensemble", "--agreement", "0.5", "--out", "x.discbracket").code == 2


@pytest.mark.slow
def test_a_killed_command_goes_on_and_several_processes_find_the_same(words: Path) -> None:
    text = words.read_text(encoding="utf-8").splitlines()
    many = [f"{line} {i}" for i in range(30) for line in text[:20]]
    words.write_text("\n".join(many) + "\n", encoding="utf-8")
    out, whole = words.with_name("x.discbracket"), words.with_name("whole.discbracket")
    call = [sys.executable, "-m", "discoseq", "label", str(words), "--tokenized", "--beam", "1"]
    call += ["--model", str(trained_directory()), "--out"]
    run = subprocess.Popen([*call, str(out)])
    partial = words.with_name("x.discbracket.partial")
    end = time.monotonic() + PATIENCE
    while not (partial.exists() and partial.read_bytes().count(b"\n") >= 2):
        assert run.poll() is None, "the command was to be killed before its end"
        assert time.monotonic() < end
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not out.exists()
    again = subprocess.run([*call, str(out)], capture_output=True, text=True, check=True)
    assert again.stderr.startswith("going on after ")
    subprocess.run([*call, str(whole), "--processes", "2"], capture_output=True, check=True)
    assert out.read_bytes() == whole.read_bytes()
