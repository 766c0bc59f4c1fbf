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
from typing import NoReturn

from discoseq.errors import QueryError
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
from discoseq.treebanks.query.relations import relation_named

_SPACE = re.compile(r"(?:\s+|(?:(?<=\s)|\A)#[^\n]*)*")  # a comment is set off from what comes before it
_OPERATOR = re.compile(r"[$%,.<>][%,.<>0-9\-':^]*")
_QUOTED = re.compile(r'(i@)?"((?:[^"\\]|\\.)*)"')
_REGEX = re.compile(r"(i@)?/((?:[^/\\]|\\.)*)/")
_LABEL = re.compile(r"(i@)?([^\]\[ \r\t\n;:.,&|<>()$!@%'^={}\"/][^\]\[ \r\t\n;:.,&|<>()$!@%'^={}]*)")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_MACRO_NAME = re.compile(r"[^\];:.,&|<>()\[$!@%'^={}\s]+")
_ATTRIBUTE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_COMPARISON = re.compile(r"!=|<=|>=|=|<|>")
_VALUE = re.compile(r"[^,{}\s]+")
_MOST_NESTED = 100


def parse_query(text: str) -> tuple[SegmentedPattern, ...]:
    """The patterns of a query, of which a hit matches at least one; raises a QueryError with the place."""
    return _QueryParser(text).parse()


