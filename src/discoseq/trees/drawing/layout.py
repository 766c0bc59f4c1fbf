"""The layout of a drawing: a column for every token, a position and a level for every constituent.

A label is put over a block of its own tokens, where only the constituent, its ancestors and its descendants are drawn.
So no label overlaps another label or a line, however the branches cross; it remains to find a level on which there is
free space for the horizontal bar.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import TypeAlias

from discoseq.trees.covers import block_at
from discoseq.trees.tree import Child, Constituent, Tree

Block: TypeAlias = tuple[int, int]  # adjacent tokens: the first, and the one after the last


@dataclass(frozen=True, slots=True)
class Drop:
    """The vertical line from a constituent's bar down to a child; tokens are on level 0."""

    child: Child
    x: int
    level: int


@dataclass(frozen=True, slots=True)
class PlacedConstituent:
    """A label centred on x, and below it on the same level the bar from which the children hang."""

    constituent: Constituent
    level: int
    x: int
    left: int  # of the bar, which includes all children and x
    right: int
    drops: tuple[Drop, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Whole numbers in the unit of the caller, from 0 at the left; a text of width w at x begins at x - w // 2."""

    width: int
    token_xs: tuple[int, ...]
    constituents: tuple[PlacedConstituent, ...]  # in the order of Constituent.walk
    level_count: int


def lay_out(tree: Tree, token_widths: Sequence[int], label_widths: Sequence[int], margin: int) -> Layout:
    """Place tokens and constituents (their widths in the order of Constituent.walk), a margin on either side."""
    nodes = list(tree.root.walk())
    if not tree.tokens:
        x = label_widths[0] // 2
        return Layout(label_widths[0], (), (PlacedConstituent(tree.root, 1, x, x, x, ()),), 1)
    # Below, nodes are numbered as in SecondaryEdge: tokens from 0 up, constituents from -1 down. So one list has an
    # entry for each of them, tokens from the front and constituents from the back.
    numbers = {id(node): -1 - i for i, node in enumerate(nodes)}
    children = [[child if isinstance(child, int) else numbers[id(child)] for child in node.children] for node in nodes]
    columns = [width + 2 * margin for width in token_widths]
    blocks = _choose_blocks(nodes, children, _edges(columns, margin), label_widths, margin)
    _widen(columns, blocks, label_widths, margin)
    edges = _edges(columns, margin)
    xs = _middles(edges) + [0] * len(nodes)
    for i in range(len(nodes) - 1, -1, -1):
        xs[-1 - i] = _label_x([xs[c] for c in children[i]], blocks[i], edges, label_widths[i], margin)
    bars = [_bar(xs[-1 - i], [xs[c] for c in below]) for i, below in enumerate(children)]
    levels = _levels(children, xs, bars, label_widths)
    placed = [
        PlacedConstituent(
            node,
            levels[-1 - i],
            xs[-1 - i],
            *bars[i],
            tuple(Drop(child, xs[c], levels[c]) for child, c in zip(node.children, children[i], strict=True)),
        )
        for i, node in enumerate(nodes)
    ]
    return Layout(edges[-1] - margin, tuple(xs[: len(columns)]), tuple(placed), max(levels))


def _edges(columns: list[int], margin: int) -> list[int]:
    """The left edge of every token's column, and the right edge of the last; the outer margins are outside."""
    return list(accumulate(columns, initial=-margin))


def _middles(edges: list[int]) -> list[int]:
    return [(left + right) // 2 for left, right in pairwise(edges)]


def _choose_blocks(
    nodes: list[Constituent], children: list[list[int]], edges: list[int], label_widths: Sequence[int], margin: int
) -> list[Block]:
    """For every label a block of its constituent that is below a child, has room, and is near the middle."""
    xs = _middles(edges) + [0] * len(nodes)  # preliminary, until the columns have been widened
    starts = [*range(len(edges) - 1), *[0] * len(nodes)]  # the first token of the block chosen
    chosen: list[Block] = []
    for i in range(len(nodes) - 1, -1, -1):
        width, below = label_widths[i], [xs[c] for c in children[i]]
        badness = partial(_badness, edges, width + 2 * margin, (min(below) + max(below)) // 2)
        block = min({block_at(nodes[i].cover, starts[c]) for c in children[i]}, key=badness)
        chosen.append(block)
        starts[-1 - i] = block[0]
        xs[-1 - i] = _label_x(below, block, edges, width, margin)
    return chosen[::-1]


def _badness(edges: list[int], needed: int, middle: int, block: Block) -> tuple[int, int, int]:
    """The missing room, then the distance from the middle; of equal blocks, the first is best."""
    left, right = edges[block[0]], edges[block[1]]
    return max(0, needed - (right - left)), max(left - middle, middle - right, 0), block[0]


def _widen(columns: list[int], blocks: list[Block], label_widths: Sequence[int], margin: int) -> None:
    """Widen the columns of every block, in equal shares, until its labels fit."""
    needed: dict[Block, int] = {}
    for block, width in zip(blocks, label_widths, strict=True):
        needed[block] = max(needed.get(block, 0), width + 2 * margin)
    # small blocks first, because this also widens the larger ones around them
    for start, end in sorted(needed, key=lambda block: (block[1] - block[0], block)):
        lacking = needed[start, end] - sum(columns[start:end])
        if lacking > 0:
            share, rest = divmod(lacking, end - start)
            for i in range(start, end):
                columns[i] += share + (i - start < rest)


def _label_x(below: list[int], block: Block, edges: list[int], width: int, margin: int) -> int:
    """Above a child near the middle of all children; between two if no child is near and there is no gap."""
    start, end = edges[block[0]], edges[block[1]]
    left, right = min(below), max(below)
    middle = (left + right) // 2
    nearest = min((x for x in below if start <= x <= end), key=lambda x: abs(x - middle))
    is_near = 8 * abs(nearest - middle) <= right - left
    has_gap = left < start or end < right
    lowest = start + margin + width // 2
    highest = end - margin - (width - width // 2)
    if lowest > highest:  # only until the columns have been widened
        return (start + end) // 2
    return min(max(nearest if is_near or has_gap else middle, lowest), highest)


def _bar(x: int, below: list[int]) -> tuple[int, int]:
    return min(x, *below), max(x, *below)


def _levels(
    children: list[list[int]], xs: list[int], bars: list[tuple[int, int]], label_widths: Sequence[int]
) -> list[int]:
    """The lowest level above all children with free space for the bar and the label; short bars are placed first."""
    heights = [0] * len(xs)
    for i in range(len(children) - 1, -1, -1):
        heights[-1 - i] = 1 + max(heights[c] for c in children[i])
    levels = [0] * len(xs)
    taken: list[list[tuple[int, int]]] = [[]]  # by level, the occupied intervals from left to right
    for i in sorted(range(len(children)), key=lambda i: (heights[-1 - i], bars[i][1] - bars[i][0], i)):
        start = xs[-1 - i] - label_widths[i] // 2
        left, right = min(bars[i][0], start), max(bars[i][1], start + label_widths[i] - 1)
        level = 1 + max(levels[c] for c in children[i])
        while level < len(taken) and not _is_free(taken[level], left, right):
            level += 1
        if level == len(taken):
            taken.append([])
        insort(taken[level], (left, right))
        levels[-1 - i] = level
    return levels


def _is_free(taken: list[tuple[int, int]], left: int, right: int) -> bool:
    before = bisect_right(taken, right, key=lambda interval: interval[0])
    return before == 0 or taken[before - 1][1] < left
