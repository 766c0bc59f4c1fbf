"""How many threads torch may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from discoseq.errors import ParserError


@contextmanager
def limited_threads(count: int) -> Iterator[None]:
    """So many inside; after it, as many as before."""
    if count < 1:
        raise ParserError(f"{count} threads do nothing; the least is 1")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
