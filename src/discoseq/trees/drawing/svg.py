"""Trees as self-contained SVG files: no style sheet, no font, no script.

What belongs to a constituent has its number, in the order of Constituent.walk, in the attribute data-constituent; the
texts of a token have its index in data-word. Pages that display trees can thus find what to highlight.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

from discoseq.trees.drawing.characters import visible
from discoseq.trees.drawing.picture import BRIDGE, INK, Bar, Branch, Picture, Style, Text, build_picture
from discoseq.trees.tree import Tree

_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_STYLES = {
    Style.LABEL: ' font-weight="600"',
    Style.WORD: "",
    Style.TAG: "",
    Style.FUNCTION: ' font-style="italic"',
}


def draw_svg(tree: Tree) -> str:
    """The tree as an SVG file; a discontinuous constituent has its own colour, and bridges lead over its bar."""
    picture = build_picture(tree)
    return "\n".join(_elements(picture, escape(visible(" ".join(tree.words))))) + "\n"


def _elements(picture: Picture, title: str) -> Iterator[str]:
    width, height = picture.width, picture.height
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{_FONT}" text-anchor="middle">'
    )
    yield f"<title>{title}</title>"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    yield f'<g fill="none" stroke="#{INK}" stroke-width="1.5" stroke-linecap="square">'
    yield from map(_bar, picture.bars)
    bridges = "".join(_bridge(branch) for branch in picture.branches if branch.is_bridge)
    if bridges:
        yield f'<path stroke="#ffffff" stroke-width="{BRIDGE}" stroke-linecap="butt" d="{bridges}"/>'
    for (node, color), branches in groupby(picture.branches, key=lambda branch: (branch.node, branch.color)):
        yield f'<path {_owner(node)}{_unless(INK, "stroke", color)} d="{"".join(map(_branch, branches))}"/>'
    yield "</g>"
    for style in Style:
        yield f'<g fill="#{style.color}" font-size="{style.size}"{_STYLES[style]} xml:space="preserve">'
        yield from (_text(text) for text in picture.texts if text.style is style)
        yield "</g>"
    yield "</svg>"


def _bar(bar: Bar) -> str:
    stem = f"M{bar.x},{bar.top}V{bar.y}" if bar.top < bar.y else ""
    return f'<path {_owner(bar.node)}{_unless(INK, "stroke", bar.color)} d="{stem}M{bar.left},{bar.y}H{bar.right}"/>'


def _branch(branch: Branch) -> str:
    return f"M{branch.x},{branch.top}V{branch.bottom}"


def _bridge(branch: Branch) -> str:
    # it starts a little below the bar of the branch itself, which it must not interrupt
    return f"M{branch.x},{branch.top + BRIDGE}V{branch.bottom}"


def _text(text: Text) -> str:
    color = _unless(text.style.color, "fill", text.color)
    return f'<text {_owner(text.node)} x="{text.x}" y="{text.y}"{color}>{escape(text.text)}</text>'


def _owner(node: int) -> str:
    return f'data-word="{node}"' if node >= 0 else f'data-constituent="{-1 - node}"'


def _unless(usual: str, attribute: str, color: str) -> str:
    """The attribute, or nothing for the colour of the group."""
    return "" if color == usual else f' {attribute}="#{color}"'
