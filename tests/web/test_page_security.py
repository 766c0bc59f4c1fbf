"""The page: what comes from texts, files and servers is text, and never a part of the page."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from web.browsing import SENTENCE, link, open_treebank, parse, visiting
from web.serving import Server

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
CLOSING = '"></title></svg><svg onload=alert(3)>'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" viewBox="0 0 10 10">'


def assert_nothing_was_injected(page: Page) -> None:
    # a dialog would fail the test too, as does any violation of the policy
    assert page.locator("img, iframe, object, embed, foreignObject, [onerror], [onload]").count() == 0
    sources = page.locator("script").evaluate_all("nodes => nodes.map(node => node.getAttribute('src'))")
    assert sources == ["static/theme.js", "static/main.js"]


def test_hostile_text_is_drawn_as_text(page: Page) -> None:
    text = f"{IMAGE} {SCRIPT} {CLOSING} & co."
    page.goto(link(text, nbest=2))
    page.wait_for_selector(".tree-box svg")
    drawn = "".join(page.locator(".tree-box text[data-word]").all_text_contents())
    assert "onerror" in drawn
    page.get_by_role("button", name="Derivation").first.click()
    page.wait_for_selector(".derivation")
    page.keyboard.press("End")
    page.locator(".tree-box text").first.hover()
    assert_nothing_was_injected(page)


def test_hostile_words_labels_and_file_names_are_shown_as_text(page: Page) -> None:
    # brackets and spaces are written as escapes in this format, so that labels have everything else
    label = "<img/src=x/onerror=alert`4`>"
    word = '"><svg/onload=alert`5`>'
    tree = f"({label} (S ({label} 0={word}) ({label} 2={label})) (X 1={word}))\n"
    name = f"{IMAGE}.discbracket"
    open_treebank(page, tree, name)
    expect(page.locator(".file-name")).to_have_text(name)
    assert label in page.locator(".tree-box text").all_text_contents()
    assert word in page.locator(".tree-box text").all_text_contents()
    page.locator(".tree-box text").first.hover()
    expect(page.locator(".tree-caption")).to_contain_text(label)
    page.select_option("#model", "en")
    page.check("#comparing")
    page.wait_for_selector(".comparison")
    assert_nothing_was_injected(page)


def test_hostile_queries_and_errors_are_shown_as_text(page: Page) -> None:
    open_treebank(page, "(S (A 0=a) (B 1=b))\n")
    page.fill("#query", f"{IMAGE} < (")
    page.keyboard.press("Enter")
    expect(page.locator("#treebank-view > .message")).not_to_be_empty()
    name = f"{IMAGE}.export"
    page.set_input_files("#treebank-file", {"name": name, "mimeType": "text/plain", "buffer": SCRIPT.encode()})
    expect(page.locator("#treebank-view > .message")).to_contain_text("<img")
    assert_nothing_was_injected(page)


HOSTILE_DRAWINGS = {
    "script": f"{SVG}<script>alert(1)</script></svg>",
    "event": f'{SVG}<path d="M0,0" onclick="alert(1)"/></svg>',
    "loading": SVG.replace("<svg ", '<svg onload="alert(1)" ') + "</svg>",
    "link": f'{SVG}<a href="javascript:alert(1)"><text>x</text></a></svg>',
    "use": f'{SVG}<use href="data:image/svg+xml,x"/></svg>',
    "html": f'{SVG}<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject></svg>',
    "disguised": f'{SVG}<text xmlns="http://www.w3.org/1999/xhtml">x</text></svg>',
    "style": f'{SVG}<rect style="fill: url(//example.org)"/></svg>',
    "style sheet": f"{SVG}<style>* {{ display: none }}</style></svg>",
    "image": f'{SVG}<image href="//example.org/x.png"/></svg>',
    "animation": f'{SVG}<set attributeName="onload" to="alert(1)"/></svg>',
    "address": f'{SVG}<rect fill="URL (//example.org/x)"/></svg>',
    "id": f'{SVG}<rect id="parse"/></svg>',
    "not XML": f"{SVG}<path></svg>",
    "not SVG": "<html><body/></html>",
}


def test_drawings_with_anything_unknown_are_refused(browser: Browser, page_server: Server) -> None:
    # the policy forbids style sheets in a drawing even before the page looks at it
    with visiting(browser, page_server, expected_error="Content Security Policy") as page:
        page.goto("/")
        accepted = page.evaluate(
            """async drawings => {
                const {importSvg} = await import("/static/safe-svg.js");
                return Object.keys(drawings).filter((name) => {
                    try {
                        importSvg(drawings[name]);
                        return true;
                    } catch {
                        return false;
                    }
                });
            }""",
            HOSTILE_DRAWINGS | {"harmless": f'{SVG}<path data-word="1" d="M0,0"/></svg>'},
        )
    assert accepted == ["harmless"]


@pytest.mark.parametrize("name", ["script", "event"])
def test_a_server_with_a_hostile_drawing_gets_a_sentence(browser: Browser, page_server: Server, name: str) -> None:
    sentences = parse(page_server, SENTENCE)
    sentences[0]["candidates"][0]["tree"]["svg"] = HOSTILE_DRAWINGS[name]
    answer: Any = {"model": "en", "language": "en", "sentences": sentences}
    # the policy forbids event handlers in a drawing even before the page looks at it
    with visiting(browser, page_server, expected_error="Content Security Policy") as page:
        page.route("**/api/parse", lambda route: fulfil(route, answer))
        page.goto(link(SENTENCE))
        expect(page.locator("#parse-message")).to_contain_text("which is not allowed")
        expect(page.locator("article")).to_have_count(0)
        assert_nothing_was_injected(page)


def fulfil(route: Route, answer: Any) -> None:
    route.fulfill(status=200, content_type="application/json", body=json.dumps(answer))
