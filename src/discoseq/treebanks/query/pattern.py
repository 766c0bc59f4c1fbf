"""What a query is made of: patterns of nodes, conditions on them, and links from one node to another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

SHOWN = "'"  # the name under which a node marked with ' is bound: it is the hit, in place of the first node


@dataclass(frozen=True, slots=True)
class Anything:
    """`*`: every node."""


@dataclass(frozen=True, slots=True)
class Label:
    """`NP`: the label, tag or word is this, whatever its function."""

    text: str
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """`"NP-SBJ"`: the name is this, function included."""

    text: str
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Matching:
    """`/^NP/`: the expression is found in the name, function included."""

    expression: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class SameAs:
    """`=n`: the node that was bound to this name."""

    bound: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """`NP|VP`, or a pattern in brackets: the node matches one of the patterns."""

    patterns: tuple[NodePattern, ...]


Test: TypeAlias = Anything | Label | Name | Matching | SameAs | OneOf


class Comparison(StrEnum):
    """How an attribute is compared with a value."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True)
class Compared:
    """`gap-degree>1`, `lemma=/^gehen/`: a comparison of an attribute, in braces after a node."""

    attribute: str
    comparison: Comparison
    value: int | str | re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Flag:
    """`discontinuous`, `!word`: a property in braces after a node, or the absence of it."""

    attribute: str
    is_wanted: bool = True


Condition: TypeAlias = Compared | Flag


@dataclass(frozen=True, slots=True)
class Link:
    """`< NP`: there is a node in this relation that matches the pattern."""

    operator: str
    target: NodePattern


@dataclass(frozen=True, slots=True)
class Not:
    """`!< NP`, `![...]`: the links do not hold."""

    links: Links


@dataclass(frozen=True, slots=True)
class All:
    """`< NP < VP`, `< NP & < VP`: all of the links hold."""

    parts: tuple[Links, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """`< NP | < VP`: at least one of the links holds."""

    parts: tuple[Links, ...]


Links: TypeAlias = Link | Not | All | Any


@dataclass(frozen=True, slots=True)
class NodePattern:
    """A node: what it is called, conditions on it, the name it is bound to, and its links to other nodes."""

    test: Test
    conditions: tuple[Condition, ...] = ()
    bound: str | None = None
    links: Links | None = None


@dataclass(frozen=True, slots=True)
class SegmentedPattern:
    """`S < NP=n : =n < DT`: a pattern, and further links of nodes that are bound in it."""

    head: NodePattern
    segments: tuple[NodePattern, ...] = ()
