"""The relations between nodes that a query can name, each as the nodes that stand in it to a given node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from discoseq.treebanks.query.node_table import NO_PARENT, NodeTable
from discoseq.trees.covers import gap_degree, interleave

Relation: TypeAlias = Callable[[NodeTable, int], Iterable[int]]

_NTH = re.compile(r"([<>])(-?)([1-9][0-9]*)")


def relation_named(operator: str) -> Relation | None:
    """The relation of an operator; None if there is none."""
    nth = _NTH.fullmatch(operator)
    if nth is None:
        return RELATIONS.get(operator.replace("%", "$"))
    position = -int(nth[3]) if nth[2] else int(nth[3]) - 1
    return nth_child(position) if nth[1] == "<" else parent_of_nth_child(position)


def nth_child(position: int) -> Relation:
    """The child at a position, as Python counts: 0 is the first, -1 the last."""

    def find(table: NodeTable, node: int) -> list[int]:
        children = table.children[node]
        return [children[position]] if -len(children) <= position < len(children) else []

    return find


def parent_of_nth_child(position: int) -> Relation:
    """The parent, if the node is its child at a position."""

    def find(table: NodeTable, node: int) -> list[int]:
        siblings = table.siblings(node)
        is_there = -len(siblings) <= position < len(siblings) and siblings[position] == node
        return [table.parents[node]] if is_there else []

    return find


def children(table: NodeTable, node: int) -> list[int]:
    return table.children[node]


def parent(table: NodeTable, node: int) -> list[int]:
    return [] if table.parents[node] == NO_PARENT else [table.parents[node]]


def only_child(table: NodeTable, node: int) -> list[int]:
    return table.children[node] if len(table.children[node]) == 1 else []


def parent_of_only_child(table: NodeTable, node: int) -> list[int]:
    return [table.parents[node]] if len(table.siblings(node)) == 1 else []


def descendants(table: NodeTable, node: int) -> range:
    return range(node + 1, table.ends[node])


def ancestors(table: NodeTable, node: int) -> list[int]:
    found = []
    above = table.parents[node]
    while above != NO_PARENT:
        found.append(above)
        above = table.parents[above]
    return found


def leftmost_descendants(table: NodeTable, node: int) -> list[int]:
    """The nodes below that have the first token."""
    return [x for x in descendants(table, node) if table.firsts[x] == table.firsts[node]]


def ancestors_of_leftmost(table: NodeTable, node: int) -> list[int]:
    return [x for x in ancestors(table, node) if table.firsts[x] == table.firsts[node]]


def rightmost_descendants(table: NodeTable, node: int) -> list[int]:
    """The nodes below that have the last token, which may be another child's than the last one's."""
    return [x for x in descendants(table, node) if table.lasts[x] == table.lasts[node]]


def ancestors_of_rightmost(table: NodeTable, node: int) -> list[int]:
    return [x for x in ancestors(table, node) if table.lasts[x] == table.lasts[node]]


def unary_descendants(table: NodeTable, node: int) -> list[int]:
    """The nodes below on a path of only children."""
    found = []
    while len(table.children[node]) == 1:
        node = table.children[node][0]
        found.append(node)
    return found


def unary_ancestors(table: NodeTable, node: int) -> list[int]:
    found = []
    while len(table.siblings(node)) == 1:
        node = table.parents[node]
        found.append(node)
    return found


def immediately_after(table: NodeTable, node: int) -> list[int]:
    """The nodes whose first token comes right after the last token of this one."""
    after = table.lasts[node] + 1
    return table.begin_at[after] if 0 < after < len(table.begin_at) else []


def immediately_before(table: NodeTable, node: int) -> list[int]:
    before = table.firsts[node] - 1
    return table.end_at[before] if before >= 0 else []


def after(table: NodeTable, node: int) -> list[int]:
    """The nodes all of whose tokens come after those of this one."""
    last = table.lasts[node]
    return [other for other, first in enumerate(table.firsts) if first > last]


def before(table: NodeTable, node: int) -> list[int]:
    first = table.firsts[node]
    return [other for other, last in enumerate(table.lasts) if last < first]


def sisters(table: NodeTable, node: int) -> list[int]:
    return [other for other in table.siblings(node) if other != node]


def later_sisters(table: NodeTable, node: int) -> list[int]:
    return [other for other in table.siblings(node) if other > node]


def earlier_sisters(table: NodeTable, node: int) -> list[int]:
    return [other for other in table.siblings(node) if other < node]


def next_sister(table: NodeTable, node: int) -> list[int]:
    return later_sisters(table, node)[:1]


def previous_sister(table: NodeTable, node: int) -> list[int]:
    return earlier_sisters(table, node)[-1:]


def in_gap(table: NodeTable, node: int) -> list[int]:
    """The nodes that stand in a gap of this one: it has tokens before and after all of theirs, and none of theirs."""
    item = table.items[node]
    if isinstance(item, int) or not item.is_discontinuous:
        return []
    return [other for other in range(len(table)) if _is_in_gap(table, other, node)]


def with_gap_around(table: NodeTable, node: int) -> list[int]:
    return [other for other in range(len(table)) if _is_in_gap(table, node, other)]


def crossing(table: NodeTable, node: int) -> list[int]:
    """The nodes that interleave with this one: each has tokens in a gap of the other."""
    cover = table.covers[node]
    if not gap_degree(cover):
        return []
    return [other for other, its in enumerate(table.covers) if not cover & its and interleave(cover, its)]


def _is_in_gap(table: NodeTable, inner: int, outer: int) -> bool:
    return (
        table.firsts[outer] < table.firsts[inner]
        and table.lasts[inner] < table.lasts[outer]
        and not table.covers[outer] & table.covers[inner]
    )


# A <operator> B holds if B is among the nodes of the relation for A; nth children are in `relation_named`
RELATIONS: dict[str, Relation] = {
    "<": children,
    ">": parent,
    "<,": nth_child(0),
    ">,": parent_of_nth_child(0),
    "<'": nth_child(-1),
    ">'": parent_of_nth_child(-1),
    "<-": nth_child(-1),
    ">-": parent_of_nth_child(-1),
    "<:": only_child,
    ">:": parent_of_only_child,
    "<<": descendants,
    ">>": ancestors,
    "<<,": leftmost_descendants,
    ">>,": ancestors_of_leftmost,
    "<<'": rightmost_descendants,
    ">>'": ancestors_of_rightmost,
    "<<:": unary_descendants,
    ">>:": unary_ancestors,
    ".": immediately_after,
    ",": immediately_before,
    "..": after,
    ",,": before,
    "$": sisters,
    "$.": next_sister,
    "$,": previous_sister,
    "$..": later_sisters,
    "$,,": earlier_sisters,
    "<^": in_gap,
    ">^": with_gap_around,
    "><": crossing,
}
