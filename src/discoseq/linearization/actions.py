"""Actions: a move of the machine with a label and a count where it needs them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from discoseq.errors import LinearizationError


class Move(IntEnum):
    """What an action does to stack and buffer."""

    PAD = 0  # nothing: what follows the end of a sequence in a batch
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
        """How many words SHIFT passes over or SWAP sends back, also where the token leaves it out."""
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
        """The action of a token in the spelling of `str`."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise LinearizationError(f"{token!r} is no action")
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
    """SHIFT#k: move the word to the stack that has k words before it in the buffer."""
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
    """REDUCE-X closes the constituent opened last; with a count, REDUCE#k-X builds one of the k top elements."""
    return Action(Move.REDUCE, label, count)


def escape(label: str) -> str:
    r"""Write white space in a label as `\20;` (its code point), so that a sequence can be split at spaces."""
    return re.sub(r"[\s\\]", lambda match: f"\\{ord(match[0]):x};", label)


def unescape(text: str) -> str:
    """Undo `escape`."""
    return re.sub(r"\\([0-9a-f]{1,4});", lambda match: chr(int(match[1], 16)), text)
