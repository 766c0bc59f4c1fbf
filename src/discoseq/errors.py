"""The errors that a user can cause; each message is one sentence that names the place and the thing.

DiscoseqError
├── TreeError            a tree that can't be: a token twice, a gap in the numbering, a cycle
├── TreebankError        a file that can't be read or written, with its place (`file:line`)
├── LinearizationError   a tree that can't be linearized, or a sequence that is no tree (linearization/errors.py)
│   └── ActionError      the first action of a sequence that can't be applied
├── EvaluationError      trees that can't be scored against each other (evaluation/errors.py)
├── TextError            raw text that can't be cut into words (text/errors.py)
├── ModelError           a model directory, an encoder or settings that can't be used (model/errors.py)
├── SearchError          options of search that make no sense (search/errors.py)
├── ConfigError          a training configuration that can't be (training/errors.py)
├── CheckpointError      a checkpoint that can't be written or read (training/errors.py)
├── ParserError          a model or a sentence that can't be parsed with (parser/errors.py)
└── MissingExtraError    an optional package that is not installed
"""


class DiscoseqError(Exception):
    """Whatever discoseq raises on purpose; the command line prints it and exits with code 1."""


class TreeError(DiscoseqError):
    """The parts given do not make a tree."""


class TreebankError(DiscoseqError):
    """A file or one of its sentences can't be read or written."""

    def __init__(self, reason: str, place: str = "", line: int = 0) -> None:
        self.reason = reason
        self.place = place
        self.line = line
        where = f"{place}:{line}" if line else place
        super().__init__(f"{where}: {reason}" if where else reason)

    def __reduce__(self) -> tuple[type["TreebankError"], tuple[str, str, int]]:
        return TreebankError, (self.reason, self.place, self.line)


class MissingExtraError(DiscoseqError):
    """An optional dependency is missing; the message names the extra that brings it."""
