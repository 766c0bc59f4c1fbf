import pytest

from cli.command import Command


@pytest.fixture
def discoseq(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(monkeypatch, capsys)
