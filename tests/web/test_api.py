"""What the routes answer, next to what the same calls in Python return."""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from discoseq import Tree, evaluate, read_trees
from discoseq.linearizations.linearization import linearization
from discoseq.parser import output
from discoseq.trees.drawing import draw_svg, draw_tikz
from discoseq.web.treebank_process import TreebankAnswer
from web.serving import LINEARIZATION, Server, small_parser

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WORDS = ["Das", "Buch", "hat", "er", "gelesen", "."]
GOLD = "(ROOT (S (VP (NP (DT 0=Das) (NN 1=Buch)) (VVPP 4=gelesen)) (VAFIN 2=hat) (NP (PPER 3=er))) ($. 5=.))"
PARSE = "(ROOT (S (NP (DT 0=Das) (NN 1=Buch)) (VAFIN 2=hat) (NP (PPER 3=er)) (VP (VVPP 4=gelesen))) ($. 5=.))"
HOSTILE = "<script>alert('ü')</script>"


def check_tree(answer: dict[str, Any], tree: Tree) -> None:
    """Every field of a tree says what the tree says."""
    assert answer["words"] == list(tree.words)
    assert answer["tags"] == list(tree.tags)
    assert Tree.fromstring(answer["discbracket"], "discbracket") == tree
    assert answer["gap_degree"] == tree.gap_degree
    constituents = list(tree.root.walk())
    assert [x["number"] for x in answer["constituents"]] == list(range(len(constituents)))
    for found, constituent in zip(answer["constituents"], constituents, strict=True):
        assert (found["label"], found["words"]) == (constituent.label, list(constituent.tokens))
        assert found["blocks"] == [list(block) for block in constituent.blocks]
        assert found["is_discontinuous"] == constituent.is_discontinuous
        if found["parent"] is None:
            assert constituent is tree.root
        else:
            assert any(child is constituent for child in constituents[found["parent"]].children)


def test_the_models_are_listed(server: Server) -> None:
    (model,) = server.get("/api/models").json()["models"]
    assert model == {
        "name": "small",
        "language": "en",
        "linearization": LINEARIZATION,
        "version": None,
        "licence": None,
        "is_default": True,
    }


@pytest.mark.parametrize(
    "given", [{"tokens": [WORDS]}, {"text": "Das Buch hat er gelesen."}, {"sentences": ["Das Buch hat er gelesen."]}]
)
def test_a_sentence_gets_the_trees_that_the_parser_finds(server: Server, given: dict[str, Any]) -> None:
    answer = server.post("/api/parse", **given, nbest=3, beam=5, model="small").json()
    assert (answer["model"], answer["language"]) == ("small", "en")
    (sentence,) = answer["sentences"]
    assert sentence["words"] == WORDS
    assert sentence["text"] == (None if "tokens" in given else "Das Buch hat er gelesen.")
    expected = small_parser().nbest(WORDS, 3, 5)
    assert [candidate["rank"] for candidate in sentence["candidates"]] == [1, 2, 3]
    for found, candidate in zip(sentence["candidates"], expected, strict=True):
        check_tree(found["tree"], candidate.tree)
        assert found["log_probability"] == pytest.approx(candidate.log_probability, abs=1e-4)
        assert found["share"] == pytest.approx(candidate.share, abs=1e-4)
        assert all(0 <= constituent["confidence"] <= 1 for constituent in found["tree"]["constituents"])
        assert "svg" not in found["tree"]


def test_a_text_is_split_into_sentences(server: Server) -> None:
    answer = server.post("/api/parse", text="He came. Did she?", beam=1).json()
    assert [sentence["text"] for sentence in answer["sentences"]] == ["He came.", "Did she?"]
    assert [sentence["words"] for sentence in answer["sentences"]] == [["He", "came", "."], ["Did", "she", "?"]]


