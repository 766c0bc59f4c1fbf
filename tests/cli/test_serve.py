"""`discoseq serve` where it can't serve; tests/web is about the server itself."""

import socket
import sys

import pytest

from cli.command import Command


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "python_multipart", "prometheus_client"])
def test_a_missing_extra_is_named(discoseq: Command, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # to import it is now an error
    outcome = discoseq("serve")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == f"the web server needs {package}: pip install 'discoseq[web]'\n"


def test_a_port_that_is_taken_is_named(discoseq: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = discoseq("serve", "--port", port)
    assert (outcome.code, outcome.err) == (1, f"can't listen at 127.0.0.1, port {port}: address already in use\n")


def test_an_address_of_another_machine_is_refused(discoseq: Command) -> None:
    outcome = discoseq("serve", "--host", "203.0.113.1", "--port", 0)
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert outcome.err.startswith("can't listen at 203.0.113.1, port 0: ")


def test_a_model_that_is_not_there_is_named(discoseq: Command) -> None:
    outcome = discoseq("serve", "--port", 0, "--model", "xx")
    assert (outcome.code, outcome.err.startswith("there is no model 'xx'")) == (1, True)


def test_two_models_of_one_name_are_refused(discoseq: Command) -> None:
    outcome = discoseq("serve", "--port", 0, "--model", "en", "--model", "en")
    assert (outcome.code, outcome.err) == (1, "two models are called 'en'; rename one of their directories\n")
