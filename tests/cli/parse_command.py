"""Running `discoseq parse` with the trained model, inside the test process and as a program of its own."""

import io
import subprocess
import sys
import threading
from queue import Queue
from typing import IO

import pytest

from cli.command import Command, Outcome
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Tree
from parser.trained import trained_directory

PATIENCE = 240.0  # seconds; on a busy machine it takes long to start


class Parse:
    """Calls `discoseq parse` with the trained model, greedily unless a beam is given."""

    def __init__(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        self._command = command
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        beam = [] if "--beam" in arguments or "--nbest" in arguments else ["--beam", "1"]
        return self.only("--model", trained_directory(), *beam, *arguments, stdin=stdin)

    def only(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        """With these arguments and no others."""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return self._command("parse", *arguments)

    def trees(self, *arguments: object, stdin: bytes = b"") -> list[Tree]:
        outcome = self(*arguments, stdin=stdin)
        assert (outcome.code, outcome.err) == (0, "")
        return parse_trees(outcome.out, "discbracket")


def start_command() -> list[str]:
    return [sys.executable, "-m", "discoseq", "parse", "--model", str(trained_directory()), "--threads", "1"]


def start(*arguments: object, **streams: int) -> "subprocess.Popen[bytes]":
    options = {"stderr": subprocess.PIPE} | streams
    return subprocess.Popen([*start_command(), *map(str, arguments)], **options)  # type: ignore[call-overload,no-any-return]


class CoProcess:
    """The program with pipes that stay open: what is written to it, and what it answers line by line."""

    def __init__(self, *arguments: object) -> None:
        self.process = start(*arguments, "--beam", 1, "--quiet", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self._lines: Queue[bytes] = Queue()
        threading.Thread(target=_read_into, args=(self.process.stdout, self._lines), daemon=True).start()

    def write(self, text: str) -> None:
        """Write text; half a surrogate pair is a byte that is not UTF-8."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode("utf-8", "surrogateescape"))
        self.process.stdin.flush()

    def read(self) -> str:
        """The words of the next tree."""
        return " ".join(parse_trees(self._lines.get(timeout=PATIENCE).decode(), "discbracket")[0].words)

    def has_more(self) -> bool:
        return not self._lines.empty()

    def close(self) -> tuple[int, str]:
        """The exit code and what was written to standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE), self.process.stderr.read().decode()


def _read_into(stream: IO[bytes], lines: "Queue[bytes]") -> None:
    for line in stream:
        lines.put(line)
