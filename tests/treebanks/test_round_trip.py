"""The contract of every format: a tree that it can hold comes back equal, also through another format."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.treebanks.files import FORMATS, format_trees, parse_trees, read_trees, write_trees
from discoseq.trees.transforms import VIRTUAL_ROOTS, add_root, put_under_root
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree
from tree_strategies import WORDS, trees


def whole(tree: Tree) -> Tree:
    return tree


def without_lemmas(tree: Tree) -> Tree:
    return replace(tree, tokens=tuple(replace(token, lemma=None) for token in tree.tokens))


def brackets_only(tree: Tree) -> Tree:
    tokens = tuple(replace(token, lemma=None, morphology=None) for token in tree.tokens)
    return replace(tree, tokens=tokens, secondary_edges=())


# The bracket formats keep the function in the label; export3 has no column for lemmas.
HELD: dict[str, Callable[[Tree], Tree]] = {
    "export": whole,
    "export3": without_lemmas,
    "tigerxml": whole,
    "discbracket": brackets_only,
    "bracket": brackets_only,
    "alpino": whole,
    "json": whole,
}

# any word that XML can hold, white space and brackets included
any_word = st.one_of(
    st.sampled_from(
        [*WORDS, "#HASH#", "#U+0020#", "#LRB(", "#BOS", "#EOS", "#999", "#LRB", "-", "--", "\u2028", "a\tb"]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1, max_size=5),
)
any_tree = trees(words=any_word, functions=True, fields=True, secondary=True)
continuous_tree = trees(words=any_word, functions=True, fields=True, continuous=True)


def through(tree: Tree, format: str) -> Tree:
    (back,) = parse_trees(format_trees([tree], format), format)
    return back


def test_every_format_is_under_contract() -> None:
    assert HELD.keys() == FORMATS.keys()


@pytest.mark.parametrize(("one", "two"), list(product(FORMATS, FORMATS)))
@given(data=st.data())
def test_a_tree_comes_back_equal_through_any_pair_of_formats(one: str, two: str, data: st.DataObject) -> None:
    tree = data.draw(continuous_tree if "bracket" in (one, two) else any_tree)
    tree = HELD[two](HELD[one](tree))
    there = through(through(tree, one), two)
    assert there == tree
    assert through(there, one) == tree


def with_any_root(tree: Tree, data: st.DataObject) -> Tree:
    """The tree with a root of any label, perhaps with a function, and secondary edges to and from it."""
    label = data.draw(st.sampled_from(["ROOT", "VROOT", "TOP", "", "S", "NP", "S1", "A+B"]), "root")
    function = data.draw(st.sampled_from([None, "SBJ"]), "function") if label else None
    root = Constituent(label, tree.root.children, function)
    last = -sum(1 for _ in root.walk())
    ends = [SecondaryEdge(-1, "SB", last), SecondaryEdge(0, "OA", -1)] if last < -1 else []
    return replace(tree, root=root, secondary_edges=tuple(end for end in ends if data.draw(st.booleans())))


def as_written(tree: Tree, format: str) -> Tree:
    """The tree with the root that it has in the format, and everything else as it is."""
    root = tree.root
    if format.startswith("export"):
        is_node_0 = root.label in VIRTUAL_ROOTS and not root.function
        if is_node_0 and all(edge.child != -1 for edge in tree.secondary_edges):
            return add_root(tree, "ROOT")
        return put_under_root(tree, "ROOT")
    over = {"tigerxml": "VROOT", "alpino": "TOP"}.get(format)
    return put_under_root(tree, over) if over and root.function else tree


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_the_whole_tree_comes_back_with_its_root(format: str, data: st.DataObject) -> None:
    tree = with_any_root(data.draw(continuous_tree if format == "bracket" else any_tree), data)
    there = as_written(HELD[format](tree), format)
    assert through(tree, format) == there
    assert through(there, format) == there


@pytest.mark.parametrize("format", FORMATS)
def test_a_sentence_is_not_lost_as_the_root(format: str) -> None:
    (tree,) = parse_trees("(S (NP (PRP He)) (VP (VBD came)) (. .))\n", "bracket")
    assert "S" in [constituent.label for constituent in through(tree, format).root.walk()]


@pytest.mark.parametrize("format", FORMATS)
def test_ids_and_comments_survive_where_there_is_room(format: str) -> None:
    tree = Tree(Constituent("ROOT", (0,)), (Token("a", "NN"),), id="wsj_0001/3", comment="a note")
    back = through(tree, format)
    has_ids = format not in ("discbracket", "bracket")
    assert back.id == ("wsj_0001/3" if has_ids else "1")
    has_comments = format not in ("bracket", "tigerxml")
    assert back.comment == ("a note" if has_comments else None)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_files_are_read_back_without_naming_the_format(tmp_path: Path, format: str, suffix: str) -> None:
    trees = [
        Tree(Constituent("ROOT", (Constituent("NP", (i,)), 1 - i)), (Token("a", "X"), Token("b", "Y"))) for i in (0, 1)
    ]
    path = tmp_path / f"file{FORMATS[format].suffixes[0]}{suffix}"
    assert write_trees(trees, path, format) == 2
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(suffix)
    assert list(read_trees(path)) == trees
    unnamed = tmp_path / "file"
    unnamed.write_bytes(path.read_bytes())
    assert list(read_trees(unnamed)) == trees


def test_equal_trees_give_equal_bytes_when_zipped(tmp_path: Path) -> None:
    tree = Tree(Constituent("ROOT", (0,)), (Token("a"),))
    for name in ("one.export.gz", "two.export.gz"):
        write_trees([tree], tmp_path / name)
    assert (tmp_path / "one.export.gz").read_bytes() == (tmp_path / "two.export.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.export.gz").read_bytes()).startswith(b"#FORMAT 4\n#BOS 1\n")


def deep(levels: int, is_nested: bool) -> Tree:
    part: Constituent | int = 0
    for level in range(levels):
        part = Constituent("X", (part, level + 1) if is_nested else (part,))
    tokens = tuple(Token(f"w{i}", "T") for i in range(levels + 1 if is_nested else 1))
    return Tree(Constituent("ROOT", (part,)), tokens)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_deep_tree_is_written_and_read(format: str, is_nested: bool) -> None:
    tree = deep(500 if format.startswith("export") else 5000, is_nested)  # export can number no more than 500
    assert through(tree, format) == tree


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_sentence_comes_back(format: str) -> None:
    assert through(Tree(Constituent("ROOT", ()), ()), format).words == ()
