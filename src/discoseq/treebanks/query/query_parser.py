"""From the text of a query to patterns, in the syntax of TGrep2 as NLTK reads it, with conditions in braces added.

query       = { "@" name pattern ";" } pattern { ";" pattern }
pattern     = node [links] { ":" "=" name [links] }
node        = ["'"] simple { "|" simple }
simple      = ("*" | label | "quoted" | /regex/ | "=" name | "@" macro | "(" node [links] ")") [conditions] ["=" name]
conditions  = "{" condition { "," condition } "}"
links       = conjunction { "|" conjunction }
conjunction = link { ["&"] link }
link        = ["!"] operator node | ["!"] "[" links "]"
"""

from __future__ import annotations

import re
from dataclasses import replace

from discoseq.treebanks.query.attributes import FLAGS, NUMBERS, TEXTS
from discoseq.treebanks.query.pattern import (
    SHOWN,
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
    Not,
    OneOf,
    SameAs,
    SegmentedPattern,
    Test,
)
from discoseq.treebanks.query.query_scanner import QueryScanner
from discoseq.treebanks.query.relations import relation_named

_OPERATOR = re.compile(r"[$%,.<>][%,.<>0-9\-':^]*")
_QUOTED = re.compile(r'(i@)?"((?:[^"\\]|\\.)*)"')
_REGEX = re.compile(r"(i@)?/((?:[^/\\]|\\.)*)/")
_LABEL = re.compile(r"(i@)?([^\]\[ \r\t\n;:.,&|<>()$!@%'^={}\"/][^\]\[ \r\t\n;:.,&|<>()$!@%'^={}]*)")
_DEFINITION = re.compile(r"@\s+")  # what tells `@ NP /^NP/` from `@NP`
_NAME = re.compile(r"[A-Za-z0-9_]+")
_MACRO_NAME = re.compile(r"[^\];:.,&|<>()\[$!@%'^={}\s]+")
_ATTRIBUTE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_COMPARISON = re.compile(r"!=|<=|>=|=|<|>")
_VALUE = re.compile(r"[^,{}\s]+")
_LINK_STARTS = frozenset("!<>$%.,[")
_MOST_NESTED = 100


def parse_query(text: str) -> tuple[SegmentedPattern, ...]:
    """The patterns of a query, of which a hit matches at least one; raises a QueryError with the place."""
    return _QueryParser(text).parse()


