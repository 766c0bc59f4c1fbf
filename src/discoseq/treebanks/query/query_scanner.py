"""Reading the text of a query from left to right."""

from __future__ import annotations

import re
from typing import NoReturn

from discoseq.errors import QueryError

_SPACE = re.compile(r"(?:\s+|(?:(?<=\s)|\A)#[^\n]*)*")  # a comment is set off from what comes before it


class QueryScanner:
    """A text and a place in it; what is read moves the place on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self.text, self.place)
        if match is not None:
            self.place = match.end()
        return match

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        self.match(_SPACE)
        return self.text[self.place : self.place + 1]

    def at(self, character: str) -> bool:
        return self.text.startswith(character, self.place)

    def takes(self, character: str) -> bool:
        self.peek()
        return self.takes_directly(character)

    def takes_directly(self, character: str) -> bool:
        """Without white space before it, which tells `NP=n` from `NP =n`."""
        is_there = self.at(character)
        self.place += len(character) if is_there else 0
        return is_there

    def is_at_end(self) -> bool:
        return not self.peek()

    def fail(self, reason: str) -> NoReturn:
        self.peek()
        rest = self.text[self.place : self.place + 20]
        where = f"at {rest!r}" if rest else "at its end"
        raise QueryError(f"the query can't be read {where} (character {self.place + 1}): {reason}")