class _QueryParser:
    """Reads a query from left to right; `place` is the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.depth = 0
        self.macros: dict[str, NodePattern] = {}

    def parse(self) -> tuple[SegmentedPattern, ...]:
        patterns: list[SegmentedPattern] = []
        while not patterns or not self._is_at_end():
            if self._takes_macro_definition():
                self._macro_definition()
            else:
                patterns.append(self._segmented())
            if not self._is_at_end() and not self._takes(";"):
                self._fail("this is not expected here")
            while self._takes(";"):
                pass
        return tuple(patterns)

    def _takes_macro_definition(self) -> bool:
        is_definition = self._peek() == "@" and self.text[self.place + 1 : self.place + 2].isspace()
        return is_definition and self._takes("@")

    def _macro_definition(self) -> None:
        self._peek()
        name = self._match(_MACRO_NAME)
        if name is None:
            self._fail("a macro needs a name")
        self.macros[name[0]] = self._node()

    def _segmented(self) -> SegmentedPattern:
        head = self._node()
        segments = []
        while self._takes(":"):
            if not self._takes("="):
                self._fail("a node bound before, as in =n, has to follow the colon")
            segments.append(NodePattern(SameAs(self._name()), links=self._optional_links()))
        return SegmentedPattern(head, tuple(segments))

    def _node(self) -> NodePattern:
        """A node with its links; those inside of links have theirs in brackets."""
        return _linked(self._unlinked_node(), self._optional_links())

    def _unlinked_node(self) -> NodePattern:
        is_shown = self._takes(SHOWN)
        alternatives = [self._simple()]
        while self._peek() == "|" and self._is_node_after_bar():
            self._takes("|")
            alternatives.append(self._simple())
        one = alternatives[0] if len(alternatives) == 1 else NodePattern(OneOf(tuple(alternatives)))
        return NodePattern(OneOf((one,)), bound=SHOWN) if is_shown else one

    def _is_node_after_bar(self) -> bool:
        """Whether the bar joins nodes (`NP|VP`), not links (`< NP | < VP`)."""
        start = self.place
        self._takes("|")
        following = self._peek()
        self.place = start
        return following not in set("!<>$%.,[")

    def _simple(self) -> NodePattern:
        test = self._test()
        conditions = self._conditions() if self._at("{") else ()
        bound = self._name() if self._takes_directly("=") else None
        return NodePattern(test, conditions, bound)

    def _test(self) -> Test:
        following = self._peek()
        if following == "(":
            return OneOf((self._bracketed_node(),))
        if self._takes("="):
            return SameAs(self._name())
        if self._takes("@"):
            return OneOf((self._macro(),))
        if following == "{":
            return Anything()
        if quoted := self._match(_QUOTED):
            return Name(_unescaped(quoted[2]), ignores_case=bool(quoted[1]))
        if expression := self._match(_REGEX):
            return Matching(self._compiled(expression))
        if label := self._match(_LABEL):
            is_anything = label[0] in ("*", "__")
            return Anything() if is_anything else Label(label[2], ignores_case=bool(label[1]))
        return self._fail("a node is missing here: a label, a word, a /regular expression/ or *")

    def _bracketed_node(self) -> NodePattern:
        self._descend("(")
        node = self._node()
        self._ascend(")")
        return node

    def _macro(self) -> NodePattern:
        start = self.place
        name = self._match(_MACRO_NAME)
        if name is None or name[0] not in self.macros:
            self.place = start
            self._fail("there is no such macro; define it before, as in `@ NP /^NP/;`")
        return self.macros[name[0]]

    def _optional_links(self) -> Links | None:
        return self._links() if self._peek() in set("!<>$%.,[") else None

    def _links(self) -> Links:
        parts = [self._conjunction()]
        while self._takes("|"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _conjunction(self) -> Links:
        parts = [self._link()]
        while self._takes("&") or self._peek() in set("!<>$%.,["):
            parts.append(self._link())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _link(self) -> Links:
        if self._takes("!"):
            return Not(self._link())
        if self._peek() == "[":
            self._descend("[")
            links = self._links()
            self._ascend("]")
            return links
        start = self.place
        operator = self._match(_OPERATOR)
        if operator is None:
            self._fail("a relation is missing here, such as < or $")
        if relation_named(operator[0]) is None:
            self.place = start
            self._fail(f"there is no relation {operator[0]}")
        return Link(operator[0], self._unlinked_node())

    def _conditions(self) -> tuple[Condition, ...]:
        self._takes("{")
        conditions = [self._condition()]
        while self._takes(","):
            conditions.append(self._condition())
        if not self._takes("}"):
            self._fail("a condition ends with a comma or a closing brace")
        return tuple(conditions)

    def _condition(self) -> Condition:
        is_wanted = not self._takes("!")
        self._peek()
        start = self.place
        name = self._match(_ATTRIBUTE)
        if name is None or name[0] not in {*FLAGS, *TEXTS, *NUMBERS}:
            self.place = start
            self._fail(f"no such condition; there are {', '.join(dict.fromkeys([*FLAGS, *NUMBERS, *TEXTS]))}")
        self._peek()
        comparison = self._match(_COMPARISON) if is_wanted else None
        if comparison is not None:
            return Compared(name[0], Comparison(comparison[0]), self._value(name[0], Comparison(comparison[0])))
        if name[0] in NUMBERS:
            self._fail(f"{name[0]} has to be compared with a number, as in {name[0]}>1")
        return Flag(name[0], is_wanted)

    def _value(self, attribute: str, comparison: Comparison) -> int | str | re.Pattern[str]:
        self._peek()
        start = self.place
        is_equality = comparison in (Comparison.EQUAL, Comparison.UNEQUAL)
        if attribute in TEXTS and not is_equality:
            self._fail(f"{attribute} can be compared with = and != only")
        if attribute in TEXTS and (expression := self._match(_REGEX)):
            return self._compiled(expression)
        if attribute in TEXTS and (quoted := self._match(_QUOTED)):
            return _unescaped(quoted[2])
        value = self._match(_VALUE)
        if attribute in TEXTS and value is not None:
            return value[0]
        if attribute in NUMBERS and value is not None and value[0].isascii() and value[0].isdigit():
            return int(value[0])
        self.place = start
        return self._fail(f"{attribute} can't be compared with this")

    def _compiled(self, expression: re.Match[str]) -> re.Pattern[str]:
        try:
            return re.compile(expression[2], re.IGNORECASE if expression[1] else 0)
        except re.error as error:
            self.place = expression.start()
            return self._fail(f"this is not a regular expression ({error})")

    def _name(self) -> str:
        name = self._match(_NAME)
        if name is None:
            self._fail("a name of letters and digits has to follow the =")
        return name[0]

    def _descend(self, bracket: str) -> None:
        self._takes(bracket)
        self.depth += 1
        if self.depth > _MOST_NESTED:
            self._fail(f"brackets are nested more than {_MOST_NESTED} times")

    def _ascend(self, bracket: str) -> None:
        self.depth -= 1
        if not self._takes(bracket):
            self._fail(f"a closing {bracket} is missing here")

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self.text, self.place)
        if match is not None:
            self.place = match.end()
        return match

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        self._match(_SPACE)
        return self.text[self.place : self.place + 1]

    def _at(self, character: str) -> bool:
        return self.text.startswith(character, self.place)

    def _takes(self, character: str) -> bool:
        self._peek()
        return self._takes_directly(character)

    def _takes_directly(self, character: str) -> bool:
        """Without white space before it, which tells `NP=n` from `NP =n`."""
        is_there = self._at(character)
        self.place += len(character) if is_there else 0
        return is_there

    def _is_at_end(self) -> bool:
        return not self._peek()

    def _fail(self, reason: str) -> NoReturn:
        self._peek()
        rest = self.text[self.place : self.place + 20]
        where = f"at {rest!r}" if rest else "at its end"
        raise QueryError(f"the query can't be read {where} (character {self.place + 1}): {reason}")


def _linked(node: NodePattern, links: Links | None) -> NodePattern:
    if links is None:
        return node
    return (
        NodePattern(node.test, node.conditions, node.bound, links)
        if node.links is None
        else NodePattern(OneOf((node,)), links=links)
    )


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
