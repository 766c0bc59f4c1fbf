"""The page: a derivation step by step."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.browsing import SENTENCE, drawn, link, parse
from web.serving import Server


def steps_of(server: Server, **request: Any) -> Any:
    answer = server.post("/api/steps", model="en", **request)
    assert answer.status_code == 200
    return answer.json()["steps"]


def open_derivation(page: Page, path: str) -> None:
    page.goto(path)
    page.get_by_role("button", name="Derivation").click()
    page.wait_for_selector(".derivation")


@pytest.fixture
def expected(page_server: Server) -> Any:
    (sentence,) = parse(page_server, SENTENCE)
    return steps_of(page_server, tokens=sentence["words"], beam=4)


def test_every_step_shows_its_action_the_stack_the_buffer_and_the_heads(page: Page, expected: Any) -> None:
    open_derivation(page, link(SENTENCE))
    words = [drawn(page, f"w{i}").first.text_content() for i in expected[0]["buffer"]]
    for number, step in enumerate(expected):
        expect(page.locator(".counter")).to_have_text(f"{number} / {len(expected) - 1}")
        shown = page.evaluate(
            """() => {
                const texts = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent);
                const seen = (name) => document.querySelectorAll(`.head-${name}`).length;
                return {
                    name: texts(".action-name")[0],
                    kinds: [...document.querySelectorAll(".stack li")].map((node) => node.className.split("item-")[1]),
                    buffer: texts(".buffer li"),
                    alternatives: texts(".alternative-name"),
                    chosen: texts(".is-chosen .alternative-name"),
                    seen: [seen("stack"), seen("buffer")],
                };
            }"""
        )
        assert shown == {
            "name": step["name"] or "Start",
            "kinds": [element["kind"] for element in step["stack"]],
            "buffer": [words[i] for i in step["buffer"]],
            "alternatives": [alternative["name"] for alternative in step["alternatives"]],
            "chosen": [step["name"]] if step["name"] else [],
            "seen": [sum(step["stack_head"]), sum(step["buffer_head"])],
        }
        page.keyboard.press("ArrowRight")


def test_bars_are_as_long_as_the_probabilities(page: Page, expected: Any) -> None:
    open_derivation(page, link(SENTENCE))
    page.keyboard.press("ArrowRight")
    shares = page.locator(".alternatives .bar").evaluate_all(
        "bars => bars.map(bar => parseFloat(bar.firstChild.style.width) / 100)"
    )
    assert shares == pytest.approx(
        [alternative["probability"] for alternative in expected[1]["alternatives"]], abs=1e-4
    )


def test_the_tree_grows_with_the_derivation(page: Page, page_server: Server, expected: Any) -> None:
    open_derivation(page, link(SENTENCE))
    (sentence,) = parse(page_server, SENTENCE)
    constituents = sentence["candidates"][0]["tree"]["constituents"]
    built = page.locator(".tree-box [role=treeitem].built")
    expect(built).to_have_count(0)
    closed = 0
    for step in expected[1:]:
        page.keyboard.press("ArrowRight")
        closed += step["action"].startswith("RE")
        expect(built).to_have_count(closed)
    assert closed == len(constituents)
    page.get_by_role("button", name="Derivation").click()
    expect(page.locator(".derivation")).to_have_count(0)
    expect(page.locator(".tree-box .head")).to_have_count(0)
    expect(drawn(page, "c0").first).to_have_css("opacity", "1")


def test_buttons_keys_and_the_slider_lead_to_the_same_steps(page: Page, expected: Any) -> None:
    open_derivation(page, link(SENTENCE))
    counter, last = page.locator(".counter"), len(expected) - 1
    expect(page.get_by_label("Previous step")).to_be_disabled()
    page.get_by_label("Next step").click()
    expect(counter).to_have_text(f"1 / {last}")
    page.get_by_label("Last step").click()
    expect(counter).to_have_text(f"{last} / {last}")
    expect(page.get_by_label("Next step")).to_be_disabled()
    page.get_by_label("Previous step").click()
    expect(counter).to_have_text(f"{last - 1} / {last}")
    page.get_by_label("Step of the derivation").fill("3")
    expect(counter).to_have_text(f"3 / {last}")
    page.get_by_label("Step of the derivation").focus()
    for key, position in [("ArrowRight", 4), ("ArrowLeft", 3), ("End", last), ("Home", 0)]:
        page.keyboard.press(key)
        expect(counter).to_have_text(f"{position} / {last}")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")  # from anywhere on the page
    expect(counter).to_have_text(f"1 / {last}")


def test_a_derivation_plays_by_itself_until_it_is_paused(page: Page, expected: Any) -> None:
    page.clock.install()
    open_derivation(page, link(SENTENCE))
    page.get_by_label("Play", exact=True).click()
    page.clock.run_for(2500)
    expect(page.locator(".counter")).to_have_text(f"2 / {len(expected) - 1}")
    page.keyboard.press("ArrowRight")  # whoever takes a step has taken over
    page.clock.run_for(5000)
    expect(page.locator(".counter")).to_have_text(f"3 / {len(expected) - 1}")
    page.get_by_label("Play", exact=True).click()
    page.clock.run_for(1000 * len(expected))
    expect(page.get_by_label("Next step")).to_be_disabled()
    expect(page.get_by_label("Play", exact=True)).to_be_visible()


def test_another_candidate_has_the_derivation_of_its_own_tree(page: Page, page_server: Server) -> None:
    open_derivation(page, link(SENTENCE, nbest=2))
    (sentence,) = parse(page_server, SENTENCE, nbest=2)
    second = sentence["candidates"][1]["tree"]["discbracket"]
    page.locator(".candidate").nth(1).click()
    steps = steps_of(page_server, discbracket=second)
    page.wait_for_selector(".derivation")
    page.get_by_label("Last step").click()
    expect(page.locator(".counter")).to_have_text(f"{len(steps) - 1} / {len(steps) - 1}")
    expect(page.locator(".tree-box [role=treeitem]:not(.built)")).to_have_count(0)


def test_a_refused_derivation_is_one_sentence_below_the_tree(page: Page) -> None:
    page.goto(link(SENTENCE))
    page.route("**/api/steps", lambda route: route.fulfill(status=504, json={"detail": "it took too long"}))
    page.get_by_role("button", name="Derivation").click()
    expect(page.locator(".tree-panel .message")).to_have_text("It took too long.")
    expect(page.get_by_role("button", name="Derivation")).to_have_attribute("aria-expanded", "false")