def test_confidences_are_there_if_candidates_are_compared(server: Server) -> None:
    def confidences(**options: Any) -> list[float | None]:
        (sentence,) = server.post("/api/parse", tokens=[WORDS], **options).json()["sentences"]
        assert len(sentence["candidates"]) == 1
        return [constituent["confidence"] for constituent in sentence["candidates"][0]["tree"]["constituents"]]

    assert set(confidences()) == {None}
    candidates = small_parser().nbest(WORDS, 8, 8)
    expected = [number for _, number in output.confidences(candidates[0].tree, candidates)]
    assert confidences(scores=True, beam=8) == pytest.approx(expected, abs=1e-3)


def test_drawings_come_if_they_are_asked_for(server: Server) -> None:
    (sentence,) = server.post("/api/parse", tokens=[WORDS], include=["svg", "tikz", "export"]).json()["sentences"]
    tree = sentence["candidates"][0]["tree"]
    parsed = Tree.fromstring(tree["discbracket"], "discbracket")
    assert tree["svg"] == draw_svg(parsed)
    assert tree["tikz"] == draw_tikz(parsed)
    assert tree["export"].startswith("#FORMAT 4\n#BOS 1\nDas\t")


@pytest.mark.parametrize(
    ("name", "media_type", "beginning"),
    [("discbracket", "text/plain", "("), ("export", "text/plain", "#FORMAT 4"), ("svg", "image/svg+xml", "<svg ")],
)
def test_an_answer_can_be_a_file(server: Server, name: str, media_type: str, beginning: str) -> None:
    answer = server.post("/api/parse", tokens=[WORDS], format=name)
    assert answer.headers["content-type"].partition(";")[0] == media_type
    assert answer.text.startswith(beginning)
    many = server.post("/api/parse", tokens=[WORDS, WORDS], format=name)
    assert many.status_code == (422 if name == "svg" else 200)


def test_a_tree_is_drawn(server: Server) -> None:
    answer = server.post("/api/draw", discbracket=GOLD).json()
    tree = Tree.fromstring(GOLD)
    check_tree(answer, tree)
    assert (answer["svg"], answer["tikz"]) == (draw_svg(tree), draw_tikz(tree))
    assert "gelesen" in answer["export"]


def test_what_export_cannot_hold_is_null(server: Server) -> None:
    deep = "(A " * 600 + "0=x" + ")" * 600
    answer = server.post("/api/draw", discbracket=deep).json()
    assert answer["export"] is None
    assert answer["svg"].startswith("<svg")


def test_the_steps_of_a_sentence_have_the_probability_of_its_parse(server: Server) -> None:
    answer = server.post("/api/steps", tokens=WORDS, beam=5).json()
    best = small_parser().nbest(WORDS, 1, 5)[0]
    first, *steps = answer["steps"]
    assert answer["words"] == WORDS
    assert answer["linearization"] == LINEARIZATION
    assert (first["action"], first["probability"], first["alternatives"], first["stack"]) == (None, None, [], [])
    assert first["buffer"] == list(range(6))
    assert (first["stack_head"], first["buffer_head"]) == ([False] * 6, [True] * 6)
    assert math.prod(step["probability"] for step in steps) == pytest.approx(best.probability, rel=1e-4)
    assert answer["log_probability"] == pytest.approx(best.log_probability, abs=1e-4)
    for step in steps:
        assert (step["action"], step["probability"]) in [(x["action"], x["probability"]) for x in step["alternatives"]]
    rebuilt = linearization(LINEARIZATION).read(" ".join(step["action"] for step in steps))
    assert linearization(LINEARIZATION).build(best.tree.tokens, rebuilt) == best.tree
    assert steps[0]["name"] == "Shift#0"
    assert steps[-1]["stack"] == [{"kind": "constituent", "label": best.tree.root.label, "words": list(range(6))}]


def test_the_steps_of_a_tree_are_those_of_its_oracle(server: Server) -> None:
    answer = server.post("/api/steps", discbracket=GOLD.replace("(NP (DT", "(NP-OA (DT")).json()
    tree = Tree.fromstring(GOLD)
    expected = linearization(LINEARIZATION)
    assert [x["action"] for x in answer["steps"][1:]] == [expected.token(x) for x in expected.linearize(tree)]
    assert answer["log_probability"] == pytest.approx(small_parser().score(tree), abs=1e-4)
    opened = [element for step in answer["steps"] for element in step["stack"] if element["kind"] == "open"]
    assert {element["label"] for element in opened} == {"NP", "VP", "S", "ROOT"}


