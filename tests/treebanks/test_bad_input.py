"""Bad input gets one sentence that names the file and the line; with on_bad the rest of the file is read."""

import gzip
import os
import re
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from discoseq.errors import TreebankError
from discoseq.treebanks.files import FORMATS, format_trees, read_trees, write_trees
from discoseq.treebanks.streams import atomic_output
from discoseq.trees.tree import Constituent, Token, Tree

GOOD = Tree(Constituent("ROOT", (Constituent("NP", (0,)), 1)), (Token("a", "X"), Token("b", "Y")))


def export(*lines: str) -> str:
    return "#BOS 1\n" + "".join(f"{line}\n" for line in lines) + "#EOS 1\n"


def tiger(inner: str) -> str:
    return f'<corpus><body>\n<s id="s1"><graph>{inner}</graph></s>\n</body></corpus>\n'


def alpino(inner: str) -> str:
    return f'<alpino_ds>\n<node cat="top">{inner}</node></alpino_ds>\n'


BAD: list[tuple[str, str, int, str]] = [
    ("discbracket", "(S (A 0=a)\n", 1, "a bracket is not closed"),
    ("discbracket", "(S (A 0=a\n", 1, "2 brackets are not closed"),
    ("discbracket", "(S (A 0=a))\n\n(S (A 0=a)))\n", 3, "a closing bracket has no opening one"),
    ("discbracket", "(S (A 0=a) (B 0=b))\n", 1, "token index 0 occurs twice"),
    ("discbracket", "(S (A 0=a) (B 2=b))\n", 1, "token index 1 is missing"),
    ("discbracket", "(S (A 0=a) (B b))\n", 1, "the leaf 'b' is not of the form index=word"),
    ("discbracket", "(S (A 0=a) (B 1=))\n", 1, "the leaf '1=' is not of the form index=word"),
    ("discbracket", "(S (A 0=a) (B 123456789=b))\n", 1, "the token index 123456789... is too large"),
    ("discbracket", "(S (A 0=a)) (S (A 0=a))\n", 1, "the line contains 2 trees"),
    ("discbracket", "0=hello\n", 1, "'0=hello' is outside the brackets"),
    ("bracket", "hello\n", 1, "'hello' is outside the brackets"),
    ("bracket", "(S (A a)\n", 1, "a bracket is not closed"),
    ("bracket", "(S (A a))\n(S (A a)))\n", 2, "a closing bracket has no opening one"),
    ("bracket", "(S (NP (NN )) (VP b))\n", 1, "the bracket (NN) contains no word"),
    ("export", export("a\tA\t--\tNK\t500"), 2, "the parent of a, 500, is not in the sentence"),
    ("export", export("a\tA\t--\tNK\t500", "#500\tNP\t--\t--\t500"), 3, "constituent #500 is its own parent"),
    (
        "export",
        export("a\tA\t--\tNK\t500", "#500\tNP\t--\t--\t501", "#501\tPP\t--\t--\t500"),
        1,
        "PP is its own ancestor",
    ),
    ("export", export("a\tA\t--\tNK\t500", "#500\tNP\t--\t--\t0", "#500\tNP\t--\t--\t0"), 1, "#500 occurs twice"),
    ("export", export("a\tA\t--\tNK"), 2, "is not of the form word [lemma] tag morphology function parent"),
    ("export", export("a\tA\t--\tNK\t500", "#500\tNP\t--\t--\t0", "b\tB\t--\t--\t0"), 4, "'b' comes after the nodes"),
    ("export", "#BOS 1\na\tA\t--\t--\t0\n#BOS 2\n#EOS 2\n", 3, "#BOS 2 while sentence 1 is open"),
    ("export", "#BOS 1\na\tA\t--\t--\t0\n#EOS 2\n", 3, "#EOS 2 closes sentence 1"),
    ("export", "#BOS 1\na\tA\t--\t--\t0\n", 1, "sentence 1 has no #EOS"),
    ("export", "#EOS 1\n", 1, "#EOS 1 without #BOS"),
    ("tigerxml", tiger('<terminals><t id="1" word="a"/></terminals>')[:-12], 3, "not well-formed XML"),
    ("tigerxml", tiger('<t id="1" word="a"/><nt id="2"><edge idref="3"/></nt>'), 2, "the edge to '3' has no target"),
    ("tigerxml", tiger('<t id="1" word="a"/><t id="1" word="b"/>'), 2, "the node id '1' occurs twice"),
    ("tigerxml", tiger('<t id="1"/>'), 2, "a terminal has no word"),
    ("tigerxml", '<!DOCTYPE corpus [\n<!ENTITY a "b">]>\n<corpus/>', 2, "the entity 'a' is declared here"),
    ("alpino", '<!DOCTYPE x [<!ENTITY % a SYSTEM "b">]><alpino_ds/>', 1, "the entity 'a' is declared here"),
    ("tigerxml", tiger('<edge idref="1"/><t id="1" word="a"/>'), 2, "has no parent"),
    ("tigerxml", tiger('<nt id="2"><edge idref="3"/></nt><nt id="3"><edge idref="2"/></nt>'), 2, "there is no root"),
    (
        "tigerxml",
        tiger('<t id="1" word="a"/><nt id="2"><edge idref="1"/></nt><nt id="3"><edge idref="1"/></nt>'),
        2,
        "'1' has two parents, '2' and '3'",
    ),
    (
        "tigerxml",
        tiger('<t id="1" word="a"/><nt id="2"><edge idref="3"/></nt><nt id="3"><edge idref="2"/></nt>'),
        2,
        "is its own ancestor",
    ),
    ("alpino", alpino('<node word="a" begin="0"/><node word="b" begin="0"/>'), 2, "two words are at position 0"),
    ("alpino", alpino('<node word="a"/>'), 2, "the word 'a' has no position"),
    ("alpino", alpino('<node word="" begin="0"/>'), 2, "a node has an empty word"),
    ("alpino", alpino('<node word="a" begin="1"/>'), 1, "there is no word at position 0"),
    ("alpino", alpino('<node word="a" begin="0"><node cat="x"/></node>'), 2, "the parent of a node is not a phrase"),
]


