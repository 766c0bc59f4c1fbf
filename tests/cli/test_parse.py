"""`discoseq parse`: all ways in and out, and what it says when something is wrong."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cli.command import Command
from cli.parse_command import Parse, start
from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearizations.linearization import linearization
from discoseq.linearizations.machine import WEAK, Machine
from discoseq.model.network import Heads, Model
from discoseq.parser import model_registry
from discoseq.parser.parser import Parser
from discoseq.storage import CACHE_VARIABLE
from discoseq.treebanks.files import FORMATS, parse_trees, read_trees
from discoseq.trees.tree import Tree
from model.small import PLAIN
from parser.odd import LONG, ODD_TEXTS
from parser.trained import EXAMPLES, example_trees, trained, trained_directory

TEXT = "Which letter did Ben find?"


def words_of(trees: list[Tree]) -> list[str]:
    return [" ".join(tree.words) for tree in trees]


def test_text_is_cut_and_parsed(parse: Parse) -> None:
    expected = trained().parse(TEXT)
    assert parse.trees("--text", f"{TEXT} {TEXT}\n\n{TEXT}") == [expected] * 3
    assert parse.trees(stdin=TEXT.encode()) == [expected]
    assert parse.trees("-", stdin=TEXT.encode()) == [expected]


def test_empty_elements_of_a_treebank_are_not_parsed_and_counted(parse: Parse, tmp_path: Path) -> None:
    path = tmp_path / "x.mrg"
    path.write_text("( (S (NP (NNP Ben)) (VP (VBD found) (SBAR (-NONE- 0) (NP (-NONE- *T*-1))))))\n")
    outcome = parse(path, "--from", "bracket")
    assert outcome.code == 0
    assert outcome.err == f"note: an empty element (-NONE-) is not parsed (2 times, first {path})\n"
    assert [tree.words for tree in parse_trees(outcome.out, "discbracket")] == [("Ben", "found")]


def test_files_are_read_one_after_the_other_zipped_or_not(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("Anna slept. Ben", encoding="utf-8")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"slept."))
    assert words_of(parse.trees(tmp_path / "a", tmp_path / "b.gz")) == ["Anna slept .", "Ben", "slept ."]


def test_a_line_may_be_a_sentence(parse: Parse) -> None:
    lines = "Anna slept. Ben slept.\r\n\r\nI don't\u00a0know\r\n".encode()
    trees = parse.trees("--sentences", stdin=lines)
    assert words_of(trees) == ["Anna slept. Ben slept .", "", "I do n't know"]
    trees = parse.trees("--tokenized", stdin=lines)
    assert words_of(trees) == ["Anna slept. Ben slept.", "", "I don't\u00a0know"]
    assert len(trees[2].tokens) == 2


def test_a_treebank_gives_words_and_tags(parse: Parse, tmp_path: Path) -> None:
    assert parse.trees(EXAMPLES, "--from", "discbracket", "--beam", "10") == example_trees()
    (tmp_path / "tagged").write_text("(X (ODD 0=Anna) (VBD 1=slept))\n")
    tree = parse.trees(tmp_path / "tagged", "--from", "discbracket")[0]
    assert [token.tag for token in tree.tokens] == ["ODD", "VBD"]


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("bracket", "alpino")])
def test_no_text_breaks_a_format(parse: Parse, tmp_path: Path, format: str) -> None:
    lines = [*ODD_TEXTS, " ".join(LONG[:60]), "", " "]
    source, target = tmp_path / "text", tmp_path / "trees"
    source.write_text("\ufeff" + "".join(line.replace("\x0b", " ") + "\n" for line in lines), encoding="utf-8")
    outcome = parse(source, "--sentences", "--to", format, "-o", target)
    assert outcome.code == 0
    assert outcome.err.startswith(f"parsed {len(lines)} sentences to {target}, ")
    expected = list(trained().parse_all([line.replace("\x0b", " ") for line in lines], beam_size=1))
    assert [tree.tokens for tree in read_trees(target, format)] == [tree.tokens for tree in expected]
    if not format.startswith("export"):  # which has its own root
        assert list(read_trees(target, format)) == expected


def test_the_suffix_says_the_format(parse: Parse, tmp_path: Path) -> None:
    for name, beginning in (
        ("x.export", "#FORMAT"),
        ("x.xml", "<?xml"),
        ("x.json", "{"),
        ("x.txt", "(ROOT"),  # a drawing has to be asked for
        ("x.svg", "<svg"),
    ):
        assert parse("--text", TEXT, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(beginning)


def test_the_best_trees_come_with_scores(parse: Parse) -> None:
    outcome = parse("--text", TEXT, "--to", "json", "--nbest", 3, "--scores")
    lines = [json.loads(line) for line in outcome.out.splitlines()]
    expected = trained().nbest(TEXT, 10)
    assert [line["log_probability"] for line in lines] == pytest.approx(
        [x.log_probability for x in expected[:3]], abs=1e-4
    )
    assert [line["share"] for line in lines] == pytest.approx([x.share for x in expected[:3]], abs=1e-4)
    assert lines[0]["root"]["confidence"] > 0.5
    assert "confidences=" in parse("--text", TEXT, "--scores").out
    assert "confidences=" in parse("--text", TEXT, "--scores", "--to", "text").out


def test_sentences_with_fewer_trees_than_asked_for_are_counted(parse: Parse, tmp_path: Path) -> None:
    trees = parse_trees("(X (Y (A 0=a)))\n(Y (A 0=a) (A 1=b))\n", "discbracket")
    vocabularies = Vocabularies.of(trees, linearization("in-order"), 1)
    Parser(Model.create(PLAIN, vocabularies, "in-order", Heads(), unary_limit=2)).save(tmp_path / "model")
    few = ["--model", tmp_path / "model", "--tokenized", "--nbest"]
    outcome = parse.only(*few, 8, stdin=b"a\na b\n\nb\na b\n")
    assert (outcome.code, outcome.err) == (0, "note: 2 sentences have fewer than 8 different trees\n")
    assert len(outcome.out.splitlines()) == 6 + 8 + 1 + 6 + 8
    assert parse.only(*few, 6, stdin=b"a\na b\n").err == ""
    assert parse.only(*few, 7, "--text", "a").err == "note: 1 sentence has fewer than 7 different trees\n"
    # confidences are computed from all candidates that are found, and their number is not promised
    assert parse.only(*few, 1, "--scores", "--text", "a").err == ""


def test_a_device_that_is_not_there_is_one_sentence(parse: Parse) -> None:
    outcome = parse("--text", TEXT, "--device", "klingon")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert outcome.err.startswith("the device 'klingon' can't be used here (")


def test_several_models_parse_as_one(parse: Parse) -> None:
    assert parse.trees("--text", TEXT, "--model", trained_directory()) == [trained().parse(TEXT)]


@pytest.mark.parametrize("data", [b"", b"\n \n\t\n", b"\xef\xbb\xbf", "\u00a0\u200b\n".encode()])
def test_where_there_is_no_text_there_are_no_trees(parse: Parse, data: bytes) -> None:
    outcome = parse(stdin=data)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert "<corpus>" in parse("--to", "tigerxml", stdin=data).out


def test_the_language_can_be_chosen(parse: Parse) -> None:
    assert words_of(parse.trees("--text", "auto's (x)", "--language", "nl")) == ["auto's ( x )"]
    outcome = parse("--text", TEXT, "--language", "tlh")
    assert outcome.code == 1
    assert outcome.err.startswith("unknown language 'tlh'")


def test_line_breaks_end_sentences_where_that_is_asked_for(parse: Parse) -> None:
    text = b"- Anna\nslept\n- Ben slept\n"
    assert words_of(parse.trees(stdin=text)) == ["- Anna slept", "- Ben slept"]
    assert words_of(parse.trees("--line-breaks", "sentence", stdin=text)) == ["- Anna", "slept", "- Ben slept"]
    assert words_of(parse.trees("--line-breaks", "space", stdin=text)) == ["- Anna slept - Ben slept"]


def test_abbreviations_can_be_added(parse: Parse, tmp_path: Path) -> None:
    assert words_of(parse.trees("--text", "Anna is a hum. Ben slept.")) == ["Anna is a hum .", "Ben slept ."]
    (tmp_path / "mine").write_text("hum.\n")
    more = ["--abbreviations", tmp_path / "mine"]
    assert words_of(parse.trees("--text", "Anna is a hum. Ben slept.", *more)) == ["Anna is a hum. Ben slept ."]
    assert words_of(parse.trees("--text", "Ben is a hum.", "--sentences", *more)) == ["Ben is a hum."]
    (tmp_path / "mine").write_text("hum.\nz. B.\n")
    outcome = parse("--text", TEXT, *more)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{tmp_path}/mine:2: an abbreviation has no spaces: 'z. B.'")


def test_what_is_no_text_is_refused_with_its_place(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"Anna slept.\n\n" + bytes(range(255, 127, -1)))
    outcome = parse(tmp_path / "noise", "-o", tmp_path / "out")
    assert (outcome.code, outcome.err) == (1, f"{tmp_path}/noise:3: byte 0xff is not utf-8; try --encoding latin-1\n")
    assert not (tmp_path / "out").exists()
    assert parse(tmp_path / "noise", "--encoding", "latin-1").code == 0
    outcome = parse(tmp_path / "missing")
    assert (outcome.code, outcome.err) == (1, f"{tmp_path}/missing: no such file\n")


@pytest.mark.parametrize(("file", "size"), [("model.safetensors", 1000), ("config.json", 20), ("vocabularies.json", 9)])
def test_a_model_that_was_cut_short_is_named(discoseq: Command, tmp_path: Path, file: str, size: int) -> None:
    shutil.copytree(trained_directory(), tmp_path / "model")
    os.truncate(tmp_path / "model" / file, size)
    outcome = discoseq("parse", "--model", tmp_path / "model", "--text", TEXT)
    assert outcome.code == 1
    assert outcome.err.startswith(f"{tmp_path}/model/{file}")
    assert outcome.err.count("\n") == 1


def test_without_a_model_one_has_to_be_named(
    discoseq: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(model_registry, "BUNDLED", tmp_path / "none")
    monkeypatch.setattr(model_registry, "ENTRY_POINTS", "none")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    outcome = discoseq("parse", "--text", TEXT)
    assert outcome.code == 1
    assert outcome.err.startswith("there is no model 'en'; ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["x", "--text", "y"],
        ["--tokenized", "--sentences"],
        ["--from", "export", "--tokenized"],
        ["--beam", "0"],
        ["--score", "median"],
        ["--line-breaks", "none"],
        ["--line-breaks", "space", "--sentences"],
        ["--abbreviations", "x", "--tokenized"],
    ],
)
def test_what_excludes_each_other_is_refused(parse: Parse, arguments: list[str]) -> None:
    assert parse(*arguments).code == 2


def test_whoever_has_seen_enough_may_leave(tmp_path: Path) -> None:
    (tmp_path / "long").write_text(f"{TEXT}\n" * 20_000)
    process = start(tmp_path / "long", "--beam", 1, "--quiet", stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"(ROOT (SBARQ")
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_an_interruption_is_quiet(tmp_path: Path) -> None:
    process = start("-", "--sentences", "--quiet", "-o", tmp_path / "out", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(f"{TEXT}\n".encode() * 9)
    process.stdin.flush()
    while not list(tmp_path.iterdir()):  # until it has begun to write
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_processes_find_the_same_in_the_same_order(parse: Parse, tmp_path: Path) -> None:
    source, target = tmp_path / "text", tmp_path / "out.discbracket"
    source.write_text("".join(" ".join(tree.words) + "\n" for tree in example_trees()))
    assert parse(source, "--tokenized", "--processes", 2, "--beam", 2, "-o", target).code == 0
    assert list(read_trees(target)) == example_trees()


def test_sequences_that_are_no_trees_are_repaired_and_counted(
    parse: Parse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained().models[0]
    exact = model.machine
    weak = Machine(exact.linearization, exact.vocabulary, exact.unary_limit, WEAK)
    Parser(replace(model, machine=weak)).save(tmp_path / "model")
    monkeypatch.setattr("discoseq.linearizations.machine._WEAK_STEPS", 1)
    outcome = parse.only("--model", tmp_path / "model", "--text", TEXT)
    (tree,) = parse_trees(outcome.out, "discbracket")
    assert tree.words == trained().parse(TEXT).words
    assert outcome.err == "note: sequences of actions that were no trees were repaired (1)\n"


def test_the_best_tree_may_be_that_of_the_highest_mean_in_one_process_or_several(parse: Parse, tmp_path: Path) -> None:
    source = tmp_path / "words"
    source.write_text("Anna kettle Ben away\nmap put write\nup A song find maps old\n")
    words = [line.split() for line in source.read_text().splitlines()]
    by_mean = list(Parser(*trained().models, score="mean").parse_all(words))
    assert by_mean != list(trained().parse_all(words))
    assert parse.trees(source, "--tokenized", "--score", "mean", "--beam", "10") == by_mean
    assert parse.trees(source, "--tokenized", "--score", "mean", "--beam", "10", "--processes", "2") == by_mean


def test_a_continuous_format_gets_continuous_trees(parse: Parse) -> None:
    found = trained().parse(TEXT)
    assert found.is_discontinuous
    for options, method in (([], "raise"), (["--continuous", "split"], "split")):
        outcome = parse("--text", f"{TEXT} {TEXT}", "--to", "bracket", *options)
        assert outcome.code == 0
        assert parse_trees(outcome.out, "bracket") == [found.continuous(method)] * 2
        assert outcome.err == f"note: made 2 discontinuous trees continuous (--continuous {method})\n"
    assert parse.trees("--text", TEXT) == [found]


def test_confidences_are_those_of_the_continuous_trees(parse: Parse) -> None:
    outcome = parse("--text", TEXT, "--to", "json", "--scores", "--continuous", "raise", "--nbest", "2")
    trees = parse_trees(outcome.out, "json")
    assert not any(tree.is_discontinuous for tree in trees)
    assert len(trees) == 2
    assert json.loads(outcome.out.splitlines()[0])["root"]["confidence"] > 0.9
