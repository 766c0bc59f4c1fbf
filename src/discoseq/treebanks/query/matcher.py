"""Which nodes of a tree a query matches."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from discoseq.treebanks.query.attributes import FLAGS, NUMBERS, TEXTS
from discoseq.treebanks.query.bound_names import has_names
from discoseq.treebanks.query.node_table import NodeTable
from discoseq.treebanks.query.pattern import (
    All,
    Any,
    Anything,
    Compared,
    Comparison,
    Condition,
    Flag,
    Label,
    Link,
    Links,
    Matching,
    Name,
    NodePattern,
    OneOf,
    SameAs,
    SegmentedPattern,
)
from discoseq.treebanks.query.relations import Relation, relation_named

Bindings: TypeAlias = Mapping[str, int]
# Without bindings a pattern holds of a node or not; with them there is a solution for every way to bind its names.
Holds: TypeAlias = Callable[[NodeTable, int], bool]
Solve: TypeAlias = Callable[[NodeTable, int, Bindings], Iterator[Bindings]]

_COMPARE: dict[Comparison, Callable[[int, int], bool]] = {
    Comparison.EQUAL: operator.eq,
    Comparison.UNEQUAL: operator.ne,
    Comparison.LESS: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.MORE: operator.gt,
    Comparison.AT_LEAST: operator.ge,
}


@dataclass(frozen=True, slots=True)
class CompiledPattern:
    """A pattern as functions: which nodes to look at, and the solutions for each of them."""

    candidates: Callable[[NodeTable], Sequence[int]]
    solve: Solve


def compile_pattern(pattern: SegmentedPattern) -> CompiledPattern:
    """Separate the test of the first node's name, which most nodes fail, from the rest."""
    head = pattern.head
    candidates: Callable[[NodeTable], Sequence[int]] = _all_nodes
    if isinstance(head.test, Label | Name | Matching):
        candidates = _named(head.test)
        head = replace(head, test=Anything())
    if not pattern.segments and not has_names(head):
        return CompiledPattern(candidates, _solve_by(_holds(head)))
    segments = [partial(_at, _bound_of(segment), _solve_optional(segment.links)) for segment in pattern.segments]
    return CompiledPattern(candidates, partial(_chain, [_solve(head), *segments]))


def _all_nodes(table: NodeTable) -> Sequence[int]:
    return range(len(table))


def _named(test: Label | Name | Matching) -> Callable[[NodeTable], Sequence[int]]:
    known = _KnownNames(_name_test(test))
    is_label = isinstance(test, Label)

    def candidates(table: NodeTable) -> Sequence[int]:
        names = table.labels if is_label else table.names
        return [node for node, name in enumerate(names) if known[name]]

    return candidates


class _KnownNames(dict[str, bool]):
    """Whether a name passes a test: a treebank has few names, and each is tested once."""

    def __init__(self, accepts: Callable[[str], bool]) -> None:
        super().__init__()
        self._accepts = accepts

    def __missing__(self, name: str) -> bool:
        self[name] = self._accepts(name)
        return self[name]


def _holds(pattern: NodePattern) -> Holds:
    """A pattern that binds nothing."""
    parts = [_holds_test(pattern), *map(_holds_condition, pattern.conditions)]
    if pattern.links is not None:
        parts.append(_holds_links(pattern.links))
    return _every([part for part in parts if part is not _always] or [_always])


def _holds_test(pattern: NodePattern) -> Holds:
    test = pattern.test
    if isinstance(test, OneOf):
        return _some([_holds(alternative) for alternative in test.patterns])
    if isinstance(test, Anything):
        return _always
    assert not isinstance(test, SameAs), "a pattern with a bound node is solved"
    known = _KnownNames(_name_test(test))
    if isinstance(test, Label):
        return lambda table, node: known[table.labels[node]]
    return lambda table, node: known[table.names[node]]


def _name_test(test: Label | Name | Matching) -> Callable[[str], bool]:
    if isinstance(test, Matching):
        return lambda name: test.expression.search(name) is not None
    if test.ignores_case:
        return lambda name: name.casefold() == test.text.casefold()
    return lambda name: name == test.text


def _holds_condition(condition: Condition) -> Holds:
    if isinstance(condition, Flag):
        flag = FLAGS[condition.attribute]
        return flag if condition.is_wanted else lambda table, node: not flag(table, node)
    return _holds_number(condition) if condition.attribute in NUMBERS else _holds_text(condition)