class _QueryParser:
    """The grammar, one method a rule."""

    def __init__(self, text: str) -> None:
        self.scanner = QueryScanner(text)
        self.depth = 0
        self.macros: dict[str, NodePattern] = {}

    def parse(self) -> tuple[SegmentedPattern, ...]:
        patterns: list[SegmentedPattern] = []
        while not self.scanner.is_at_end() or not patterns:
            if self.scanner.match(_DEFINITION):
                self._macro_definition()
            else:
                patterns.append(self._segmented())
            if not self.scanner.is_at_end() and not self.scanner.takes(";"):
                self.scanner.fail("this is not expected here")
            while self.scanner.takes(";"):
                pass
        return tuple(patterns)

    def _macro_definition(self) -> None:
        name = self.scanner.match(_MACRO_NAME)
        if name is None:
            self.scanner.fail("a macro needs a name")
        self.macros[name[0]] = self._node()

    def _segmented(self) -> SegmentedPattern:
        head = self._node()
        segments = []
        while self.scanner.takes(":"):
            if not self.scanner.takes("="):
                self.scanner.fail("a node bound before, as in =n, has to follow the colon")
            segments.append(NodePattern(SameAs(self._name()), links=self._optional_links()))
        return SegmentedPattern(head, tuple(segments))

    def _node(self) -> NodePattern:
        """A node with its links; those inside of links have theirs in brackets."""
        return replace(self._unlinked_node(), links=self._optional_links())

    def _unlinked_node(self) -> NodePattern:
        is_shown = self.scanner.takes(SHOWN)
        alternatives = [self._simple()]
        while self.scanner.peek() == "|" and self._is_node_after_bar():
            self.scanner.takes("|")
            alternatives.append(self._simple())
        one = alternatives[0] if len(alternatives) == 1 else NodePattern(OneOf(tuple(alternatives)))
        return NodePattern(OneOf((one,)), bound=SHOWN) if is_shown else one

    def _is_node_after_bar(self) -> bool:
        """Whether the bar joins nodes (`NP|VP`), not links (`< NP | < VP`)."""
        start = self.scanner.place
        self.scanner.takes("|")
        following = self.scanner.peek()
        self.scanner.place = start
        return following not in _LINK_STARTS

    def _simple(self) -> NodePattern:
        test = self._test()
        conditions = self._conditions() if self.scanner.at("{") else ()
        bound = self._name() if self.scanner.takes_directly("=") else None
        return NodePattern(test, conditions, bound)

    def _test(self) -> Test:
        following = self.scanner.peek()
        if following == "(":
            return OneOf((self._bracketed_node(),))
        if self.scanner.takes("="):
            return SameAs(self._name())
        if self.scanner.takes("@"):
            return OneOf((self._macro(),))
        if following == "{":
            return Anything()
        if quoted := self.scanner.match(_QUOTED):
            return Name(_unescaped(quoted[2]), ignores_case=bool(quoted[1]))
        if expression := self.scanner.match(_REGEX):
            return Matching(self._compiled(expression))
        if label := self.scanner.match(_LABEL):
            is_anything = label[0] in ("*", "__")
            return Anything() if is_anything else Label(label[2], ignores_case=bool(label[1]))
        return self.scanner.fail("a node is missing here: a label, a word, a /regular expression/ or *")

    def _bracketed_node(self) -> NodePattern:
        self._descend("(")
        node = self._node()
        self._ascend(")")
        return node

    def _macro(self) -> NodePattern:
        start = self.scanner.place
        name = self.scanner.match(_MACRO_NAME)
        if name is None or name[0] not in self.macros:
            self.scanner.place = start
            self.scanner.fail("there is no such macro; define it before, as in `@ NP /^NP/;`")
        return self.macros[name[0]]

    def _optional_links(self) -> Links | None:
        return self._links() if self.scanner.peek() in _LINK_STARTS else None

    def _links(self) -> Links:
        parts = [self._conjunction()]
        while self.scanner.takes("|"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _conjunction(self) -> Links:
        parts = [self._link()]
        while self.scanner.takes("&") or self.scanner.peek() in _LINK_STARTS:
            parts.append(self._link())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _link(self) -> Links:
        if self.scanner.takes("!"):
            return Not(self._link())
        if self.scanner.peek() == "[":
            self._descend("[")
            links = self._links()
            self._ascend("]")
            return links
        start = self.scanner.place
        operator = self.scanner.match(_OPERATOR)
        if operator is None:
            self.scanner.fail("a relation is missing here, such as < or $")
        if relation_named(operator[0]) is None:
            self.scanner.place = start
            self.scanner.fail(f"there is no relation {operator[0]}")
        return Link(operator[0], self._unlinked_node())

    def _conditions(self) -> tuple[Condition, ...]:
        self.scanner.takes("{")
        conditions = [self._condition()]
        while self.scanner.takes(","):
            conditions.append(self._condition())
        if not self.scanner.takes("}"):
            self.scanner.fail("a condition ends with a comma or a closing brace")
        return tuple(conditions)

    def _condition(self) -> Condition:
        is_wanted = not self.scanner.takes("!")
        self.scanner.peek()
        start = self.scanner.place
        name = self.scanner.match(_ATTRIBUTE)
        if name is None or name[0] not in {*FLAGS, *TEXTS, *NUMBERS}:
            self.scanner.place = start
            self.scanner.fail(f"no such condition; there are {', '.join(dict.fromkeys([*FLAGS, *NUMBERS, *TEXTS]))}")
        self.scanner.peek()
        comparison = self.scanner.match(_COMPARISON) if is_wanted else None
        if comparison is not None:
            return Compared(name[0], Comparison(comparison[0]), self._value(name[0], Comparison(comparison[0])))
        if name[0] in NUMBERS:
            self.scanner.fail(f"{name[0]} has to be compared with a number, as in {name[0]}>1")
        return Flag(name[0], is_wanted)

    def _value(self, attribute: str, comparison: Comparison) -> int | str | re.Pattern[str]:
        self.scanner.peek()
        start = self.scanner.place
        is_equality = comparison in (Comparison.EQUAL, Comparison.UNEQUAL)
        if attribute in TEXTS and not is_equality:
            self.scanner.fail(f"{attribute} can be compared with = and != only")
        if attribute in TEXTS and (expression := self.scanner.match(_REGEX)):
            return self._compiled(expression)
        if attribute in TEXTS and (quoted := self.scanner.match(_QUOTED)):
            return _unescaped(quoted[2])
        value = self.scanner.match(_VALUE)
        if attribute in TEXTS and value is not None:
            return value[0]
        if attribute in NUMBERS and value is not None and value[0].isascii() and value[0].isdigit():
            return int(value[0])
        self.scanner.place = start
        return self.scanner.fail(f"{attribute} can't be compared with this")

    def _compiled(self, expression: re.Match[str]) -> re.Pattern[str]:
        try:
            return re.compile(expression[2], re.IGNORECASE if expression[1] else 0)
        except re.error as error:
            self.scanner.place = expression.start()
            return self.scanner.fail(f"this is not a regular expression ({error})")

    def _name(self) -> str:
        name = self.scanner.match(_NAME)
        if name is None:
            self.scanner.fail("a name of letters and digits has to follow the =")
        return name[0]

    def _descend(self, bracket: str) -> None:
        self.scanner.takes(bracket)
        self.depth += 1
        if self.depth > _MOST_NESTED:
            self.scanner.fail(f"brackets are nested more than {_MOST_NESTED} times")

    def _ascend(self, bracket: str) -> None:
        self.depth -= 1
        if not self.scanner.takes(bracket):
            self.scanner.fail(f"a closing {bracket} is missing here")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
