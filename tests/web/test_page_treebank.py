"""The page: a treebank of one's own, its search, and gold beside predicted."""

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from web.browsing import drawn, label, open_treebank
from web.serving import Server

TREES = """\
(ROOT (S (NP (NNP 0=Clara)) (VP (VBD 1=opened) (NP (DT 2=the) (NN 3=window)))) (. 4=.))
(ROOT (SBARQ (SQ (VP (WHNP (WDT 0=Which) (NN 1=song)) (VB 4=sing)) (MD 2=will) (NP (NNP 3=Ben)))) (. 5=?))
(ROOT (S (X (A 0=a) (A 2=a) (A 4=a)) (Y (B 1=b) (B 3=b))) (. 5=.))
"""


def sentences(page: Page) -> list[str]:
    return page.locator(".sentence-item .words").all_text_contents()


def marked(page: Page | Locator, mark: str) -> list[int]:
    """The numbers of the constituents with a mark."""
    numbers = page.locator(f".tree-box [role=treeitem].{mark}").evaluate_all(
        "nodes => nodes.map(node => Number(node.dataset.constituent))"
    )
    return sorted(numbers)


def test_a_file_is_listed_and_its_first_tree_drawn(page: Page) -> None:
    open_treebank(page, TREES)
    expect(page.locator(".file-name")).to_have_text("trees.discbracket")
    assert sentences(page) == ["Clara opened the window .", "Which song will Ben sing ?", "a b a b a ."]
    expect(page.locator(".browser-list .eyebrow")).to_have_text("3 sentences")
    expect(page.locator(".detail h2")).to_have_text("Clara opened the window .")
    page.locator(".sentence-item").nth(2).click()
    expect(page.locator(".detail h2")).to_have_text("a b a b a .")
    assert page.locator(".gap-badge").all_text_contents() == ["1", "2"]


def test_a_gzipped_file_can_be_dropped_on_any_view(page: Page, tmp_path: Path) -> None:
    page.goto("/")
    expect(page.locator("#model")).to_have_value("en")
    page.evaluate(
        """bytes => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([new Uint8Array(bytes)], "dropped.gz"));
            for (const type of ["dragenter", "dragover", "drop"]) {
                document.body.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true}));
            }
        }""",
        list(gzip.compress(TREES.encode())),
    )
    expect(page.locator(".file-name")).to_have_text("dropped.gz")
    assert len(sentences(page)) == 3
    expect(page.locator("#sentence-view")).to_be_hidden()


def test_the_sample_opens(page: Page) -> None:
    page.goto("/#treebank")
    page.get_by_role("button", name="Try the sample").click()
    expect(page.locator(".file-name")).to_have_text("sample.discbracket")
    assert len(sentences(page)) > 5


def test_filters_narrow_the_list(page: Page) -> None:
    open_treebank(page, TREES)
    page.fill("#filter-words", "WINDOW")
    assert sentences(page) == ["Clara opened the window ."]
    page.fill("#filter-words", "")
    page.select_option("#filter-label", label="WHNP (1)")
    assert sentences(page) == ["Which song will Ben sing ?"]
    page.select_option("#filter-label", "")
    page.select_option("#filter-gap", "2")
    assert sentences(page) == ["a b a b a ."]
    page.select_option("#filter-gap", "")
    page.check("#filter-discontinuous")
    assert sentences(page) == ["Which song will Ben sing ?", "a b a b a ."]
    expect(page.locator(".browser-list .eyebrow")).to_have_text("2 of 3 sentences")
    expect(page.locator(".detail h2")).to_have_text("a b a b a .")  # what was chosen stays while it is in the list
    page.fill("#filter-words", "elephant")
    expect(page.locator(".detail")).to_have_text("No sentence matches.")


