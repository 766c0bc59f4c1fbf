from collections.abc import Iterator

import pytest

from web.serving import Server, serving


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the usual limits."""
    with serving() as running:
        yield running


@pytest.fixture(scope="session")
def small_server() -> Iterator[Server]:
    """A server with low limits."""
    with serving("--max-words", 30, "--max-sentences", 5) as running:
        yield running
