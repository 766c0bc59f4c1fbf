"""The page: text in, trees out, and what happens when one points at them."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.browsing import SENTENCE, drawn, label, link, parse
from web.serving import Server

TWO = "The committee met. Nobody knows what it will do."


def lit(page: Page, kind: str) -> set[int]:
    """The numbers of the constituents or words that are lit."""
    values = page.locator(f".tree-box .lit[data-{kind}]:not(.reach)").evaluate_all(
        f"nodes => nodes.map(node => Number(node.dataset.{kind}))"
    )
    return set(values)


def below(tree: Any, number: int) -> set[int]:
    """A constituent and all under it."""
    found = {number}
    for constituent in tree["constituents"]:  # parents come first
        if constituent["parent"] in found:
            found.add(constituent["number"])
    return found


def test_every_sentence_of_a_text_becomes_a_tree(page: Page, page_server: Server) -> None:
    page.goto("/")
    page.select_option("#model", "en")
    page.fill("#text", TWO)
    page.click("#parse")
    expect(page.locator("article")).to_have_count(2)
    expected = parse(page_server, TWO, beam=10)
    for number, sentence in enumerate(expected):
        tree = sentence["candidates"][0]["tree"]
        article = page.locator("article").nth(number)
        shown = article.locator(".tree-box text").all_text_contents()
        labels = [constituent["label"] for constituent in tree["constituents"]]
        assert sorted(shown) == sorted(labels + tree["words"] + [tag for tag in tree["tags"] if tag])
        expect(article.locator("h2")).to_contain_text(sentence["text"])


def test_an_example_of_the_chosen_language_can_be_parsed(page: Page) -> None:
    page.goto("/")
    page.select_option("#model", "nl")
    example = page.locator(".example").first
    text = example.text_content() or ""
    example.click()
    expect(page.locator("article h2")).to_have_text(text)
    expect(page.locator("article .facts")).to_contain_text("nl")
    expect(page.locator("#introduction")).to_be_hidden()


def test_pointing_at_a_constituent_lights_up_its_words_and_branches(page: Page, page_server: Server) -> None:
    page.goto(link(SENTENCE))
    (sentence,) = parse(page_server, SENTENCE)
    tree = sentence["candidates"][0]["tree"]
    for constituent in tree["constituents"][1:5]:
        label(page, constituent["number"]).hover()
        assert lit(page, "word") == set(constituent["words"])
        assert lit(page, "constituent") == below(tree, constituent["number"])
        expect(page.locator(".tree-caption strong")).to_have_text(constituent["label"])
    page.mouse.move(0, 0)
    assert lit(page, "word") == set()


def test_pointing_at_a_branch_lights_up_the_constituent_it_belongs_to(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 1200})  # room for a deep tree
    page.goto(link(SENTENCE))
    branch = page.locator('.tree-box path.reach[data-constituent="1"]').last
    x, y = branch.evaluate(
        """path => {
            const middle = path.getPointAtLength(path.getTotalLength() / 2);
            const {x, y} = new DOMPoint(middle.x, middle.y).matrixTransform(path.getScreenCTM());
            return [x, y];
        }"""
    )
    page.mouse.move(x + 3, y)  # beside the line, which is thin
    assert 1 in lit(page, "constituent")
    assert 0 not in lit(page, "constituent")


def test_a_click_keeps_a_constituent_lit(page: Page, page_server: Server) -> None:
    page.goto(link(SENTENCE))
    (sentence,) = parse(page_server, SENTENCE)
    words = set(sentence["candidates"][0]["tree"]["constituents"][2]["words"])
    label(page, 2).click()
    page.mouse.move(0, 0)
    assert lit(page, "word") == words
    drawn(page, "w0").first.click()
    page.mouse.move(0, 0)
    assert lit(page, "word") == {0}
    page.locator("article h2").click()
    label(page, 2).tap()
    assert lit(page, "word") == words


def test_a_tree_can_be_walked_by_keys(page: Page, page_server: Server) -> None:
    page.goto(link(SENTENCE))
    (sentence,) = parse(page_server, SENTENCE)
    constituents = sentence["candidates"][0]["tree"]["constituents"]
    parent = next(c for c in constituents if sum(child["parent"] == c["number"] for child in constituents) > 1)
    first, second = [c for c in constituents if c["parent"] == parent["number"]][:2]
    label(page, 0).focus()
    for _ in range(parent["number"]):  # a chain of only children leads down to it
        page.keyboard.press("ArrowDown")
    expect(label(page, parent["number"])).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(label(page, first["number"])).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(label(page, second["number"])).to_be_focused()
    assert lit(page, "word") == set(second["words"])
    expect(page.locator(".tree-box .ring")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(label(page, parent["number"])).to_be_focused()
    page.keyboard.press("Escape")
    assert lit(page, "word") == set()


def test_candidates_have_shares_and_can_be_chosen(page: Page, page_server: Server) -> None:
    page.goto(link(SENTENCE, nbest=3))
    (sentence,) = parse(page_server, SENTENCE, nbest=3)
    candidates = sentence["candidates"]
    items = page.locator(".candidate")
    expect(items).to_have_count(3)
    for item, candidate in zip(items.all(), candidates, strict=True):
        shown = (item.locator(".figure").text_content() or "").removesuffix(" %")
        if shown == "< 0.1":
            assert 0 < candidate["share"] < 0.001
        else:
            assert float(shown) == pytest.approx(100 * candidate["share"], abs=0.1)
    items.nth(1).click()
    expect(items.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(items.nth(0)).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".tree-box [role=treeitem]")).to_have_count(len(candidates[1]["tree"]["constituents"]))
    best = [(c["label"], c["words"]) for c in candidates[0]["tree"]["constituents"]]
    for constituent in candidates[1]["tree"]["constituents"]:
        is_new = (constituent["label"], constituent["words"]) not in best
        classes = label(page, constituent["number"]).get_attribute("class") or ""
        assert ("differs" in classes) == is_new


def test_what_the_server_refuses_is_one_sentence_near_the_form(page: Page, page_server: Server) -> None:
    page.goto(link(SENTENCE))
    expect(page.locator("article")).to_have_count(1)
    long_word = "a" * 2000
    page.fill("#text", long_word)
    page.click("#parse")
    refusal = page_server.post("/api/parse", text=long_word).json()["detail"]
    expect(page.locator("#parse-message")).to_have_text(re.compile(re.escape(refusal), re.IGNORECASE))
    expect(page.locator("article")).to_have_count(1)  # the last parse stays
    page.fill("#text", " ")
    page.click("#parse")
    expect(page.locator("#parse-message")).to_have_text("Type a sentence first.")
    page.fill("#text", SENTENCE)
    page.click("#parse")
    expect(page.locator("#parse-message")).to_have_text("")


def test_a_server_that_does_not_answer_is_one_sentence_too(page: Page) -> None:
    page.goto("/")
    page.route("**/api/parse", lambda route: route.fulfill(status=502, body="<html>Bad gateway</html>"))
    page.fill("#text", SENTENCE)
    page.click("#parse")
    expect(page.locator("#parse-message")).to_have_text("The server answered with status 502 and no explanation.")
    expect(page.locator(".example, #introduction").first).to_be_visible()


def test_a_link_holds_the_text_the_model_and_the_beam(page: Page) -> None:
    text = "Ze had «50 %» & meer #verwacht?"
    page.goto("/")
    page.select_option("#model", "nl")
    page.fill("#beam", "3")
    page.fill("#nbest", "2")
    page.fill("#text", text)
    page.focus("#text")
    page.keyboard.press("Control+Enter")
    expect(page.locator("article")).to_have_count(1)
    page.click("#copy-link")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    page.goto("about:blank")
    page.goto(copied)
    expect(page.locator("article h2")).to_have_text(text)
    assert [page.input_value(f"#{name}") for name in ("text", "model", "beam", "nbest")] == [text, "nl", "3", "2"]
    expect(drawn(page, "w0")).not_to_have_count(0)


def test_a_link_that_was_tampered_with_parses_with_the_usual_settings(page: Page) -> None:
    page.goto("/#text=Go.&model=nothing&beam=1e9&nbest=-4")
    expect(page.locator("article h2")).to_have_text("Go.")
    assert page.input_value("#beam") == "10"
