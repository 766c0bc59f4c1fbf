"""Candidates as text, and back."""

import json
from functools import cache
from typing import Any

import pytest

from discoseq.decoding.decode import Candidate
from discoseq.errors import ParserError, TreebankError
from discoseq.parser.output import OUTPUTS, WITH_COMMENTS, Result, render
from discoseq.treebanks.files import FORMATS, parse_trees
from discoseq.trees.transforms import add_root
from discoseq.trees.tree import Child, Constituent, Token, Tree
from parser.odd import ODD_WORDS
from parser.trained import example_trees, trained


@cache
def odd_trees() -> list[Tree]:
    trees = trained().parse_all([*ODD_WORDS, [], *(tree.words for tree in example_trees()[:5])], beam_size=2)
    return [add_root(tree, "ROOT") for tree in trees]  # the export format has no other


def results(trees: list[Tree]) -> list[Result]:
    candidates = [Candidate(tree, -1.0, 1.0) for tree in trees]
    return [Result(str(number), [x], [x]) for number, x in enumerate(candidates, 1)]


def written(trees: list[Tree], format: str, has_scores: bool = False) -> str:
    return "".join(render(results(trees), format, has_scores))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_reads_back(format: str) -> None:
    trees = [tree for tree in odd_trees() if format != "bracket" or not tree.is_discontinuous]
    assert len(trees) > 8
    assert parse_trees(written(trees, format), format) == trees
    if format in WITH_COMMENTS:
        again = parse_trees(written(trees, format, has_scores=True), format)
        assert again == trees
        assert all((tree.comment or "").startswith("log_probability=-1.0000 share=") for tree in again if tree.tokens)


def test_json_holds_words_tags_and_the_tree_twice() -> None:
    lines = written(odd_trees(), "json", has_scores=True).split("\n")[:-1]
    assert len(lines) == len(odd_trees())
    for line, tree in zip(lines, odd_trees(), strict=True):
        entry = json.loads(line)
        assert (entry["words"], entry["tags"]) == (list(tree.words), [token.tag for token in tree.tokens])
        assert parse_trees(entry["tree"] + "\n", "discbracket") == [tree]
        assert constituent(entry["root"]) == tree.root
        assert (entry["rank"], entry["log_probability"], entry["share"]) == (1, -1.0, 1.0)
        assert entry["root"]["confidence"] == 1.0
    plain = json.loads(written(odd_trees()[:1], "json"))
    assert "share" not in plain
    assert "confidence" not in plain["root"]


def constituent(entry: dict[str, Any]) -> Constituent:
    children: list[Child] = [x if isinstance(x, int) else constituent(x) for x in entry["children"]]
    return Constituent(entry["label"], tuple(children))


def test_a_tree_of_thousands_of_levels_is_written() -> None:
    deep: Child = 0
    for _ in range(5000):
        deep = Constituent("X", (deep,))
    assert isinstance(deep, Constituent)
    line = written([Tree(deep, (Token("a"),))], "json", has_scores=True)
    assert line.count('"label": "X"') == 5000
    assert parse_trees(written([Tree(deep, (Token("a"),))], "discbracket"), "discbracket")[0].depth == 5000


def test_every_candidate_is_written() -> None:
    found = trained().nbest("Ben found a letter.", 3)
    result = Result("s7", found[:2], found)
    lines = [json.loads(line) for line in "".join(render([result], "json", True)).splitlines()]
    assert [(line["id"], line["rank"]) for line in lines] == [("s7", 1), ("s7", 2)]
    assert [line["share"] for line in lines] == pytest.approx([x.share for x in found[:2]], abs=1e-5)
    trees = parse_trees("".join(render([result], "export", False)), "export")
    assert [tree.id for tree in trees] == ["s7-1", "s7-2"]


def test_drawings_are_drawn() -> None:
    text = written(example_trees()[:2], "text")
    assert text.startswith("# 1\n")
    assert "Which" in text
    assert written(example_trees()[:1], "svg").startswith("<svg")
    assert written([], "svg") == ""
    with pytest.raises(ParserError, match="svg holds one tree"):
        written(example_trees()[:2], "svg")


def test_what_a_format_can_not_hold_is_an_error() -> None:
    with pytest.raises(TreebankError, match="is discontinuous, which the bracket format can't hold"):
        written(example_trees(), "bracket")
    with pytest.raises(ParserError, match="tigerxml can't hold scores"):
        written(example_trees(), "tigerxml", has_scores=True)
    with pytest.raises(ParserError, match=f"there is no format 'pdf'; the formats are {', '.join(OUTPUTS)}"):
        written(example_trees(), "pdf")