def _holds_number(condition: Compared) -> Holds:
    number, compare, value = NUMBERS[condition.attribute], _COMPARE[condition.comparison], condition.value
    assert isinstance(value, int), "the parser has checked it"
    return lambda table, node: compare(number(table, node), value)


def _holds_text(condition: Compared) -> Holds:
    text, value = TEXTS[condition.attribute], condition.value
    is_equal_wanted = condition.comparison is Comparison.EQUAL

    def holds(table: NodeTable, node: int) -> bool:
        found = text(table, node)
        if isinstance(value, re.Pattern):
            is_equal = found is not None and value.search(found) is not None
        else:
            is_equal = found == value
        return is_equal is is_equal_wanted

    return holds


def _holds_links(links: Links) -> Holds:
    if isinstance(links, All):
        return _every([_holds_links(part) for part in links.parts])
    if isinstance(links, Any):
        return _some([_holds_links(part) for part in links.parts])
    if isinstance(links, Link):
        relation, target = relation_named(links.operator), _holds(links.target)
        assert relation is not None, "the parser has checked it"
        return partial(_has_related, relation, target)
    negated = _holds_links(links.links)
    return lambda table, node: not negated(table, node)


def _has_related(relation: Relation, target: Holds, table: NodeTable, node: int) -> bool:
    for other in relation(table, node):  # noqa: SIM110 - a generator would take twice the time
        if target(table, other):
            return True
    return False


def _solve(pattern: NodePattern) -> Solve:
    """A pattern that may bind nodes, or mention a bound one."""
    if not has_names(pattern):
        return _solve_by(_holds(pattern))
    steps = [_solve_test(pattern)]
    steps += [_solve_by(_holds_condition(condition)) for condition in pattern.conditions]
    if pattern.bound is not None:
        steps.append(partial(_bind, pattern.bound))
    steps.append(_solve_optional(pattern.links))
    return partial(_chain, steps)


def _solve_test(pattern: NodePattern) -> Solve:
    test = pattern.test
    if isinstance(test, SameAs):
        return lambda table, node, bindings: iter([bindings] if bindings[test.bound] == node else [])
    if isinstance(test, OneOf):
        return partial(_alternatives, [_solve(alternative) for alternative in test.patterns])
    return _solve_by(_holds_test(pattern))


def _solve_optional(links: Links | None) -> Solve:
    return _solve_by(_always) if links is None else _solve_links(links)


def _solve_links(links: Links) -> Solve:
    if isinstance(links, All):
        return partial(_chain, [_solve_links(part) for part in links.parts])
    if isinstance(links, Any):
        return partial(_alternatives, [_solve_links(part) for part in links.parts])
    if isinstance(links, Link):
        relation, target = relation_named(links.operator), _solve(links.target)
        assert relation is not None, "the parser has checked it"
        return lambda table, node, bindings: (
            found for other in relation(table, node) for found in target(table, other, bindings)
        )
    negated = _solve_links(links.links)
    return lambda table, node, bindings: iter([bindings] if next(negated(table, node, bindings), None) is None else [])


def _chain(steps: list[Solve], table: NodeTable, node: int, bindings: Bindings) -> Iterator[Bindings]:
    """The solutions of all steps together, each with the bindings of those before it."""
    if not steps:
        yield bindings
        return
    for found in steps[0](table, node, bindings):
        yield from _chain(steps[1:], table, node, found)


def _alternatives(choices: list[Solve], table: NodeTable, node: int, bindings: Bindings) -> Iterator[Bindings]:
    for choice in choices:
        yield from choice(table, node, bindings)


def _bind(name: str, table: NodeTable, node: int, bindings: Bindings) -> Iterator[Bindings]:
    yield {**bindings, name: node}


def _at(name: str, links: Solve, table: NodeTable, node: int, bindings: Bindings) -> Iterator[Bindings]:
    """Solve the links of a bound node in place of those of the node at hand."""
    return links(table, bindings[name], bindings)


def _solve_by(holds: Holds) -> Solve:
    return lambda table, node, bindings: iter([bindings] if holds(table, node) else [])


def _every(parts: list[Holds]) -> Holds:
    return parts[0] if len(parts) == 1 else lambda table, node: all(part(table, node) for part in parts)


def _some(parts: list[Holds]) -> Holds:
    return parts[0] if len(parts) == 1 else lambda table, node: any(part(table, node) for part in parts)


def _always(table: NodeTable, node: int) -> bool:
    return True


def _bound_of(segment: NodePattern) -> str:
    assert isinstance(segment.test, SameAs), "a segment begins with a bound node"
    return segment.test.bound