def test_a_query_finds_and_marks_constituents_and_words(page: Page) -> None:
    open_treebank(page, TREES)
    page.fill("#query", "VP{discontinuous}")
    page.keyboard.press("Enter")
    expect(page.locator(".sentence-item")).to_have_count(1)
    expect(label(page, 3)).to_have_class("hit")
    assert marked(page, "hit") == [3]
    expect(page.locator(".mark-hit")).to_have_count(1)
    page.fill("#query", "{word=Clara}")
    page.get_by_role("button", name="Search").click()
    expect(page.locator('.tree-box text.hit[data-word="0"]').first).to_have_text("Clara")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".sentence-item")).to_have_count(3)
    expect(page.locator(".mark-hit")).to_have_count(0)


def test_a_bad_query_or_file_is_one_sentence(page: Page) -> None:
    open_treebank(page, TREES)
    message = page.locator("#treebank-view > .message")
    page.fill("#query", "NP < (")
    page.keyboard.press("Enter")
    expect(message).not_to_be_empty()
    assert "\n" not in (message.text_content() or "")
    assert len(sentences(page)) == 3
    page.set_input_files("#treebank-file", {"name": "no.txt", "mimeType": "text/plain", "buffer": b"((("})
    expect(message).to_contain_text("no.txt")
    expect(page.locator(".file-name")).to_have_text("trees.discbracket")


def test_the_list_can_be_walked_by_keys(page: Page) -> None:
    open_treebank(page, TREES)
    heading = page.locator(".detail h2")
    page.keyboard.press("n")
    expect(heading).to_have_text("Which song will Ben sing ?")
    page.keyboard.press("p")
    expect(heading).to_have_text("Clara opened the window .")
    page.locator(".sentence-item").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(heading).to_have_text("a b a b a .")
    expect(page.locator(".sentence-item").nth(2)).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()


def test_a_long_list_grows_on_demand(page: Page) -> None:
    open_treebank(page, TREES * 100)
    expect(page.locator(".sentence-item")).to_have_count(200)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".sentence-item")).to_have_count(300)


@pytest.mark.parametrize("model", ["en", "nl"])
def test_gold_stands_beside_predicted_with_what_differs(page: Page, page_server: Server, model: str) -> None:
    gold = TREES.splitlines()[1]
    open_treebank(page, gold)
    page.select_option("#model", model)
    page.check("#comparing")
    page.wait_for_selector(".comparison")
    words = ["Which", "song", "will", "Ben", "sing", "?"]
    parsed = page_server.post("/api/parse", tokens=[words], model=model, beam=10).json()
    predicted = parsed["sentences"][0]["candidates"][0]["tree"]["discbracket"]
    expected = page_server.post("/api/compare", gold=gold, predicted=predicted).json()
    shown = page.locator(".scores dd").all_text_contents()
    scores = [expected[name] for name in ("f1", "precision", "recall", "discontinuous_f1")]
    assert shown == ["–" if score is None else f"{score:.2f}" for score in scores]
    left, right = page.locator(".comparison .tree-panel").all()
    assert marked(left, "missing") == expected["missing"]
    assert marked(right, "wrong") == expected["wrong"]
    expect(right.locator("h3")).to_contain_text(f"Predicted by {model}")
    assert left.locator(".tree-box text[data-word]").all_text_contents()[: len(words)] == words
    drawn(left, "w0").first.hover()
    expect(right.locator('.tree-box text.lit[data-word="0"]').first).to_have_text("Which")


def test_a_gold_tree_has_a_derivation_too(page: Page, page_server: Server) -> None:
    gold = TREES.splitlines()[1]
    open_treebank(page, gold)
    page.select_option("#model", "en")
    page.keyboard.press("Escape")
    page.locator(".detail h2").click()
    page.keyboard.press("d")
    page.wait_for_selector(".derivation")
    steps = page_server.post("/api/steps", discbracket=gold, model="en").json()["steps"]
    expect(page.locator(".counter")).to_have_text(f"0 / {len(steps) - 1}")
