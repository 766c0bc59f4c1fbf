"""Trees as text, SVG and TikZ, crossing branches included."""

from discoseq.trees.drawing.svg import draw_svg
from discoseq.trees.drawing.text import draw_text
from discoseq.trees.drawing.tikz import draw_tikz

__all__ = ["draw_svg", "draw_text", "draw_tikz"]
