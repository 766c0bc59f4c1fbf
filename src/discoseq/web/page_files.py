"""The files of the page: a fixed list, read once from the package."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("page")
INDEX = "index.html"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent."""

    content: bytes
    media_type: str


def read_page(folder: Path = FOLDER) -> dict[str, PageFile]:
    """All files of the page by their paths below its folder; no other path leads to a file."""
    return {
        path.relative_to(folder).as_posix(): PageFile(path.read_bytes(), _media_type(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _media_type(path: Path) -> str:
    # what the system says of a suffix may be wrong, and browsers run no script of another type
    return _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
