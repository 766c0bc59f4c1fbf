"""A headless Chromium for the tests of the page."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, expect, sync_playwright

from web.serving import Server

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST_WAIT = 30_000  # milliseconds; no test needs them unless it fails or the machine is very busy
SENTENCE = "Which letter did the director forget to sign?"
INCLUDE = ["svg", "tikz", "latex", "export"]


def chromium_path() -> str | None:
    """A Chromium that is installed on this machine."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


@contextmanager
def browsing(path: str) -> Iterator[Browser]:
    """A browser; nothing else in this thread may run an event loop while it is open."""
    expect.set_options(timeout=LONGEST_WAIT)
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if is_root else [])
        yield browser
        browser.close()


@contextmanager
def visiting(browser: Browser, server: Server, *, expected_error: str = "status of", **options: Any) -> Iterator[Page]:
    """A window of its own for pages of the server.

    A dialog, an error of a script or another error in the browser's log fails the test. The browser logs answers with
    the status of an error, which pages may well get.
    """
    context = browser.new_context(
        base_url=server.url,
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
        has_touch=True,
        **options,
    )
    context.set_default_timeout(LONGEST_WAIT)
    page = context.new_page()
    faults: list[str] = []

    def refuse(dialog: Dialog) -> None:
        faults.append(dialog.message)
        dialog.dismiss()

    def read_log(note: ConsoleMessage) -> None:
        if note.type == "error" and expected_error not in note.text:
            faults.append(note.text)

    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", refuse)
    page.on("console", read_log)
    try:
        yield page
        assert not faults, faults
    finally:
        context.close()


def link(text: str, model: str = "en", beam: int = 4, nbest: int = 1) -> str:
    """The path of a link to a sentence."""
    return "/#" + urlencode({"text": text, "model": model, "beam": beam, "nbest": nbest})


def parse(server: Server, text: str, model: str = "en", beam: int = 4, nbest: int = 1) -> Any:
    """What the server answers when a page asks for the same."""
    answer = server.post("/api/parse", text=text, model=model, beam=beam, nbest=nbest, scores=True, include=INCLUDE)
    assert answer.status_code == 200
    return answer.json()["sentences"]


def drawn(page: Page | Locator, key: str) -> Locator:
    """What is drawn for constituent 3, c3, or word 5, w5."""
    name = {"c": "constituent", "w": "word"}[key[0]]
    return page.locator(f'.tree-box [data-{name}="{key[1:]}"]:not(.reach)')


def label(page: Page | Locator, number: int) -> Locator:
    """The label of a constituent."""
    return page.locator(f'.tree-box text[data-constituent="{number}"]').first


def open_treebank(page: Page, content: str, name: str = "trees.discbracket") -> None:
    """Choose a file in the view of treebanks, and wait for its first tree."""
    page.goto("/#treebank")
    page.set_input_files("#treebank-file", {"name": name, "mimeType": "text/plain", "buffer": content.encode()})
    page.wait_for_selector("#treebank-view .tree-box svg")
