"""The tutorial is true: its commands run, in order, in a folder with nothing but examples/, and print what it shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(console|python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKIPPED = "..."  # stands for any text: at the end of a line for its rest, alone for any number of lines


@pytest.mark.slow
def test_every_command_of_the_tutorial_runs(tmp_path: Path) -> None:
    environment = make_environment(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for kind, text in BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")):
        if kind == "toml":
            name = text.splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "python":
            run([sys.executable, "-c", text], tmp_path, environment)
        else:
            for command, shown in commands(text):
                printed = run(["sh", "-c", command], tmp_path, environment)
                assert is_shown(printed, shown), f"{command} printed:\n{printed}"


def commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with the lines that are shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def is_shown(printed: str, shown: list[str]) -> bool:
    """Whether the lines shown are those printed, or nothing is shown."""
    lines = [".*" if line == SKIPPED else re.escape(line).replace(re.escape(SKIPPED), "[^\n]*") for line in shown]
    printed = "\n".join(line.rstrip() for line in printed.splitlines())
    return not shown or re.fullmatch(r"\n?".join(lines) + r"\s*", printed, re.DOTALL) is not None


def make_environment(folder: Path) -> dict[str, str]:
    """A home of its own, one thread, and `discoseq` as a command even where it is not installed."""
    command = folder / "bin" / "discoseq"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m discoseq "$@"\n')
    command.chmod(0o755)
    variables = {name: value for name, value in os.environ.items() if name != "DISCOSEQ_CACHE"}
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    return variables | {"HOME": str(folder), "PATH": path, "COLUMNS": "100", "OMP_NUM_THREADS": "1"}


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[-1]}:\n{done.stderr}"
    return done.stdout
