"""Headers on every answer, no other site, no other name, no other file."""

import asyncio

import httpx
import pytest

from discoseq.trees.tree import Tree
from discoseq.web import answers
from discoseq.web.app import create_app
from discoseq.web.limits import Limits
from discoseq.web.served_models import ServedModel, ServedModels
from web.serving import Server, serving, small_parser

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/health"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/static/index.html"),
        ("GET", "/no/such/path"),
        ("POST", "/api/parse"),
        ("DELETE", "/api/parse"),
        ("OPTIONS", "/api/parse"),
    ],
)
def test_every_answer_has_the_headers(server: Server, method: str, path: str) -> None:
    headers = server.client.request(method, path, headers={"Origin": "https://evil.example"}).headers
    assert headers["content-security-policy"] == CSP
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert not [name for name in headers if name.startswith("access-control")]
    assert "server" not in headers


def test_pages_of_other_sites_are_not_answered(server: Server) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    answer = server.client.post("/api/draw", json={"discbracket": "(S 0=a)"}, headers=headers)
    assert answer.status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.client.get("/", headers=link).status_code == 200
    form = server.client.post("/api/treebank", files={"file": b"(S (A 0=a))"}, headers=link)
    assert form.status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:8000", 200), ("evil.example", 403), ("", 403)],
)
def test_a_local_server_answers_to_the_names_of_its_machine(server: Server, host: str, status: int) -> None:
    assert server.client.get("/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "path", ["/static/", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_no_other_file_is_served(server: Server, path: str) -> None:
    assert server.get(path).status_code == 404


def test_a_server_for_other_machines_says_so_and_answers_to_the_names_it_is_given() -> None:
    with serving("--host", "0.0.0.0", "--allow-host", "trees.example") as server:
        assert "other machines can reach" in server.notes[0]
        assert server.client.get("/health", headers={"Host": "trees.example"}).status_code == 200
        assert server.client.get("/health", headers={"Host": "evil.example"}).status_code == 403


def test_a_fault_of_the_server_is_in_its_log_and_not_in_its_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(tree: Tree) -> str:
        raise RuntimeError("a secret")

    monkeypatch.setattr(answers, "draw_svg", fail)
    app = create_app(ServedModels([ServedModel("small", small_parser())]), Limits())

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.post("/api/draw", json={"discbracket": "(S (A 0=a))"})

    answer = asyncio.run(ask())
    assert (answer.status_code, answer.json()) == (500, {"detail": "the server has a fault; its log says more"})
    assert answer.headers["content-security-policy"] == CSP
    assert "RuntimeError: a secret" in capsys.readouterr().err
