"""A hub on this machine: what huggingface_hub asks of one, answered from a directory.

Run as a program it prints its address, and serves until it is stopped. Files are kept as DIRECTORY/USER/NAME/FILE.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

TOKEN = "hf_token"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.directory = directory

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Request(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"error": "Invalid username or password."})
        match self.parts():
            case ["api", "repos", "create"]:
                asked = json.loads(body)
                name = f"{asked['organization']}/{asked['name']}" if asked.get("organization") else asked["name"]
                (self.server.directory / name).mkdir(parents=True, exist_ok=True)
                return self.answer(200, {"url": f"{self.server.address}/{name}"})
            case ["api", "models", user, name, "preupload", _]:
                files = json.loads(body)["files"]
                kinds = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in files]
                return self.answer(200, {"files": kinds})
            case ["api", "models", user, name, "commit", _]:
                for line in body.decode().splitlines():
                    entry = json.loads(line)
                    if entry["key"] == "file":
                        path = self.server.directory / user / name / entry["value"]["path"]
                        path.write_bytes(base64.b64decode(entry["value"]["content"]))
                address = f"{self.server.address}/{user}/{name}/commit/{COMMIT}"
                return self.answer(200, {"commitUrl": address, "commitOid": COMMIT, "success": True})
            case ["api", "validate-yaml"]:
                return self.answer(200, {"errors": [], "warnings": []})
        return self.answer(404, {"error": f"nothing at {self.path}"})

    def do_GET(self) -> None:
        match self.parts():
            case ["api", "models", user, name, "tree", _] if (folder := self.server.directory / user / name).is_dir():
                tree = [
                    {"type": "file", "path": path.name, "size": path.stat().st_size, "oid": digest(path.read_bytes())}
                    for path in sorted(folder.iterdir())
                ]
                return self.answer(200, tree)
            case ["api", "models", user, name, *_] if (folder := self.server.directory / user / name).is_dir():
                files = [{"rfilename": path.name, "size": path.stat().st_size} for path in sorted(folder.iterdir())]
                about = {"id": f"{user}/{name}", "sha": COMMIT, "siblings": files, "private": False, "tags": []}
                return self.answer(200, about)
            case [user, name, "resolve", _, file] if (path := self.server.directory / user / name / file).is_file():
                return self.send(200, path.read_bytes(), "application/octet-stream")
        return self.answer(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})

    do_HEAD = do_GET  # noqa: N815

    def parts(self) -> list[str]:
        return [unquote(part) for part in urlparse(self.path).path.strip("/").split("/")]

    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self.send(status, json.dumps(body).encode(), "application/json", headers)

    def send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{digest(body)}"')
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        if "-v" in sys.argv:
            super().log_message(format, *args)


def digest(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


if __name__ == "__main__":
    hub = Hub(Path(sys.argv[1]))
    print(hub.address, flush=True)
    hub.serve_forever()
