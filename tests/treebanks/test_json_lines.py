"""JSON lines, as in docs/formats.md; that trees come back equal is in test_round_trip.py."""

import json
from pathlib import Path

import pytest

from discoseq.errors import TreebankError
from discoseq.treebanks.files import format_trees, parse_trees, read_trees, write_trees
from discoseq.treebanks.json_lines import load_json
from discoseq.trees.tree import Tree

DAS = "(S (VP-OC (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))"


def test_a_line_is_a_tree() -> None:
    line = format_trees([Tree.fromstring(DAS)], "json")
    assert line == (
        '{"id": "1", "words": ["Das", "muss", "man", "tun"], "tags": ["PDS", "VMFIN", "PIS", "VVINF"], '
        '"root": {"label": "S", "children": [{"label": "VP", "function": "OC", "children": [0, 3]}, 1, 2]}}\n'
    )
    assert json.loads(line) == {"id": "1"} | Tree.fromstring(DAS).to_dict()


def test_other_keys_are_ignored_and_a_tree_may_be_in_brackets() -> None:
    first, second = parse_trees(
        '{"words": ["a"], "root": {"label": "S", "children": [0], "confidence": 1.0}, "rank": 1}\n\n'
        f'{{"id": 17, "tree": "{DAS}"}}\n',
        "json",
    )
    assert (first.id, first.words) == ("1", ("a",))
    assert (second.id, second) == ("17", Tree.fromstring(DAS))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not valid JSON (expecting property name enclosed in double quotes at column 2)"),
        ('["a"]', "a line has to be an object, {...}, with a tree"),
        ('{"words": []', "not valid JSON (expecting ',' delimiter at column 13)"),
        (
            '{"words": ["a"], "root": {"label": "S", "children": [1]}}',
            "token index 1 is outside the sentence of 1 words",
        ),
    ],
)
def test_a_bad_line_is_named_and_spoils_no_other(tmp_path: Path, line: str, reason: str) -> None:
    good = '{"words": ["a"], "root": {"label": "S", "children": [0]}}'
    path = tmp_path / "x.jsonl"
    path.write_text(f"{good}\n{line}\n{good}\n")
    bad: list[TreebankError] = []
    assert len(list(read_trees(path, on_bad=bad.append))) == 2
    assert [str(error).partition("x.jsonl")[2] for error in bad] == [f":2: {reason}"]


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz"])
def test_the_suffix_says_json(tmp_path: Path, name: str) -> None:
    write_trees([Tree.fromstring(DAS)], tmp_path / name)
    assert list(read_trees(tmp_path / name)) == [Tree.fromstring(DAS)]


def test_a_card_beside_treebanks_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text('{"recipe": "x"}\n')
    write_trees([Tree.fromstring(DAS)], tmp_path / "x.jsonl")
    assert list(read_trees(tmp_path)) == [Tree.fromstring(DAS)]


@pytest.mark.parametrize("text", ["[" * 9000 + "]" * 9000, '{"a": ' * 9000 + "-1.5e3" + "}" * 9000])
def test_what_is_nested_deeply_is_read(text: str) -> None:
    value, depth = load_json(text), 0
    while isinstance(value, list | dict) and value:
        value, depth = value["a"] if isinstance(value, dict) else value[0], depth + 1
    assert value in ([], -1500.0)
    assert depth >= 8999


@pytest.mark.parametrize("text", ["[" * 9000 + "}", '{"a"' * 9000 + "}" * 9000, "[" * 9000, "[" * 9000 + "what"])
def test_what_is_nested_deeply_and_wrong_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        load_json(text)
