"""`discoseq serve` as a process, and requests to it."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from discoseq.parser.parser import Parser
from model.small import small_model

LINEARIZATION = "in-order+shift#k"


@cache
def small_parser() -> Parser:
    """A parser with random weights, which any sentence is new to."""
    return Parser(small_model(name=LINEARIZATION))


@dataclass(frozen=True)
class Server:
    """A running server."""

    url: str
    process: subprocess.Popen[str]
    notes: list[str]  # what it has said before it was ready
    client: httpx.Client

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def upload(self, content: bytes, name: str = "trees", **fields: str) -> httpx.Response:
        """Send a treebank."""
        return self.client.post("/api/treebank", files={"file": (name, content)}, data=fields)

    def figure(self, name: str) -> float:
        """A figure of the metrics, with its labels; 0 if there is none."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0


@contextmanager
def serving(*options: object, model: str | None = None) -> Iterator[Server]:
    """A server on a free port, with a model or else with the small one, which is called `small`."""
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            model = str(Path(folder) / "small")
            small_parser().save(model)
        command = [sys.executable, "-m", "discoseq", "serve", "--port", "0", "--model", model, *map(str, options)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            notes: list[str] = []
            while not (ready := re.search(r"answers at http://\S+:(\d+)", notes[-1] if notes else "")):
                line = process.stderr.readline()
                assert line, f"the server has ended: {notes}"
                notes.append(line)
            url = f"http://127.0.0.1:{ready[1]}"
            with httpx.Client(base_url=url, timeout=120) as client:
                yield Server(url, process, notes, client)
        finally:
            process.kill()
            process.communicate()