@pytest.mark.parametrize(("format", "text", "line", "reason"), BAD, ids=[reason for *_, reason in BAD])
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, format: str, text: str, line: int, reason: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(TreebankError, match=re.escape(reason)) as caught:
        list(read_trees(path, format))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("tigerxml", "alpino")])
def test_a_bad_sentence_spoils_no_other(tmp_path: Path, format: str) -> None:
    bad = {"bracket": "(S (A a)\n", "discbracket": "(S (A 0=a)\n", "json": '{"words": ["a"]}\n'}.get(
        format, export("a\tA\t--\tNK\t500")
    )
    good = format_trees([GOOD], format)
    for parts in ([good, bad, good], [bad, good, good], [good, good, bad]):
        (tmp_path / "file").write_text("".join(parts))
        errors: list[TreebankError] = []
        assert list(read_trees(tmp_path / "file", format, on_bad=errors.append)) == [GOOD, GOOD]
        assert len(errors) == 1


def test_what_is_left_of_a_tree_that_closes_too_early_goes_with_it(tmp_path: Path) -> None:
    text = "( (S (NP (NN a))\n     (. .)) )\n( (S (NP (NN b))))\n     (. .)) )\n( (S (NP (NN c))))\n"
    (tmp_path / "x.mrg").write_text(text)
    errors: list[TreebankError] = []
    assert [tree.words for tree in read_trees(tmp_path / "x.mrg", on_bad=errors.append)] == [("a", "."), ("c",)]
    assert [error.line for error in errors] == [4]