def test_a_parse_is_compared_with_gold(server: Server) -> None:
    answer = server.post("/api/compare", gold=GOLD, predicted=PARSE).json()
    gold, predicted = Tree.fromstring(GOLD), Tree.fromstring(PARSE)
    scores = evaluate([gold], [predicted]).all
    assert (answer["f1"], answer["precision"], answer["recall"]) == (scores.f1, scores.precision, scores.recall)
    assert answer["discontinuous_f1"] is None
    check_tree(answer["gold"], gold)
    check_tree(answer["predicted"], predicted)
    assert answer["gold"]["svg"] == draw_svg(gold)
    assert [answer["gold"]["constituents"][number]["label"] for number in answer["missing"]] == ["VP"]
    assert [answer["predicted"]["constituents"][number]["label"] for number in answer["wrong"]] == ["VP"]
    same = server.post("/api/compare", gold=GOLD, predicted=GOLD).json()
    assert (same["f1"], same["discontinuous_f1"], same["missing"], same["wrong"]) == (100, 100, [], [])


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_the_format_of_a_treebank_is_detected(server: Server, compress: Any) -> None:
    path = EXAMPLES / "trees.export"
    answer = server.upload(compress(path.read_bytes())).json()
    TreebankAnswer.model_validate(answer, strict=True)
    trees = list(read_trees(path))
    assert (answer["name"], answer["format"], answer["count"], answer["matched"]) == ("trees", "export", 4, 4)
    for entry, tree in zip(answer["trees"], trees, strict=True):
        assert (entry["id"], entry["words"], entry["matches"]) == (tree.id, list(tree.words), None)
        assert entry["gap_degree"] == tree.gap_degree
        assert entry["is_discontinuous"] == tree.is_discontinuous
        assert set(entry["labels"]) == {constituent.label for constituent in tree.root.walk()}
        assert Tree.fromstring(entry["discbracket"]) == tree


def test_a_treebank_is_searched(server: Server) -> None:
    path = EXAMPLES / "twenty.discbracket"
    answer = server.upload(path.read_bytes(), query="VP{discontinuous}").json()
    expected = {
        tree.id: [n for n, c in enumerate(tree.root.walk()) if c.label == "VP" and c.is_discontinuous]
        for tree in read_trees(path)
    }
    assert {entry["id"]: entry["matches"] for entry in answer["trees"]} == {k: v for k, v in expected.items() if v}
    assert (answer["count"], answer["matched"]) == (20, sum(map(bool, expected.values())))
    tags = server.upload(path.read_bytes(), query="WDT").json()["trees"]
    assert all(entry["matches"] == [] and entry["matched_words"] for entry in tags)


@pytest.mark.parametrize(
    ("content", "fields", "reason"),
    [
        (b"(S (A 0=a)", {}, "bad.x:1: "),
        (b"no tree", {}, "bad.x: can't tell what format this is"),
        (b"", {}, "bad.x: the file is empty"),
        (b"(S 0=a)", {"format": "sgml"}, "there is no format 'sgml'"),
        (b"(S 0=a)", {"query": "NP < ("}, "the query can't be read"),
        (b'{"words": ["a"], "tree": "(\\ud800"}', {}, "bad.x:1: "),
        (gzip.compress(gzip.compress(b"(S 0=a)", mtime=0), mtime=0), {}, "bad.x: the file is gzipped twice"),
    ],
)
def test_a_treebank_that_cannot_be_read_is_refused(
    server: Server, content: bytes, fields: dict[str, str], reason: str
) -> None:
    answer = server.upload(content, "bad.x", **fields)
    assert answer.status_code == 422
    assert reason in answer.json()["detail"]


