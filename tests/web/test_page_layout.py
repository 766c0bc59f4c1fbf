"""The page on a phone, in the dark and without a mouse."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from discoseq.trees.drawing.picture import COLORS, INK, Style
from discoseq.web.page_files import FOLDER
from web.browsing import SENTENCE, link, open_treebank, visiting
from web.serving import Server

GOLD = "(ROOT (SBARQ (SQ (VP (WHNP (WDT 0=Which) (NN 1=song)) (VB 4=sing)) (MD 2=will) (NP (NNP 3=Ben)))) (. 5=?))"
LONG = "The committee that met yesterday in the town hall has not decided what it will do about the letter."


def scrolls_sideways(page: Page) -> bool:
    """Whether the page is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def color(page: Page, selector: str, name: str) -> tuple[int, ...]:
    value = page.locator(selector).first.evaluate(f"node => getComputedStyle(node)['{name}']")
    return tuple(map(int, re.findall(r"\d+", value)[:3]))


def test_a_phone_scrolls_trees_and_nothing_else(browser: Browser, page_server: Server) -> None:
    with visiting(browser, page_server, viewport={"width": 360, "height": 740}) as page:
        page.goto("/")
        expect(page.locator("#model")).to_have_value("en")
        assert not scrolls_sideways(page)
        page.goto(link(LONG, nbest=3))
        page.get_by_role("button", name="Derivation").click()
        page.wait_for_selector(".derivation")
        page.keyboard.press("End")
        assert not scrolls_sideways(page)
        assert page.locator(".tree-box").evaluate("box => box.scrollWidth > box.clientWidth")
        open_treebank(page, GOLD, f"{'long' * 30}.discbracket")
        page.check("#comparing")
        page.wait_for_selector(".comparison")
        assert not scrolls_sideways(page)
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        assert not scrolls_sideways(page)


def test_the_dark_theme_follows_the_system_and_the_toggle(browser: Browser, page_server: Server) -> None:
    with visiting(browser, page_server, color_scheme="dark") as page:
        page.goto("/")
        open_treebank(page, GOLD)
        paper = color(page, "body", "backgroundColor")
        assert max(paper) < 60
        assert min(color(page, ".tree-box text[data-word]", "fill")) > 180
        assert color(page, '.tree-box path[stroke="#ffffff"]', "stroke") == paper  # what bridges interrupt is gone
        toggle = page.locator("#theme-toggle")
        expect(toggle).to_have_attribute("aria-pressed", "true")
        toggle.click()
        assert min(color(page, "body", "backgroundColor")) > 240
        assert max(color(page, ".tree-box text[data-word]", "fill")) < 60
        page.reload()
        assert min(color(page, "body", "backgroundColor")) > 240  # the choice is kept
        expect(toggle).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(browser: Browser, page_server: Server, scheme: str) -> None:
    with visiting(browser, page_server, color_scheme=scheme) as page:
        open_treebank(page, GOLD)
        paper = luminance(color(page, "body", "backgroundColor"))
        texts = [(".tree-box [role=treeitem]", "fill"), (".tree-box text[data-word]", "fill"), (".eyebrow", "color")]
        texts += [("h1", "color"), (".quiet", "color"), ('.tree-box text[fill="#0067a8"]', "fill")]
        for selector, name in texts:
            lighter, darker = sorted([luminance(color(page, selector, name)), paper], reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, selector  # WCAG 2, level AA


def luminance(rgb: tuple[int, ...]) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (value / 255 for value in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_colour_of_drawings_has_one_in_the_page() -> None:
    rules = Path(FOLDER / "tree.css").read_text(encoding="utf-8")
    for number in {INK, *COLORS}:
        assert f'[stroke="#{number}"]' in rules
    for number in {INK, *COLORS, *(style.color for style in Style)}:
        assert f'[fill="#{number}"]' in rules


def test_everything_can_be_reached_by_the_tab_key_and_shows_it(page: Page) -> None:
    page.goto(link(SENTENCE))
    page.wait_for_selector(".tree-box svg")
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name, is_shown = page.evaluate(
            """() => {
                const node = document.activeElement;
                if (node === document.body) {
                    return [null, false];
                }
                const hasOutline = getComputedStyle(node).outlineStyle !== "none";
                const hasRing = document.querySelector(".ring") !== null;
                const name = `${node.id} ${node.textContent} ${node.getAttribute("aria-label")}`;
                return [name, hasOutline || hasRing];
            }"""
        )
        if name is None:  # after the last one
            break
        assert is_shown, name
        reached.append(name)
    for wanted in ["theme-toggle", "help-toggle", "text ", "model", "beam", "nbest", "copy-link", "parse"]:
        assert any(name.startswith(wanted) for name in reached), wanted
    for wanted in ["ROOT", "Derivation", "discbracket", "LaTeX", "PNG"]:
        assert any(wanted in name for name in reached), wanted


def test_shortcuts_are_listed_and_work(page: Page) -> None:
    page.goto(link(SENTENCE))
    page.wait_for_selector(".tree-box svg")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert page.locator("#help dt").count() == page.locator("#help dd").count() > 8
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator("#treebank-view")).to_be_visible()
    page.keyboard.press("s")
    expect(page.locator("article")).to_be_visible()  # the parse is still there
    page.keyboard.press("d")
    expect(page.locator(".derivation")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("d")
    expect(page.locator(".derivation")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("st?d")
    assert page.input_value("#text").endswith("st?d")  # letters are letters where one types
