"""Progress on standard error: a bar with the share and the time left, or a line from time to time."""

import os
import pty
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.parse_command import PATIENCE, start
from discoseq.cli.progress import expected_total, progress_line, with_lines


@dataclass
class Reading:
    count: int
    share: float | None


def test_the_total_is_estimated_from_the_share_that_is_read() -> None:
    assert expected_total(Reading(100, 0.25)) == 400
    assert expected_total(Reading(100, 1.0)) == 100
    assert expected_total(Reading(100, None)) is None


def test_a_line_says_how_much_is_done_and_how_long_the_rest_takes() -> None:
    assert progress_line(1000, 4000, 50) == (
        "parsed 1,000 of about 4,000 sentences (25%), 20.0 a second, about 2 minutes left"
    )
    assert progress_line(1000, 1000, 50).endswith("about 0 seconds left")
    assert progress_line(10, 200_000, 1).endswith("about 6 hours left")
    assert progress_line(50, None, 10) == "parsed 50 sentences, 5.0 a second"
    assert progress_line(0, 100, 10) == "parsed 0 sentences, 0.0 a second"


def test_lines_come_even_while_no_result_does(capsys: pytest.CaptureFixture[str]) -> None:
    results = with_lines(iter("abc"), Reading(6, 0.5), seconds=0.05)
    assert [next(results), next(results)] == ["a", "b"]
    time.sleep(0.3)
    assert list(results) == ["c"]
    lines = capsys.readouterr().err.splitlines()
    assert 1 <= len(lines) <= 7
    assert lines[0].startswith("parsed 1 of about 12 sentences (8%), ")
    time.sleep(0.2)
    assert capsys.readouterr().err == ""  # nothing after the end


def test_an_idle_stream_has_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    results = with_lines(iter("abc"), Reading(3, None), seconds=0.05)
    next(results)
    next(results)
    time.sleep(0.4)
    assert list(results) == ["c"]
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_terminal_shows_a_bar_with_the_share(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Anna slept.\n" * 300)
    screen, terminal = pty.openpty()
    arguments = [tmp_path / "text", "--sentences", "--beam", 1, "-o", tmp_path / "out"]
    process = start(*arguments, stdin=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    shown = b""
    while True:
        try:
            shown += os.read(screen, 10_000)
        except OSError:  # the other side is closed
            break
    assert process.wait(PATIENCE) == 0, shown.decode()
    os.close(screen)
    assert "100%" in shown.decode()
    assert "300/300" in shown.decode()
    assert "left:" in shown.decode()
    assert "parsed 300 sentences to " in shown.decode()
