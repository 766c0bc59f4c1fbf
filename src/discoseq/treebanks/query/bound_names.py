"""The names that a pattern binds nodes to (`NP=n`): a name has to be bound, for certain and once, before it is used."""

from __future__ import annotations

from discoseq.errors import QueryError
from discoseq.treebanks.query.pattern import (
    SHOWN,
    All,
    Any,
    Link,
    Links,
    NodePattern,
    OneOf,
    SameAs,
    SegmentedPattern,
)


def check_names(pattern: SegmentedPattern) -> None:
    """Raise a QueryError if a name is used where no node, or more than one, is bound to it."""
    bound = _after_node(pattern.head, frozenset())
    for segment in pattern.segments:
        bound = _after_node(segment, bound)


def has_names(pattern: NodePattern) -> bool:
    """Whether the pattern, or one inside it, binds a node or mentions a bound one."""
    if pattern.bound is not None or isinstance(pattern.test, SameAs):
        return True
    inside = pattern.test.patterns if isinstance(pattern.test, OneOf) else ()
    return any(map(has_names, inside)) or (pattern.links is not None and _links_have_names(pattern.links))


def _links_have_names(links: Links) -> bool:
    if isinstance(links, Link):
        return has_names(links.target)
    if isinstance(links, All | Any):
        return any(map(_links_have_names, links.parts))
    return _links_have_names(links.links)


def _after_node(pattern: NodePattern, bound: frozenset[str]) -> frozenset[str]:
    """The names that are bound after a pattern, of those bound before it and its own."""
    if isinstance(pattern.test, SameAs) and pattern.test.bound not in bound:
        raise QueryError(f"={pattern.test.bound} is used in the query where no node is bound to it for certain")
    if isinstance(pattern.test, OneOf):
        bound = frozenset.intersection(*(_after_node(part, bound) for part in pattern.test.patterns))
    if pattern.bound in bound:
        raise QueryError(
            "two nodes are marked with ' in the query" if pattern.bound == SHOWN else f"={pattern.bound} is bound twice"
        )
    if pattern.bound is not None:
        bound |= {pattern.bound}
    return bound if pattern.links is None else _after_links(pattern.links, bound)


def _after_links(links: Links, bound: frozenset[str]) -> frozenset[str]:
    if isinstance(links, Link):
        return _after_node(links.target, bound)
    if isinstance(links, All):
        for part in links.parts:
            bound = _after_links(part, bound)
        return bound
    if isinstance(links, Any):
        return frozenset.intersection(*(_after_links(part, bound) for part in links.parts))
    if SHOWN in _after_links(links.links, bound) - bound:
        raise QueryError("the node marked with ' is inside of a negation, so there is none to show")
    return bound