def test_entities_are_not_read(server: Server) -> None:
    bomb = '<!DOCTYPE corpus [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><corpus id="&b;"><body></body></corpus>'
    answer = server.upload(bomb.encode(), "bomb.xml")
    assert (answer.status_code, "entities are not read" in answer.text) == (422, True)


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/api/parse", {}, "exactly one of text, sentences, tokens"),
        ("/api/parse", {"text": "a", "tokens": [["a"]]}, "this one has text and tokens"),
        ("/api/parse", {"text": " \n"}, "the text has no words"),
        ("/api/parse", {"sentences": []}, "there are no sentences"),
        ("/api/parse", {"tokens": [["a"], []]}, "sentence 2 has no words"),
        ("/api/parse", {"tokens": [["a", ""]]}, "tokens.0.1"),
        ("/api/parse", {"text": "a", "beam": 51}, "beam: "),
        ("/api/parse", {"text": "a", "beam": "10"}, "beam: "),
        ("/api/parse", {"text": "a", "nbest": 0}, "nbest: "),
        ("/api/parse", {"text": "a", "model": "../etc"}, "the server has no such model; it has small"),
        ("/api/parse", {"text": "a", "format": "pdf"}, "format: "),
        ("/api/parse", {"text": "a", "format": "svg", "include": ["svg"]}, "include is for json"),
        ("/api/parse", {"text": "a", "colour": 1}, "colour: "),
        ("/api/steps", {"text": "He came. She left."}, "seems to have 2 sentences"),
        ("/api/steps", {"discbracket": "(ROOT (XYZ (A 0=a)))"}, "NT-XYZ is not in the action vocabulary"),
        ("/api/draw", {"discbracket": "(S (A 0=a)"}, "bracket"),
        ("/api/draw", {"discbracket": ""}, "one tree is expected"),
        ("/api/compare", {"gold": GOLD, "predicted": "(S (A 0=a))"}, "sentence 1: "),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    server: Server, path: str, body: dict[str, Any], reason: str
) -> None:
    answer = server.post(path, **body)
    assert answer.status_code == 422
    assert list(answer.json()) == ["detail"]
    assert reason in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"{", b'{"text": "\\ud800"}', b"\xff", b"[]", b"null", b"[" * 100_000, b"9" * 10_000])
def test_a_body_that_is_no_request_is_refused(server: Server, body: bytes) -> None:
    answer = server.client.post("/api/parse", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert isinstance(answer.json()["detail"], str)


def test_hostile_words_labels_and_names_come_back_as_data(server: Server) -> None:
    answer = server.post("/api/parse", tokens=[[HOSTILE, "\x00", "a b"]], include=["svg"])
    assert answer.headers["content-type"] == "application/json"
    (sentence,) = answer.json()["sentences"]
    assert sentence["words"] == [HOSTILE, "\x00", "a b"]
    assert "<script" not in sentence["candidates"][0]["tree"]["svg"]
    drawn = server.post("/api/draw", discbracket="(<script>alert</script> (A 0=<img/src=x>) (B 1=b))").json()
    assert drawn["constituents"][0]["label"].startswith("<script>")
    assert "<script" not in drawn["svg"]
    assert "<img" not in drawn["svg"]
    named = server.upload(b"(S (A 0=a))", "../../etc/passwd<script>")
    assert named.json()["name"] == "../../etc/passwd<script>"
    assert json.loads(named.text)["count"] == 1


def test_the_examples_of_the_documentation_are_answered(server: Server) -> None:
    text = (EXAMPLES.parent / "docs" / "server.md").read_text(encoding="utf-8")
    examples = re.findall(r"^ {4}curl localhost:8000(/api/\w+) --json '(.*)'$", text, re.MULTILINE)
    assert {path for path, _ in examples} == {"/api/parse", "/api/steps", "/api/draw", "/api/compare"}
    for path, body in examples:
        answer = server.post(path, **json.loads(body))
        assert answer.status_code == 200, f"{body}: {answer.text}"
