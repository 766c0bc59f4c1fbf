import pytest

from cli.command import Command
from cli.parse_command import Parse


@pytest.fixture
def discoseq(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)


@pytest.fixture
def parse(discoseq: Command, monkeypatch: pytest.MonkeyPatch) -> Parse:
    return Parse(discoseq, monkeypatch)