def test_a_bad_sentence_in_tiger_xml_can_be_skipped(tmp_path: Path) -> None:
    good = '<s id="g"><graph><terminals><t id="1" word="a"/></terminals></graph></s>'
    (tmp_path / "x.xml").write_text(f'<corpus>{good}<s id="b"><graph><t id="1"/></graph></s>{good}</corpus>')
    errors: list[TreebankError] = []
    assert len(list(read_trees(tmp_path / "x.xml", on_bad=errors.append))) == 2
    assert [error.reason for error in errors] == ["a terminal has no word"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "can't tell what format this is"),
        (b"hello\n", "can't tell what format this is; name one of export"),
        (bytes(range(256)), "can't tell what format this is"),
        (b"#FORMAT 4\n", "there are no sentences in this file (read as export)"),
        (b"#BOS 1\nGr\xf6\xdfe\tNN\t--\t--\t0\n#EOS 1\n", ":2: byte 0xf6 is not utf-8; try --encoding latin-1"),
        (gzip.compress(b"(S (A 0=a))\n" * 9999, mtime=0)[:60], "the gzip data is broken"),
    ],
)
def test_a_file_that_is_no_treebank_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(TreebankError, match=re.escape(reason)):
        list(read_trees(tmp_path / "file"))


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"nothing\.export: no such file"):
        list(read_trees(tmp_path / "nothing.export"))
    with pytest.raises(TreebankError, match="there are no treebank files in this folder"):
        list(read_trees(tmp_path))
    with pytest.raises(TreebankError, match=r"there is no folder .*nowhere"):
        write_trees([GOOD], tmp_path / "nowhere" / "x.export")
    with pytest.raises(TreebankError, match="can't tell the format from this name"):
        write_trees([GOOD], tmp_path / "x")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_other_encodings_are_read_when_named(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x").write_bytes("#BOS 1\nGröße\tNN\t--\t--\t0\n#EOS 1\n".encode(encoding))
    (tree,) = read_trees(tmp_path / "x", "export", encoding)
    assert tree.words == ("Größe",)


def test_xml_is_read_in_the_encoding_it_declares(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + tiger('<terminals><t id="1" word="Größe"/></terminals>')
    (tmp_path / "x.xml").write_bytes(text.encode("latin-1"))
    assert next(read_trees(tmp_path / "x.xml")).words == ("Größe",)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbf(S (A 0=a))\n")
    assert next(read_trees(tmp_path / "x", "discbracket")).words == ("a",)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, format: str, encoding: str) -> None:
    tree = Tree(Constituent("ROOT", (Constituent("NP", (0,)),)), (Token("Gr\u00f6\u00dfe", "NN"),), "s1")
    text = format_trees([tree], format)
    for declared in (text, text.replace("UTF-8", "UTF-16")):
        (tmp_path / "x").write_bytes(declared.encode(encoding))
        assert list(read_trees(tmp_path / "x")) == [tree]
        assert list(read_trees(tmp_path / "x", format, "utf-8")) == [tree]
    (tmp_path / "x.gz").write_bytes(gzip.compress(text.encode(encoding)))
    assert list(read_trees(tmp_path / "x.gz")) == [tree]


def test_what_a_byte_order_mark_does_not_allow_is_an_error_with_its_line(tmp_path: Path) -> None:
    data = "(S (A 0=a))\n(S (A 0=b))\n(S".encode("utf-16") + b"\x00\xd8\x00"  # half a pair, and half a unit
    (tmp_path / "x").write_bytes(data)
    trees = read_trees(tmp_path / "x", "discbracket")
    assert [next(trees).words, next(trees).words] == [("a",), ("b",)]
    with pytest.raises(TreebankError, match=":3: this line is not utf-16"):
        next(trees)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(gzip.compress(b"(S (A 0=a))\n"))))
    assert next(read_trees("-")).words == ("a",)


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        (tmp_path / f"{number}.xml").write_text(alpino(f'<node word="w{number}" begin="0"/>'))
    trees = list(read_trees(tmp_path))
    assert [tree.words for tree in trees] == [("w1",), ("w9",), ("w10",)]
    assert [tree.id for tree in trees] == ["1", "9", "10"]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path, suffix: str) -> None:
    gapped = Tree(Constituent("ROOT", (Constituent("NP", (0, 2)), 1)), (Token("a"), Token("b"), Token("c")))
    with pytest.raises(TreebankError, match="sentence 2 is discontinuous, which the bracket format can't hold"):
        write_trees([GOOD, gapped], tmp_path / f"x.mrg{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_survives_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_output(path) as out:
        out.write(f"new {1 // 0}")
    assert path.read_text() == "old"
    with atomic_output(path) as out:
        out.write("new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["x.txt"]


def test_characters_that_only_xml_can_not_hold() -> None:
    tree = Tree(Constituent("ROOT", (0,)), (Token("a\x01b", "X"),))
    for name in FORMATS:
        if name in ("tigerxml", "alpino"):
            with pytest.raises(TreebankError, match=r"contains the character U\+0001, which is not allowed in XML"):
                format_trees([tree], name)
        else:
            assert ("\\u0001" if name == "json" else "#U+0001#") in format_trees([tree], name)


def test_export_says_when_it_has_too_few_numbers() -> None:
    part: Constituent | int = 0
    for _ in range(501):
        part = Constituent("X", (part,))
    tree = Tree(Constituent("ROOT", (part,)), (Token("a"),), id="7")
    with pytest.raises(TreebankError, match="sentence 7 has 501 constituents; the export format can number 500"):
        format_trees([tree], "export")
