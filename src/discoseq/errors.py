"""The errors that a user can cause; each message is one sentence that says where the error is and what is wrong.

DiscoseqError
├── TreeError            parts that make no tree: a token twice, a gap in the numbering, a cycle
├── TreebankError        a file that can't be read or written, with its position (`file:line`)
│   └── NoTreesError     a file or folder without a single tree
├── QueryError           a query of a tree search that can't be read
├── LinearizationError   a tree that can't be linearized, a sequence that is no tree, an unknown linearization
│   └── ActionError      the first action of a sequence that can't be applied
├── EvaluationError      trees that can't be scored against each other
├── TextError            raw text that can't be split into words
├── ModelError           a model directory, an encoder or model settings that can't be used
├── SearchError          search options that contradict each other
├── ConfigError          a training configuration that can't be used
├── CheckpointError      a checkpoint that can't be written or read
├── TrainingError        a training run that can't go on, because its loss is not a number
├── ParserError          a model or a sentence that can't be parsed with
├── IntegrationError     a document of another library without sentences or trees, a span that is no constituent
└── MissingExtraError    an optional package that is not installed
"""

import errno
import importlib
from typing import Any


class DiscoseqError(Exception):
    """Whatever discoseq raises on purpose; the command line prints it and exits with code 1."""


class TreeError(DiscoseqError):
    """The parts given do not make a tree."""


class TreebankError(DiscoseqError):
    """A file or one of its sentences can't be read or written."""

    def __init__(self, reason: str, path: str = "", line: int = 0) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        where = f"{path}:{line}" if line else path
        super().__init__(f"{where}: {reason}" if where else reason)

    def __reduce__(self) -> tuple[type["TreebankError"], tuple[str, str, int]]:
        return TreebankError, (self.reason, self.path, self.line)


class NoTreesError(TreebankError):
    """A file or a folder can be read, but there is no tree in it."""


class QueryError(DiscoseqError):
    """A query can't be read, or uses a name that is not bound."""


class LinearizationError(DiscoseqError):
    """A tree can't be linearized, a sequence is no tree, or a linearization is unknown."""


class ActionError(LinearizationError):
    """An action can't be applied where it stands; `position` counts from 1, past the end for what is missing."""

    def __init__(self, position: int, token: str, reason: str) -> None:
        self.position = position
        self.token = token
        self.reason = reason
        super().__init__(f"action {position} ({token}): {reason}")

    def __reduce__(self) -> tuple[type["ActionError"], tuple[int, str, str]]:
        return ActionError, (self.position, self.token, self.reason)


class EvaluationError(DiscoseqError):
    """Trees can't be scored against each other, or a parameter file can't be read."""


class TextError(DiscoseqError):
    """Raw text can't be split into sentences and words."""


class ModelError(DiscoseqError):
    """A model can't be built, saved, loaded or used."""


class SearchError(DiscoseqError):
    """A search can't be done as asked."""


class ConfigError(DiscoseqError):
    """A configuration has an unknown key, a value of the wrong type, or names a missing file."""


class CheckpointError(DiscoseqError):
    """A checkpoint can't be written or read."""


class TrainingError(DiscoseqError):
    """A training run can't go on."""


class ParserError(DiscoseqError):
    """A model is missing, models do not fit together, or a sentence can't be parsed."""


class IntegrationError(DiscoseqError):
    """A document of another library can't be parsed, or has not what it is asked for."""


class MissingExtraError(DiscoseqError):
    """An optional dependency is missing; the message says how to install it."""


def first_line(error: Exception) -> str:
    """The first line of another package's error message, to quote in ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def os_reason(error: OSError) -> str:
    """What a system error says, in words that follow the name of a file."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if error.errno == errno.EBADF:
        return "the stream is closed"
    return (error.strerror or str(error)).lower()


def import_extra(module: str, extra: str | None, purpose: str) -> Any:
    """Import an optional package, or say which extra of discoseq brings it; None if there is no extra for it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        wanted = f"'discoseq[{extra}]'" if extra else package
        raise MissingExtraError(f"{purpose} needs {package}: pip install {wanted}") from None
