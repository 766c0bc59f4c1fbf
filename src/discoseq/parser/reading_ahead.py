"""Items in chunks: small ones at first, so that the first results come soon, then as large as is good for speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

FIRST_CHUNK = 8
LARGEST_CHUNK = 1024  # sentences; enough to put those of like length together


def chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """All items in order; no more is taken from their source than the chunk that is asked for."""
    size = FIRST_CHUNK
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
            size = min(4 * size, LARGEST_CHUNK)
    if chunk:
        yield chunk
