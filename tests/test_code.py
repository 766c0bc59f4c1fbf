"""The code is formatted, linted and typed; part of the tests, so that nothing lands without it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]], ids=" ".join)
def test_the_code_passes(arguments: list[str]) -> None:
    program = shutil.which(arguments[0], path=str(Path(sys.executable).parent))
    assert program is not None, f"{arguments[0]} is not installed beside {sys.executable}"
    done = subprocess.run([program, *arguments[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
