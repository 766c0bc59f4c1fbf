"""Trees as plain text: a drawing with line characters, or an outline if the drawing would be too large."""

from __future__ import annotations

from collections.abc import Iterator

from discoseq.trees.drawing.characters import cell_width, visible
from discoseq.trees.drawing.layout import Drop, Layout, PlacedConstituent, lay_out
from discoseq.trees.tree import Child, Constituent, Token, Tree

MARGIN = 1  # on either side of a text
MAX_CELLS = 2_000_000  # rows times columns; larger drawings (some thousand words) are replaced by an outline
MAX_INDENT = 40  # levels; deeper levels are given as a number, to keep the size of the outline linear

# the character of a cell with lines going up, down, left and right
_UNICODE = {
    "d": "│", "ud": "│", "lr": "─", "dr": "┌", "dl": "┐", "ur": "└", "ul": "┘",
    "dlr": "┬", "ulr": "┴", "udr": "├", "udl": "┤", "udlr": "┼",
}  # fmt: skip
_ASCII = {key: {"─": "-", "│": "|"}.get(line, "+") for key, line in _UNICODE.items()}


def draw_text(tree: Tree, *, ascii: bool = False, width: int | None = None) -> str:
    """The tree drawn with line characters, the words along the bottom; a branch that crosses a bar interrupts it.

    Functions are joined to labels and tags (NP-SB). A drawing wider than `width`, or too large altogether,
    is replaced by an outline: a line for each node, indented, and tokens as 3=word.
    """
    labels = [_head(node) for node in tree.root.walk()]
    token_widths = [max(cell_width(visible(token.word)), cell_width(_token_head(token))) for token in tree.tokens]
    layout = lay_out(tree, token_widths, [cell_width(label) for label in labels], MARGIN)
    canvas = _Canvas(tree, layout, labels, _ASCII if ascii else _UNICODE)
    if layout.width * canvas.row_count > MAX_CELLS or (width is not None and layout.width > width):
        return "".join(line + "\n" for line in _outline(tree))
    return canvas.draw()


class _Canvas:
    """Rows of cells: for every level one of labels and one of bars, then tags, lines, and words."""

    def __init__(self, tree: Tree, layout: Layout, labels: list[str], lines: dict[str, str]) -> None:
        self.tree = tree
        self.layout = layout
        self.labels = labels
        self.lines = lines
        self.tag_row = 2 * layout.level_count
        self.word_row = self.tag_row + (2 if any(map(_token_head, tree.tokens)) else 0)
        self.row_count = self.word_row + 1
        self.rows: list[list[str]] = []

    def draw(self) -> str:
        self.rows = [[" "] * self.layout.width for _ in range(self.row_count)]
        for placed in self.layout.constituents:
            self._draw_bar(placed)
        for placed in self.layout.constituents:
            for drop in placed.drops:
                for row in range(self._bar_row(placed.level) + 1, self._end_row(drop)):
                    self.rows[row][drop.x] = self.lines["ud"]
        for placed, label in zip(self.layout.constituents, self.labels, strict=True):
            self._write(self._bar_row(placed.level) - 1, placed.x, label)
        for x, token in zip(self.layout.token_xs, self.tree.tokens, strict=True):
            head = _token_head(token)
            if head:
                self._write(self.tag_row, x, head)
                self.rows[self.tag_row + 1][x] = self.lines["ud"]
            self._write(self.word_row, x, visible(token.word))
        text = "\n".join("".join(row).rstrip(" ") for row in self.rows)
        return text.strip("\n") + "\n"  # a root without a label leaves its row empty

    def _bar_row(self, level: int) -> int:
        return 2 * (self.layout.level_count - level) + 1

    def _end_row(self, drop: Drop) -> int:
        if isinstance(drop.child, int):
            return self.tag_row if _token_head(self.tree.tokens[drop.child]) else self.word_row
        # the line continues through the row of an empty label
        return self._bar_row(drop.level) - bool(_head(drop.child))

    def _draw_bar(self, placed: PlacedConstituent) -> None:
        row = self.rows[self._bar_row(placed.level)]
        downs = {drop.x for drop in placed.drops}
        has_line_above = placed.constituent is not self.tree.root or bool(_head(placed.constituent))
        for x in range(placed.left, placed.right + 1) if placed.drops else ():
            directions = "u" * (x == placed.x and has_line_above) + "d" * (x in downs)
            directions += "l" * (x > placed.left) + "r" * (x < placed.right)
            row[x] = self.lines[directions]

    def _write(self, row: int, x: int, text: str) -> None:
        """Put the text into its first cell and empty the others, so that wide characters keep the columns aligned."""
        columns = cell_width(text)
        if columns:
            start = x - columns // 2
            self.rows[row][start : start + columns] = [text, *[""] * (columns - 1)]


def _outline(tree: Tree) -> Iterator[str]:
    agenda: list[tuple[Child, int]] = [(tree.root, 0)]
    while agenda:
        node, depth = agenda.pop()
        indent = "  " * depth if depth <= MAX_INDENT else "  " * MAX_INDENT + f"[{depth}] "
        if isinstance(node, int):
            token = tree.tokens[node]
            yield indent + f"{_token_head(token)} {node}={visible(token.word)}".lstrip(" ")
        else:
            yield indent + (_head(node) or "()")
            agenda.extend((child, depth + 1) for child in reversed(node.children))


def _head(constituent: Constituent) -> str:
    return _with_function(constituent.label, constituent.function)


def _token_head(token: Token) -> str:
    return _with_function(token.tag or "", token.function)


def _with_function(label: str, function: str | None) -> str:
    if not function:
        return visible(label)
    return visible(label + function if function.startswith("=") else f"{label}-{function}")
