"""The files of `discoseq parse`: early checks, folders, one output a file, resuming, the way back to the text."""

import gzip
import json
import os
from pathlib import Path

import pytest

from cli.command import Command
from cli.parse_command import Parse
from discoseq.treebanks.files import parse_trees, read_trees
from parser.trained import example_trees


def words_in(path: Path) -> list[str]:
    return [" ".join(tree.words) for tree in read_trees(path)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["a.txt", "missing"], "missing: no such file"),
        (["empty"], "empty: there are no files to parse in this folder"),
        (["a.txt", "--from", "pdf"], "there is no format 'pdf'; the formats are export,"),
        (["a.txt", "--to", "pdf"], "there is no format 'pdf'; the formats are export,"),
        (["a.txt", "--to", "tigerxml", "--scores"], "tigerxml can't hold scores"),
        (["a.txt", "--language", "tlh"], "unknown language 'tlh'"),
        (["a.txt", "-o", "a.txt"], "a.txt: this file is read, so it can't be the output, too"),
        (["a.txt", "-o", "link"], "link: this file is read, so it can't be the output, too"),
        (["a.txt", "-o", "empty"], "empty: this is a folder, not a file"),
        (["a.txt", "-o", "nowhere/x"], "nowhere/x: there is no folder "),
        (["a.txt", "a.md", "--output-dir", "out"], "out/a.discbracket: the output of a.txt and of a.md would be"),
        (["a.txt", "--output-dir", "a.txt"], "a.txt: --output-dir has to be a folder, and this is none"),
        (["a.txt", "--output-dir", "a.txt/x"], "a.txt/x: can't make this folder"),
        (["x.discbracket", "--output-dir", "."], "x.discbracket: this file is read, so it can't be the output, too"),
        (["folder", "--output-dir", "folder"], "folder: --output-dir can't be the folder that is read"),
        (["broken.gz"], "broken.gz: the gzip data is broken"),
    ],
)
def test_what_is_asked_for_is_checked_before_the_model_is_loaded(
    discoseq: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "a.md", "x.discbracket", "folder/b.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("Anna slept.")
    Path("empty").mkdir()
    Path("link").symlink_to("a.txt")
    Path("broken.gz").write_bytes(gzip.compress(b"x" * 1000)[:5])
    outcome = discoseq("parse", "--model", "no-such-model", *arguments)
    assert outcome.code == 1
    assert outcome.err.startswith(error)
    assert outcome.err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_file_that_may_not_be_read_is_named(discoseq: Command, tmp_path: Path) -> None:
    (tmp_path / "secret").touch(mode=0)
    outcome = discoseq("parse", "--model", "no-such-model", tmp_path / "secret")
    assert (outcome.code, outcome.err) == (1, f"{tmp_path}/secret: permission denied\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--resume"],
        ["-", "--output-dir", "x"],
        ["--text", "x", "--output-dir", "x"],
        ["a", "-o", "b", "--output-dir", "x"],
    ],
)
def test_an_output_folder_needs_files(
    parse: Parse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("Anna slept.")
    assert parse(*arguments).code == 2


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "b").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "a10.txt").write_text("Ben slept.")
    (folder / "a9.txt.gz").write_bytes(gzip.compress(b"Anna slept. Ben slept."))
    (folder / "b" / "c.txt").write_text("")
    (folder / "b" / "d.v2.txt").write_text("Ina slept.")
    (folder / ".hidden" / "e.txt").write_text("Nobody slept.")
    return folder


def test_all_files_of_a_folder_are_parsed_in_order(parse: Parse, corpus: Path) -> None:
    words = [" ".join(tree.words) for tree in parse.trees(corpus)]
    assert words == ["Anna slept .", "Ben slept .", "Ben slept .", "Ina slept ."]


def test_of_a_folder_with_treebanks_those_of_the_format_are_parsed(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "x.discbracket").write_text("(ROOT (NNP 0=Anna))\n")
    (tmp_path / "y").write_text("(ROOT (NNP 0=Ben))\n")
    (tmp_path / "README").write_text("Two trees.\n")
    (tmp_path / "z.discbracket").write_text("\n")
    outcome = parse(tmp_path, "--from", "discbracket")
    assert [tree.words for tree in parse_trees(outcome.out, "discbracket")] == [("Anna",), ("Ben",)]
    assert outcome.err.count("\n") == 1  # z is passed over, with a note
    assert outcome.err.endswith(f"it is passed over ({tmp_path}/z.discbracket)\n")


def test_every_file_gets_an_output_of_its_name(parse: Parse, corpus: Path) -> None:
    outcome = parse(corpus, "--output-dir", corpus / "trees", "--to", "json")
    assert outcome.code == 0
    assert outcome.err.startswith(f"parsed 4 sentences to {corpus}/trees, ")
    found = sorted(str(path.relative_to(corpus / "trees")) for path in (corpus / "trees").rglob("*") if path.is_file())
    assert found == ["a10.jsonl", "a9.jsonl", "b/c.jsonl", "b/d.v2.jsonl"]
    entries = [json.loads(line) for line in (corpus / "trees" / "a9.jsonl").read_text().splitlines()]
    assert [(entry["id"], entry["number"], entry["file"]) for entry in entries] == [
        ("1", 1, f"{corpus}/a9.txt.gz"),
        ("2", 2, f"{corpus}/a9.txt.gz"),
    ]
    assert (corpus / "trees" / "b" / "c.jsonl").read_text() == ""
    # the outputs are in the folder that is read, and are not read
    assert parse(corpus, "--output-dir", corpus / "trees", "--to", "json", "--resume").err == (
        f"all files have their output in {corpus}/trees\n"
    )


