"""The picture that SVG and TikZ share: lines and texts with their positions, sizes and colours.

Everything drawn belongs to a node: tokens are 0, 1, 2, ..., constituents are -1, -2, ... in the order of
Constituent.walk. A branch belongs to the parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from discoseq.trees.drawing.characters import hundredths, visible
from discoseq.trees.drawing.layout import Drop, Layout, PlacedConstituent, lay_out
from discoseq.trees.tree import Constituent, Token, Tree

INK = "222222"
# for discontinuous constituents, in turn; dark enough to read, and distinguishable for the colour-blind
COLORS = ("0067a8", "c44e00", "007a58", "a8327d", "7d6200", "5e3c99")

MARGIN = 14  # around the picture
TEXT_MARGIN = 8  # on either side of a text
LEVEL_HEIGHT = 42
LABEL_TO_BAR = 14  # from the middle of a label down to the bar
TEXT_TO_LINE = 11  # from the middle of a text up to the end of a line
TAG_TO_WORD = 19
FUNCTION_HEIGHT = 13
BRIDGE = 8  # the width of the white beside a line that crosses a bar


class Style(Enum):
    """The kinds of text, each with its font size and colour; a label has the colour of its constituent."""

    LABEL = (14, INK)
    WORD = (15, INK)
    TAG = (11, "666666")
    FUNCTION = (10, "666666")

    @property
    def size(self) -> int:
        return self.value[0]

    @property
    def color(self) -> str:
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Text:
    node: int
    x: int  # the middle
    y: int  # the baseline
    text: str
    style: Style
    color: str


@dataclass(frozen=True, slots=True)
class Bar:
    node: int
    left: int
    right: int
    y: int
    top: int  # of the short line up to the label, at x; equal to y if there is no label
    x: int
    color: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A vertical line, drawn after all bars; a bridge interrupts the bars that it crosses."""

    node: int
    x: int
    top: int
    bottom: int
    is_bridge: bool
    color: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything to draw, y pointing down; bars before branches before texts."""

    width: int
    height: int
    bars: list[Bar]
    branches: list[Branch]
    texts: list[Text]


def build_picture(tree: Tree) -> Picture:
    """The lines and texts of a tree."""
    nodes = list(tree.root.walk())
    label_widths = [_width((node.label, Style.LABEL), (node.function, Style.FUNCTION)) for node in nodes]
    token_widths = [
        _width((token.word, Style.WORD), (token.tag, Style.TAG), (token.function, Style.FUNCTION))
        for token in tree.tokens
    ]
    return _Painter(tree, nodes, lay_out(tree, token_widths, label_widths, TEXT_MARGIN)).paint()


def _width(*texts: tuple[str | None, Style]) -> int:
    return max(-(-hundredths(visible(text or "")) * style.size // 100) for text, style in texts)


class _Painter:
    """Turns levels into heights and constituents into lines and texts."""

    def __init__(self, tree: Tree, nodes: list[Constituent], layout: Layout) -> None:
        self.tree = tree
        self.layout = layout
        self.is_crossing = any(node.is_discontinuous for node in nodes)
        self.has_tags = any(token.tag for token in tree.tokens)
        has_functions = any(token.function for token in tree.tokens) or any(node.function for node in nodes)
        self.extra = FUNCTION_HEIGHT if has_functions else 0

    def paint(self) -> Picture:
        bars: list[Bar] = []
        branches: list[Branch] = []
        texts: list[Text] = []
        gapped = 0
        for number, placed in enumerate(self.layout.constituents):
            node, color = -1 - number, INK
            if placed.constituent.is_discontinuous:
                color = COLORS[gapped % len(COLORS)]
                gapped += 1
            bar = self._bar(node, placed, color)
            if placed.drops:
                bars.append(bar)
            branches += [self._branch(bar, placed.level, drop) for drop in placed.drops]
            texts += self._label(node, placed, color)
        for node, (x, token) in enumerate(zip(self.layout.token_xs, self.tree.tokens, strict=True)):
            texts += self._token(node, MARGIN + x, token)
        height = self._word_y() + TEXT_TO_LINE + MARGIN
        return Picture(self.layout.width + 2 * MARGIN, height, bars, branches, texts)

    def _middle(self, level: int) -> int:
        """The y of the middle of the texts on a level."""
        top = MARGIN + TEXT_TO_LINE + self.extra
        return top + (self.layout.level_count - level) * (LEVEL_HEIGHT + self.extra)

    def _word_y(self) -> int:
        return self._middle(0 if self.layout.token_xs else 1) + (TAG_TO_WORD if self.has_tags else 0)

    def _bar(self, node: int, placed: PlacedConstituent, color: str) -> Bar:
        middle = self._middle(placed.level)
        y = middle + LABEL_TO_BAR
        top = middle + TEXT_TO_LINE if placed.constituent.label or placed.constituent.function else y
        return Bar(node, MARGIN + placed.left, MARGIN + placed.right, y, top, MARGIN + placed.x, color)

    def _branch(self, bar: Bar, level: int, drop: Drop) -> Branch:
        is_bridge = self.is_crossing and drop.level < level - 1
        return Branch(bar.node, MARGIN + drop.x, bar.y, self._top(drop), is_bridge, bar.color)

    def _top(self, drop: Drop) -> int:
        """Where the line from above ends: at the function, else at the label, tag or word."""
        if isinstance(drop.child, int):
            token = self.tree.tokens[drop.child]
            return self._token_middle(token) - TEXT_TO_LINE - (FUNCTION_HEIGHT if token.function else 0)
        middle, child = self._middle(drop.level), drop.child
        if not child.label and not child.function:
            return middle + LABEL_TO_BAR  # the line continues to the bar of the child
        return middle - TEXT_TO_LINE - (FUNCTION_HEIGHT if child.label and child.function else 0)

    def _token_middle(self, token: Token) -> int:
        return self._middle(0) if token.tag else self._word_y()

    def _label(self, node: int, placed: PlacedConstituent, color: str) -> Iterator[Text]:
        x, middle = MARGIN + placed.x, self._middle(placed.level)
        label, function = placed.constituent.label, placed.constituent.function
        if function:
            yield _text(node, x, middle - FUNCTION_HEIGHT if label else middle, function, Style.FUNCTION)
        if label:
            yield _text(node, x, middle, label, Style.LABEL, color)

    def _token(self, node: int, x: int, token: Token) -> Iterator[Text]:
        if token.function:
            yield _text(node, x, self._token_middle(token) - FUNCTION_HEIGHT, token.function, Style.FUNCTION)
        if token.tag:
            yield _text(node, x, self._token_middle(token), token.tag, Style.TAG)
        yield _text(node, x, self._word_y(), token.word, Style.WORD)


def _text(node: int, x: int, middle: int, text: str, style: Style, color: str | None = None) -> Text:
    # the baseline is about a third of the font size below the middle of the letters
    return Text(node, x, middle + style.size * 7 // 20, visible(text), style, color or style.color)
