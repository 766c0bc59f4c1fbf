"""How actions are written as tokens: as in the paper's figures, or as the brackets of Vinyals et al. (2015)."""

from collections.abc import Callable
from dataclasses import dataclass

from discoseq.errors import LinearizationError
from discoseq.linearization.actions import SHIFT, Action, Move, escape, non_terminal, reduce, unescape


@dataclass(frozen=True, slots=True)
class Spelling:
    """Two functions that undo each other."""

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
    raise LinearizationError(f"{token!r} is no bracket and not XX")


SHIFT_REDUCE = Spelling(str, Action.parse)
BRACKETS = Spelling(_write_bracket, _read_bracket)
