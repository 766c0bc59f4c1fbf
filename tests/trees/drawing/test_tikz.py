import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.trees.drawing import draw_tikz
from discoseq.trees.drawing.characters import visible
from discoseq.trees.tree import Constituent, Token, Tree
from tree_strategies import trees

NODE = re.compile(r"  \\node\[tree (label|word|tag|function), text=tree\w{6}\] at \(\d+,\d+\) \{(.*)\};")
POINT = r"\(\d+,\d+\)"
DRAW = re.compile(rf"  (?:\\draw\[tree\w{{6}}(?:, tree bridge)?\](?: {POINT} -- {POINT})+;\s?)+")
NAMED = {
    "backslash": "\\", "asciitilde": "~", "asciicircum": "^", "less": "<", "greater": ">", "bar": "|",
}  # fmt: skip
TOKEN = re.compile(r"\\text(\w+)\{\}|\\symbol\{(34)\}|\\mbox\{(\})|\\([#$%&_{} ])|(~)|([^\\{}#$%&_^~<>|\"])")
EVERY_ASCII = "".join(map(chr, range(32, 127)))


def typeset(code: str) -> str:
    """What TeX makes of the code, which must consist of nothing but escapes and harmless characters."""
    parts, position = [], 0
    while position < len(code):
        match = TOKEN.match(code, position)
        assert match, code[position:]
        name, quote, nothing, escaped, tie, plain = match.groups()
        parts.append(
            NAMED[name] if name else '"' if quote else "" if nothing else escaped or ("\u00a0" if tie else plain)
        )
        position = match.end()
    return "".join(parts)


def nodes(tikz: str, style: str) -> list[str]:
    return [match[2] for match in NODE.finditer(tikz) if match[1] == style]


@given(trees(words=st.text(st.characters(exclude_categories=()), min_size=1)))
def test_every_word_is_typeset_as_it_is(tree: Tree) -> None:
    expected = [
        re.sub("[\u2400-\u2424\ufffd]", "?", unicodedata.normalize("NFC", visible(word))) for word in tree.words
    ]
    assert [typeset(code) for code in nodes(draw_tikz(tree), "word")] == expected


@given(trees(functions=True))
def test_a_picture_consists_of_lines_and_nodes(tree: Tree) -> None:
    lines = draw_tikz(tree).splitlines()
    assert lines[0].startswith(r"\begin{tikzpicture}[")
    assert lines[-1] == r"\end{tikzpicture}"
    body = lines[next(i for i, line in enumerate(lines) if "bounding box" in line) + 1 : -1]
    assert all(DRAW.fullmatch(line) or NODE.fullmatch(line) for line in body)
    assert sum(line.startswith(r"  \node[tree label") for line in body) == sum(1 for _ in tree.root.walk())


@given(trees())
def test_there_are_bridges_if_and_only_if_the_tree_is_discontinuous(tree: Tree) -> None:
    assert (", tree bridge]" in draw_tikz(tree)) == tree.is_discontinuous


def test_hyphens_and_quotes_are_not_joined() -> None:
    tree = Tree(Constituent("S", (0, 1)), (Token("a--b"), Token("``x''")))
    assert nodes(draw_tikz(tree), "word") == [r"a-\mbox{}-b", r"`\mbox{}`x'\mbox{}'"]


def test_a_standalone_document_holds_the_picture_and_needs_no_package_but_tikz() -> None:
    tree = Tree(Constituent("S", (0, 1)), (Token("a"), Token("b")))
    document = draw_tikz(tree, standalone=True)
    assert draw_tikz(tree) in document
    # geometry and fontenc are part of LaTeX itself; lmodern is taken only where it is
    assert set(re.findall(r"\\usepackage(?:\[.*?\])?\{(\w+)\}", document)) == {"geometry", "fontenc", "lmodern", "tikz"}
    assert document.endswith("\\end{document}\n")


def has_tikz() -> bool:
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return False
    found = subprocess.run(["kpsewhich", "tikz.sty"], capture_output=True, check=False)
    return found.returncode == 0


@pytest.mark.skipif(not has_tikz(), reason="pdflatex with TikZ is not installed")
def test_pdflatex_makes_one_page_of_it(tmp_path: Path) -> None:
    tree = Tree(
        Constituent("", (Constituent("VP_1", (0, 2), "OC"), 1, 3, 4)),
        (Token(EVERY_ASCII, "$("), Token("größer"), Token("„so“", "--"), Token("«10\u00a0000»", "NN"), Token("%\x01")),
    )
    (tmp_path / "tree.tex").write_text(draw_tikz(tree, standalone=True), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    log = result.stdout.decode("utf-8", "replace")
    assert result.returncode == 0, log
    assert "(1 page," in log
    assert "Overfull" not in log
