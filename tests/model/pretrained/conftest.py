from pathlib import Path

import pytest

from model.pretrained.tiny import KINDS


@pytest.fixture(scope="session", params=KINDS)
def directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny language model of every kind in turn."""
    return KINDS[request.param](tmp_path_factory.mktemp("encoder") / request.param)


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS["bert"](tmp_path_factory.mktemp("encoder") / "bert")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to connect fails the test, even if the error is caught."""
    import socket

    def refuse(self: socket.socket, address: object) -> None:
        pytest.fail(f"the test tried to connect to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_, **__: pytest.fail(f"the test looked up {host}"))
