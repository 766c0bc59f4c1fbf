"""The command as a process: signals, workers, closed streams, full disks and folders that can't be written."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from parser.trained import trained_directory

TREE = "(ROOT (NP (A 0=a) (B 1=b)))\n"
SENTENCE = "Which letter did Ben find?\n"
LONGEST_WAIT = 240.0  # seconds; no test needs them unless it fails or the machine is very busy


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "in.discbracket"
    path.write_text(TREE * 200)
    return path


def run(redirection: str, *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command in a shell."""
    call = ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "discoseq", *map(str, arguments)]
    result = subprocess.run(call, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False)
    return result.returncode, result.stdout, result.stderr


WRITING = [
    "--help",
    "stats {}",
    "convert {} - --to export",
    "linearize {} -l in-order+swap",
    "evaluate {} {} --json",
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", WRITING)
def test_a_full_disk_is_one_sentence(treebank: Path, arguments: str) -> None:
    code, _, error = run("> /dev/full", *arguments.format(treebank, treebank).split())
    assert (code, error) == (1, "<stdout>: no space left on device\n")


@pytest.mark.parametrize("arguments", WRITING)
def test_closed_standard_output_is_one_sentence(treebank: Path, arguments: str) -> None:
    code, _, error = run(">&-", *arguments.format(treebank, treebank).split())
    assert (code, error) == (1, "<stdout>: the stream is closed\n")


@pytest.mark.parametrize("arguments", ["stats -", "convert - - --to discbracket", "linearize - --table"])
def test_closed_standard_input_is_one_sentence(arguments: str) -> None:
    assert run("<&-", *arguments.split()) == (1, "", "<stdin>: the stream is closed\n")


def test_what_closed_standard_error_would_have_had_goes_nowhere_else(treebank: Path, tmp_path: Path) -> None:
    assert run("2>&-", "stats", tmp_path / "none") == (1, "", "")
    assert run("2>&-", "stats", "--none") == (2, "", "")
    assert run("2>&-", "convert", treebank, tmp_path / "out.discbracket") == (0, "", "")
    assert run("<&- >&- 2>&-", "convert", treebank, tmp_path / "out2.discbracket") == (0, "", "")
    assert (tmp_path / "out.discbracket").read_text() == (tmp_path / "out2.discbracket").read_text() == TREE * 200


def test_a_name_that_is_not_utf_8_can_be_in_a_message() -> None:
    code, _, error = run("", "stats", os.fsdecode(b"\xff.export"))
    assert (code, error) == (1, "\\udcff.export: no such file\n")


@pytest.mark.parametrize("name", ["out.export", "out.export.gz"])
def test_a_file_that_does_not_fit_is_one_sentence_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.discbracket"
    source.write_text("".join(f"(ROOT (NP (A 0={os.urandom(8).hex()}) (B 1=b)))\n" for _ in range(2000)))
    target = tmp_path / "out" / name
    target.parent.mkdir()
    call = ["sh", "-c", 'ulimit -f 8 && exec "$@"', "sh", sys.executable, "-m", "discoseq", "convert"]
    result = subprocess.run([*call, source, target], capture_output=True, text=True, timeout=LONGEST_WAIT, check=False)
    assert (result.returncode, result.stderr) == (1, f"{target}: file too large\n")
    assert list(target.parent.iterdir()) == []


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A folder that even root can't write, if root is asking."""
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    if not os.access(folder, os.W_OK):
        return folder
    if not Path("/sys").is_dir():
        pytest.skip("there is no folder that can't be written")
    return Path("/sys")


@pytest.mark.parametrize(
    "arguments",
    [
        "convert {} {}/out.export",
        "draw {} -o {}/out.svg --sentence 1",
    ],
)
def test_a_folder_that_can_not_be_written_is_one_sentence(treebank: Path, read_only: Path, arguments: str) -> None:
    code, _, error = run("", *arguments.format(treebank, read_only).split())
    assert code == 1
    assert error.startswith(f"{read_only}/out.")
    assert error.endswith(("permission denied\n", "operation not permitted\n"))
    assert error.count("\n") == 1


def start(
    *arguments: object, in_session: bool = False, on_hangup: signal.Handlers = signal.SIG_DFL
) -> "subprocess.Popen[bytes]":
    before = signal.signal(signal.SIGHUP, on_hangup)  # inherited; the tests themselves may run under `nohup`
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "discoseq", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=in_session,
        )
    finally:
        signal.signal(signal.SIGHUP, before)


def wait_for_partial_file(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while not list(folder.rglob("*.partial")):
        assert process.poll() is None, "it ended before it began to write"
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_any_command_quietly_and_leaves_no_file(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "in.discbracket").write_text(TREE * 100_000)
    (tmp_path / "out").mkdir()
    process = start("convert", tmp_path / "in.discbracket", tmp_path / "out" / "x.export")
    wait_for_partial_file(tmp_path / "out", process)
    process.send_signal(number)
    if number == signal.SIGTERM:
        process.send_signal(number)  # `timeout` sends it twice
    assert process.communicate(timeout=LONGEST_WAIT) == (b"", b"")
    assert process.returncode == code
    assert list((tmp_path / "out").iterdir()) == []


def test_a_hangup_that_is_to_be_ignored_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "in.discbracket").write_text(TREE * 3000)
    (tmp_path / "out").mkdir()
    files = (tmp_path / "in.discbracket", tmp_path / "out" / "x.export")
    process = start("convert", *files, on_hangup=signal.SIG_IGN)  # as from `nohup`
    wait_for_partial_file(tmp_path / "out", process)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == 0


def start_workers(tmp_path: Path, *arguments: object) -> "subprocess.Popen[bytes]":
    (tmp_path / "in").write_text(SENTENCE * 100_000)
    model = ["parse", "--model", trained_directory(), "--beam", 1, "--processes", 2, "--quiet"]
    return start(*model, tmp_path / "in", "--sentences", *arguments, in_session=True)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_workers_die_with_their_parent(tmp_path: Path, number: int, code: int) -> None:
    process = start_workers(tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"(ROOT")  # the workers work
    try:
        process.send_signal(number)
        # the workers have inherited standard error, so it ends when the last of them does
        _, error = process.communicate(timeout=LONGEST_WAIT)
    finally:
        with suppress(ProcessLookupError):  # there is no one left
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == code
    if number == signal.SIGTERM:
        assert error == b""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_all_processes_while_they_start_is_quiet(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "out").mkdir()
    process = start_workers(tmp_path, "-o", tmp_path / "out" / "x")
    wait_for_partial_file(tmp_path / "out", process)
    time.sleep(0.3)  # now the workers are loading torch
    os.killpg(process.pid, number)
    assert process.communicate(timeout=LONGEST_WAIT) == (b"", b"")
    assert process.returncode == code
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.slow
def test_an_interrupted_training_says_how_to_go_on(tmp_path: Path) -> None:
    config = Path(__file__).resolve().parents[2] / "examples" / "tiny.toml"
    process = start("train", config, "--out", tmp_path / "run", "--set", "training.epochs=10000")
    assert process.stderr is not None
    while not process.stderr.readline().startswith(b"epoch"):
        assert process.poll() is None
    process.terminate()
    _, error = process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == 143
    assert error.splitlines()[-1] == b"interrupted: resume from the last checkpoint with --resume"
    assert b"Traceback" not in error
