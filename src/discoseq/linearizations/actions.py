"""Actions, each a move with its label and its count, and the two notations in which they are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from discoseq.errors import LinearizationError


class Move(IntEnum):
    """What an action does to stack and buffer."""

    PAD = 0  # nothing; it fills a batch after the end of a sequence
    SHIFT = 1
    SWAP = 2
    NON_TERMINAL = 3
    REDUCE = 4
    FINISH = 5


@dataclass(frozen=True, slots=True, repr=False)
class Action:
    """One token of a sequence; its string is that of the paper's figures: SH, SH#2, SW#3, NT-VP, RE, RE#3-VP, FI."""

    move: Move
    label: str | None = None
    count: int | None = None

    @property
    def distance(self) -> int:
        """The number of words that SHIFT skips or SWAP sends back, even if the token does not show it."""
        if self.count is not None:
            return self.count
        return 1 if self.move is Move.SWAP else 0

    def __str__(self) -> str:
        count = "" if self.count is None else f"#{self.count}"
        label = "" if self.label is None else f"-{escape(self.label)}"
        return f"{_NAMES[self.move]}{count}{label}"

    def __repr__(self) -> str:
        return f"Action({str(self)!r})"

    @classmethod
    def parse(cls, token: str) -> Action:
        """The inverse of `str`."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise LinearizationError(f"{token!r} is not an action")
        name, count, label = match.groups()
        return cls(_MOVES[name], None if label is None else unescape(label), None if count is None else int(count))


_NAMES = {
    Move.PAD: "<pad>",
    Move.SHIFT: "SH",
    Move.SWAP: "SW",
    Move.NON_TERMINAL: "NT",
    Move.REDUCE: "RE",
    Move.FINISH: "FI",
}
_MOVES = {name: move for move, name in _NAMES.items()}
_TOKEN = re.compile(r"(<pad>|SH|SW|NT|RE|FI)(?:#(0|[1-9][0-9]{0,8}))?(?:-(.*))?", re.DOTALL)

PAD = Action(Move.PAD)
SHIFT = Action(Move.SHIFT)
SWAP = Action(Move.SWAP)
REDUCE = Action(Move.REDUCE)
FINISH = Action(Move.FINISH)


@cache
def shift(distance: int) -> Action:
    """SHIFT#k: move the word that has k words before it in the buffer to the stack."""
    return Action(Move.SHIFT, count=distance)


@cache
def swap(count: int) -> Action:
    """SWAP#k: send the k words below the top of the stack back to the buffer."""
    return Action(Move.SWAP, count=count)


@cache
def non_terminal(label: str) -> Action:
    """NON-TERMINAL-X: open a constituent."""
    return Action(Move.NON_TERMINAL, label)


@cache
def reduce(label: str, count: int | None = None) -> Action:
    """REDUCE-X closes the innermost open constituent; REDUCE#k-X makes a constituent of the k top elements."""
    return Action(Move.REDUCE, label, count)


def escape(label: str) -> str:
    r"""Write white space in a label as `\20;` (its code point), so that a sequence can be split at spaces."""
    return re.sub(r"[\s\\]", lambda match: f"\\{ord(match[0]):x};", label)


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return re.sub(r"\\([0-9a-f]{1,4});", lambda match: chr(int(match[1], 16)), text)


@dataclass(frozen=True, slots=True)
class Notation:
    """How the actions of a linearization are written; `read` is the inverse of `write`."""

    write: Callable[[Action], str]
    read: Callable[[str], Action]


def _write_bracket(action: Action) -> str:
    if action.move is Move.NON_TERMINAL and action.label is not None:
        return f"({escape(action.label)}"
    if action.move is Move.REDUCE and action.label is not None:
        return f"){escape(action.label)}"
    return "XX" if action.move is Move.SHIFT else str(action)


def _read_bracket(token: str) -> Action:
    if token == "XX":
        return SHIFT
    if token.startswith("("):
        return non_terminal(unescape(token[1:]))
    if token.startswith(")"):
        return reduce(unescape(token[1:]))
    raise LinearizationError(f"{token!r} is neither a bracket nor XX")


SHIFT_REDUCE = Notation(str, Action.parse)
BRACKETS = Notation(_write_bracket, _read_bracket)
