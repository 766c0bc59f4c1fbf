"""Running the command line inside the test process, as its entry point does."""

import sys
from dataclasses import dataclass

import pytest

from discoseq.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a run of the command came to."""

    code: int
    out: str
    err: str


class Command:
    """Calls `discoseq` with the arguments given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Outcome:
        self._monkeypatch.setattr(sys, "argv", ["discoseq", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:  # the command always ends by leaving
            main()
        out, err = self._capsys.readouterr()
        return Outcome(int(caught.value.code or 0), out, err)
