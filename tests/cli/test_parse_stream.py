"""`discoseq parse` on pipes that stay open, on a terminal, and on input that breaks off."""

import os
import pty
import subprocess
import time
from pathlib import Path

import pytest

from cli.parse_command import PATIENCE, CoProcess, Parse, start
from discoseq.treebanks.files import format_trees, parse_trees
from parser.trained import example_trees


def test_a_sentence_of_a_line_is_answered_before_the_next_is_written() -> None:
    parser = CoProcess("-", "--sentences")
    for name in ("Anna", "Ben", "Ina"):
        parser.write(f"{name} slept.\n")
        assert parser.read() == f"{name} slept ."
    parser.write("Anna slept.\nBen slept.\nIna sl")  # the last line is incomplete, and holds back no other
    assert [parser.read(), parser.read()] == ["Anna slept .", "Ben slept ."]
    parser.write("ept.\nBen slept.\n\udcff\nAnna slept.\n")
    assert [parser.read(), parser.read()] == ["Ina slept .", "Ben slept ."]
    assert parser.close() == (1, "<stdin>:8: byte 0xff is not utf-8; try --encoding latin-1\n")
    assert not parser.has_more()


def test_a_sentence_of_raw_text_is_answered_when_its_end_is_certain() -> None:
    parser = CoProcess()
    parser.write("Anna slept.\n")
    assert parser.read() == "Anna slept ."
    parser.write("Ben read the letters, the old books and all the papers of Mr.\n")
    time.sleep(0.5)
    assert not parser.has_more()  # the next line may go on: the trees do not depend on how fast the text comes
    parser.write("Smith. Then he\n")
    assert parser.read() == "Ben read the letters , the old books and all the papers of Mr. Smith ."
    parser.write("\n")
    assert parser.read() == "Then he"
    assert parser.close() == (0, "")


def test_a_treebank_is_read_as_it_is_written_to_a_named_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    parser = CoProcess(tmp_path / "pipe", "--from", "discbracket")
    with (tmp_path / "pipe").open("w") as pipe:
        for tree in example_trees()[:2]:
            pipe.write(format_trees([tree], "discbracket"))
            pipe.flush()
            assert parser.read() == " ".join(tree.words)
    assert parser.close() == (0, "")


def test_the_lines_of_a_growing_file_are_parsed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("Anna slept.\n")
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", log], stdout=subprocess.PIPE)
    assert tail.stdout is not None
    parser = start("--sentences", stdin=tail.stdout.fileno(), stdout=subprocess.PIPE)
    assert parser.stdout is not None
    assert b"Anna" in parser.stdout.readline()
    with log.open("a") as stream:
        stream.write("Ben slept.\n")
    assert b"Ben" in parser.stdout.readline()
    tail.terminate()
    tail.wait(PATIENCE)
    assert parser.wait(PATIENCE) == 0


@pytest.mark.slow
def test_several_processes_answer_as_soon_as_nothing_more_is_written() -> None:
    parser = CoProcess("--sentences", "--processes", 2)
    parser.write("Anna slept.\n")
    assert parser.read() == "Anna slept ."
    parser.write("Ben slept.\nIna slept.\nAnna slept.\n")
    assert [parser.read() for _ in range(3)] == ["Ben slept .", "Ina slept .", "Anna slept ."]
    assert parser.close() == (0, "")


def test_on_a_terminal_it_says_that_it_waits_for_text(tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    process = start(stdin=terminal, stdout=subprocess.PIPE)
    os.close(terminal)
    assert process.stderr is not None
    assert process.stdout is not None
    hint = process.stderr.readline().decode()
    assert hint == "reading text, in which an empty line ends a sentence, from the terminal; Ctrl-D ends it\n"
    os.write(keyboard, b"Ben slept.\n\n")
    assert b"Ben" in process.stdout.readline()
    os.write(keyboard, b"Anna slept.\n\x04")
    assert b"Anna" in process.stdout.readline()
    assert process.wait(PATIENCE) == 0
    os.close(keyboard)


def test_sentences_before_a_bad_byte_are_parsed(parse: Parse, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"Anna slept.\n" * 60 + b"Ben \xff slept.\nIna slept.\n")
    for options in ([], ["--sentences"], ["--tokenized"]):
        outcome = parse(path, *options)
        assert (outcome.code, outcome.out.count("\n")) == (1, 60)
        assert outcome.err == f"{path}:61: byte 0xff is not utf-8; try --encoding latin-1\n"
    outcome = parse(path, "--sentences", "--errors", "replace")
    words = [" ".join(tree.words) for tree in parse_trees(outcome.out, "discbracket")]
    assert words[59:] == ["Anna slept .", "Ben \ufffd slept .", "Ina slept ."]
    assert outcome.err == f"note: bytes that can't be decoded are replaced by U+FFFD ({path}:61)\n"
    outcome = parse(path, "--sentences", "--errors", "skip")
    words = [" ".join(tree.words) for tree in parse_trees(outcome.out, "discbracket")]
    assert words[59:] == ["Anna slept .", "", "Ina slept ."]
    assert outcome.err == f"note: a line that can't be decoded is read as an empty one ({path}:61)\n"
    assert parse(path, "--errors", "skip", "--quiet").err == ""


def test_trees_before_a_broken_one_are_parsed(parse: Parse, tmp_path: Path) -> None:
    path = tmp_path / "x.discbracket"
    lines = [f"(ROOT (NP (NNP 0=Anna) (CD 1={number})))" for number in range(1, 9)]
    lines[5] = "(ROOT (NP (NNP 0=Anna)"
    path.write_text("\n".join(lines))
    outcome = parse(path, "--from", "discbracket")
    assert (outcome.code, outcome.out.count("\n")) == (1, 5)
    assert outcome.err.startswith(f"{path}:6: ")
    outcome = parse(path, "--from", "discbracket", "--skip-bad", "--to", "json")
    assert (outcome.code, outcome.out.count("\n")) == (0, 7)
    assert '"number": 7' in outcome.out.splitlines()[5]
    assert outcome.err.splitlines()[-1] == "skipped 1 bad sentence"
    assert parse(path, "--skip-bad").code == 2
    assert parse(path, "--from", "discbracket", "--errors", "skip").code == 2


@pytest.mark.slow
def test_sentences_before_an_error_come_out_of_several_processes(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"Anna slept.\n" * 30 + b"\xff\n")
    process = start(path, "--sentences", "--processes", 2, "--beam", 1, "--quiet", stdout=subprocess.PIPE)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out.count(b"\n")) == (1, 30)
    assert err.decode() == f"{path}:31: byte 0xff is not utf-8; try --encoding latin-1\n"


def test_half_a_character_is_replaced(parse: Parse, tmp_path: Path) -> None:
    assert [tree.words for tree in parse.trees("--text", "Anna \udcff slept")] == [("Anna", "\ufffd", "slept")]
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"words": ["a\\ud800", "b"], "lemmas": ["\\udfff", null], "root": {"label": "X", "children": [0, 1]}}'
    )
    outcome = parse(path, "--from", "json", "--to", "json")
    assert outcome.code == 0
    assert '"words": ["a\ufffd", "b"]' in outcome.out
    assert '"lemmas": ["\ufffd", null]' in outcome.out
