"""Trees as TikZ pictures that need no package but TikZ.

Words in other than the Latin script need LuaLaTeX or XeLaTeX and a suitable font. The largest length in TeX is 16383pt,
so it can't typeset pictures of more than about five hundred levels.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from discoseq.trees.drawing.picture import BRIDGE, COLORS, INK, Bar, Branch, Picture, Style, Text, build_picture
from discoseq.trees.tree import Tree

# A word is 15 units high in the picture and one em in the document, for any font size.
_EM_PER_UNIT = 1 / Style.WORD.size
_POINTS_PER_EM = 10  # of the font in the preamble below

_STYLES = {
    Style.LABEL: r"\small\bfseries",
    Style.WORD: r"\normalsize",
    Style.TAG: r"\scriptsize",
    Style.FUNCTION: r"\scriptsize\itshape",
}
_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}",
    "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_", "{": r"\{", "}": r"\}",
    " ": r"\ ", "\u00a0": "~",
}  # fmt: skip
# characters that TeX fonts would join into another one, such as two hyphens into a dash
_LIGATURE = re.compile(r"(?<=[-'`,!?])(?=[-'`,])")
# the symbols for control characters (see `visible`) are not in TeX fonts
_NOT_IN_FONTS = re.compile("[\u2400-\u2424\ufffd]")


def draw_tikz(tree: Tree, *, standalone: bool = False) -> str:
    """The tree as a tikzpicture, or as a document with one page of the size of the picture."""
    picture = build_picture(tree)
    body = "\n".join(_commands(picture)) + "\n"
    return _preamble(picture) + body + "\\end{document}\n" if standalone else body


def _preamble(picture: Picture) -> str:
    scale = _POINTS_PER_EM * _EM_PER_UNIT
    size = f"paperwidth={picture.width * scale + 2:.0f}pt,paperheight={picture.height * scale + 2:.0f}pt"
    return "\n".join(
        [
            r"\documentclass[10pt]{article}",
            rf"\usepackage[{size},margin=0pt]{{geometry}}",
            r"\ifdefined\pdftexversion\usepackage[T1]{fontenc}\fi",
            r"\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}",
            r"\usepackage{tikz}",
            r"\pagestyle{empty}",
            r"\setlength{\parindent}{0pt}",
            r"\setlength{\topskip}{0pt}",
            r"\begin{document}",
            "",
        ]
    )


def _commands(picture: Picture) -> Iterator[str]:
    yield rf"\begin{{tikzpicture}}[x={_EM_PER_UNIT:.4f}em, y=-{_EM_PER_UNIT:.4f}em, line width=0.1em, line cap=rect,"
    white = f"draw=white, line cap=butt, line width={BRIDGE * _EM_PER_UNIT:.2f}em"
    yield rf"    tree bridge/.style={{preaction={{{white}}}}},"
    yield "    every node/.style={anchor=base, inner sep=0pt},"
    yield "    " + ", ".join(rf"{_style(style)}/.style={{font={_STYLES[style]}}}" for style in Style) + "]"
    for color in dict.fromkeys((INK, *COLORS, *(style.color for style in Style))):
        yield rf"  \definecolor{{{_name(color)}}}{{HTML}}{{{color.upper()}}}"
    yield rf"  \path[use as bounding box] (0,0) rectangle ({picture.width},{picture.height});"
    yield from map(_bar, picture.bars)
    yield from map(_branch, picture.branches)
    yield from map(_node, picture.texts)
    yield r"\end{tikzpicture}"


def _bar(bar: Bar) -> str:
    stem = f"({bar.x},{bar.top}) -- ({bar.x},{bar.y}) " if bar.top < bar.y else ""
    return rf"  \draw[{_name(bar.color)}] {stem}({bar.left},{bar.y}) -- ({bar.right},{bar.y});"


def _branch(branch: Branch) -> str:
    x, color = branch.x, _name(branch.color)
    if not branch.is_bridge:
        return rf"  \draw[{color}] ({x},{branch.top}) -- ({x},{branch.bottom});"
    # the white starts a little below the bar of the branch itself, which it must not interrupt
    start = branch.top + BRIDGE
    return (
        rf"  \draw[{color}] ({x},{branch.top}) -- ({x},{start}); "
        rf"\draw[{color}, tree bridge] ({x},{start}) -- ({x},{branch.bottom});"
    )


def _node(text: Text) -> str:
    return rf"  \node[{_style(text.style)}, text={_name(text.color)}] at ({text.x},{text.y}) {{{_escape(text.text)}}};"


def _style(style: Style) -> str:
    return f"tree {style.name.lower()}"  # some of the bare names have a meaning in TikZ


def _name(color: str) -> str:
    return f"tree{color}"


def _escape(text: str) -> str:
    # TeX fonts have accented characters, but no combining accents
    composed = unicodedata.normalize("NFC", text)
    parts = _LIGATURE.split(_NOT_IN_FONTS.sub("?", composed))
    return r"\mbox{}".join("".join(_ESCAPES.get(character, character) for character in part) for part in parts)
