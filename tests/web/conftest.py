from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from web.browsing import browsing, chromium_path, visiting
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


@pytest.fixture(scope="session")
def page_server() -> Iterator[Server]:
    """A server with the real models."""
    with serving("--model", "nl", model="en") as running:
        yield running


@pytest.fixture(scope="module")  # not longer: its event loop would be in the way of other modules' loops
def browser() -> Iterator[Browser]:
    """A Chromium."""
    path = chromium_path()
    if path is None:
        pytest.skip("there is no Chromium on this machine, so the page is not tried in a browser")
    with browsing(path) as running:
        yield running


@pytest.fixture
def page(browser: Browser, page_server: Server) -> Iterator[Page]:
    """A window without an address yet."""
    with visiting(browser, page_server) as opened:
        yield opened
