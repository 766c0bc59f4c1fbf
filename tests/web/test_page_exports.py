"""The page: copies and downloads."""

import struct
from base64 import b64encode
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from web.browsing import SENTENCE, link, parse, visiting
from web.serving import Server

NAMES = {"discbracket": "discbracket", "export": "export", "TikZ": "tikz", "LaTeX": "latex"}


@pytest.fixture
def tree(page_server: Server) -> Any:
    (sentence,) = parse(page_server, SENTENCE)
    return sentence["candidates"][0]["tree"]


def download(page: Page, name: str, folder: Path) -> Path:
    with page.expect_download() as started:
        page.get_by_role("button", name=name, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


def test_a_tree_can_be_copied_in_four_formats(page: Page, tree: Any) -> None:
    page.goto(link(SENTENCE))
    for name, key in NAMES.items():
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("#toast")).to_have_text(f"Copied: {name}.")
        assert page.evaluate("navigator.clipboard.readText()") == tree[key]
    assert tree["latex"].startswith("\\documentclass")
    assert tree["latex"].endswith("\\end{document}\n")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_downloads_have_the_colours_of_print(
    browser: Browser, page_server: Server, tree: Any, scheme: str, tmp_path: Path
) -> None:
    with visiting(browser, page_server, color_scheme=scheme) as page:
        page.goto(link(SENTENCE))
        svg = download(page, "SVG", tmp_path)
        assert svg.name == "which-letter-did-the-director-forget-to.svg"
        assert svg.read_text(encoding="utf-8") == tree["svg"]
        png = download(page, "PNG", tmp_path)
        data = png.read_bytes()
        root = ElementTree.fromstring(tree["svg"])
        size = [2 * int(root.attrib[name]) for name in ("width", "height")]
        assert data.startswith(b"\x89PNG")
        assert list(struct.unpack(">II", data[16:24])) == size
        darkest, lightest = page.evaluate(
            """async data => {
                const image = new Image();
                image.src = `data:image/png;base64,${data}`;
                await image.decode();
                const canvas = new OffscreenCanvas(image.width, image.height);
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                const {data: pixels} = context.getImageData(0, 0, image.width, image.height);
                const reds = pixels.filter((_, i) => i % 4 === 0);
                return [reds.reduce((x, y) => Math.min(x, y)), pixels[0]];
            }""",
            b64encode(data).decode(),
        )
        assert darkest < 60  # ink
        assert lightest == 255  # the corner is paper