def test_a_job_that_was_interrupted_is_resumed(parse: Parse, corpus: Path, tmp_path: Path) -> None:
    (corpus / "a10.txt").write_bytes(b"Ben slept.\n\n\xff\n")
    target = tmp_path / "out"
    outcome = parse(corpus, "--output-dir", target)
    assert (outcome.code, outcome.err) == (1, f"{corpus}/a10.txt:3: byte 0xff is not utf-8; try --encoding latin-1\n")
    assert [path.name for path in target.rglob("*") if path.is_file()] == ["a9.discbracket"]
    (target / "a9.discbracket").write_text("(ROOT 0=kept)\n")
    (corpus / "a10.txt").write_bytes(b"Ben slept.")
    outcome = parse(corpus, "--output-dir", target, "--resume")
    assert outcome.err.startswith("parsed 2 sentences to ")
    assert words_in(target / "a9.discbracket") == ["kept"]
    assert words_in(target / "a10.discbracket") == ["Ben slept ."]
    assert words_in(target / "b" / "d.v2.discbracket") == ["Ina slept ."]
    assert parse(corpus, "--output-dir", target).code == 0
    assert words_in(target / "a9.discbracket") == ["Anna slept .", "Ben slept ."]


@pytest.mark.parametrize("options", [[], ["--sentences"], ["--tokenized"]])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_json_leads_back_to_the_text(parse: Parse, tmp_path: Path, options: list[str], encoding: str) -> None:
    text = "\u00c4nna  didn't\r\nsleep \U0001f600 . Ben\tdid.\r\n\r\n (Ina did.)"
    path = tmp_path / "text"
    path.write_bytes(text.encode(encoding))
    explicit = ["--encoding", encoding] if encoding == "utf-16-le" else []
    outcome = parse(path, "--to", "json", *options, *explicit)
    assert (outcome.code, outcome.err) == (0, "")
    entries = [json.loads(line) for line in outcome.out.splitlines()]
    assert [entry["number"] for entry in entries] == list(range(1, len(entries) + 1))
    assert {entry["file"] for entry in entries} == {str(path)}
    spelling = {"(": "-LRB-", ")": "-RRB-"} if options != ["--tokenized"] else {}
    for entry in entries:
        assert text[entry["start"] : entry["end"]] == entry["text"]
        pieces = [text[start:end] for start, end in entry["offsets"]]
        assert [spelling.get(piece, piece) for piece in pieces] == entry["words"]
    offsets = [offset for entry in entries for offset in entry["offsets"]]
    assert "".join(text[start:end] for start, end in offsets) == "".join(text.split())
    assert len(parse_trees(outcome.out, "json")) == len(entries)


def test_a_text_of_the_command_line_has_offsets_and_no_file(parse: Parse) -> None:
    entries = [json.loads(line) for line in parse("--text", "Anna slept. Ben did.", "--to", "json").out.splitlines()]
    assert [(entry["text"], entry["start"], entry["end"]) for entry in entries] == [
        ("Anna slept.", 0, 11),
        ("Ben did.", 12, 20),
    ]
    assert entries[1]["offsets"] == [[12, 15], [16, 19], [19, 20]]
    assert "file" not in entries[0]


def test_a_line_that_is_skipped_does_not_move_the_offsets(parse: Parse, tmp_path: Path) -> None:
    data = b"Anna slept.\nBen \xff.\r\nIna slept."
    (tmp_path / "text").write_bytes(data)
    outcome = parse(tmp_path / "text", "--errors", "skip", "--to", "json", "--quiet")
    entries = [json.loads(line) for line in outcome.out.splitlines()]
    text = data.decode(errors="replace")
    assert [entry["text"] for entry in entries] == ["Anna slept.", "Ina slept."]
    assert [text[entry["start"] : entry["end"]] for entry in entries] == ["Anna slept.", "Ina slept."]


def test_quiet_is_quiet(parse: Parse, tmp_path: Path) -> None:
    path = tmp_path / "x.mrg"
    path.write_text("( (S (NP (NNP Ben)) (VP (VBD found) (NP (-NONE- *T*-1)))))\n")
    arguments = [path, "--from", "bracket", "--to", "bracket", "-o", tmp_path / "out"]
    assert parse(*arguments).err.count("\n") == 2
    assert parse(*arguments, "--quiet").err == ""
    outcome = parse(tmp_path / "missing", "--quiet")
    assert (outcome.code, outcome.err) == (1, f"{tmp_path}/missing: no such file\n")


def test_a_text_file_named_as_output_gets_brackets(parse: Parse, tmp_path: Path) -> None:
    tree = example_trees()[0]
    (tmp_path / "in").write_text(" ".join(tree.words))
    assert parse(tmp_path / "in", "--tokenized", "-o", tmp_path / "out.txt").code == 0
    assert [found.words for found in read_trees(tmp_path / "out.txt", "discbracket")] == [tree.words]
