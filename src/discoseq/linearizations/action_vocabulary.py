"""The actions that a parser chooses from, numbered, and their properties as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from discoseq.errors import LinearizationError
from discoseq.linearizations.actions import PAD, Action, Move
from discoseq.linearizations.linearization import Linearization
from discoseq.linearizations.state import Ints

PAD_INDEX = 0
NO_LABEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class ActionVocabulary:
    """Numbered actions: PAD is number 0, and the actions of one move are adjacent, so that each move is a slice."""

    actions: tuple[Action, ...]
    labels: tuple[str, ...] = field(init=False)
    moves: Ints = field(init=False)  # (actions,) of the enumeration Move
    distances: Ints = field(init=False)  # (actions,) words that SHIFT skips or SWAP sends back, k of REDUCE#k, else 0
    label_indices: Ints = field(init=False)  # (actions,) in `labels`, or NO_LABEL
    _indices: dict[Action, int] = field(init=False, repr=False)
    _columns: dict[Move, slice] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        labels = tuple(sorted({action.label for action in self.actions if action.label is not None}))
        label_numbers = {label: number for number, label in enumerate(labels)}
        numbers = [NO_LABEL if x.label is None else label_numbers[x.label] for x in self.actions]
        attributes = {
            "labels": labels,
            "moves": np.array([action.move for action in self.actions], dtype=np.int32),
            "distances": np.array([action.distance for action in self.actions], dtype=np.int32),
            "label_indices": np.array(numbers, dtype=np.int32),
            "_indices": {action: index for index, action in enumerate(self.actions)},
            "_columns": _slices(self.actions),
        }
        for name, value in attributes.items():
            object.__setattr__(self, name, value)
        if not self.actions or self.actions[PAD_INDEX] != PAD:
            raise LinearizationError(f"an action vocabulary must begin with {PAD}")
        if len(self._indices) < len(self.actions):
            raise LinearizationError("an action vocabulary must not have an action twice")

    @classmethod
    def of(cls, linearization: Linearization, sequences: Iterable[Iterable[Action]]) -> ActionVocabulary:
        """All actions of the sequences, and for every label in them those that can complete any derivation."""
        seen = {action for sequence in sequences for action in sequence}
        labels = sorted({action.label for action in seen if action.label is not None})
        if not labels:
            raise LinearizationError("an action vocabulary needs labels, but the sequences have no labels")
        seen.update(linearization.basic_actions(labels))
        return cls((PAD, *sorted(seen, key=lambda x: (x.move, x.label or "", x.count or 0))))

    @classmethod
    def from_tokens(cls, tokens: Iterable[str]) -> ActionVocabulary:
        """The inverse of `tokens`."""
        return cls(tuple(map(Action.parse, tokens)))

    @property
    def tokens(self) -> list[str]:
        """The actions as strings, in order; a saved vocabulary is this list."""
        return [str(action) for action in self.actions]

    def __len__(self) -> int:
        return len(self.actions)

    def __contains__(self, action: object) -> bool:
        return action in self._indices

    def encode(self, actions: Iterable[Action]) -> list[int]:
        """The numbers of a sequence; raises a LinearizationError if an action is not in the vocabulary."""
        try:
            return [self._indices[action] for action in actions]
        except KeyError as error:
            raise LinearizationError(f"{error.args[0]} is not in the action vocabulary") from None

    def encode_all(self, sequences: Iterable[Iterable[Action]]) -> Ints:
        """The numbers (rows, steps) of many sequences, padded at their end to one length."""
        rows = [self.encode(sequence) for sequence in sequences]
        indices = np.full((len(rows), max(map(len, rows), default=0)), PAD_INDEX, dtype=np.int32)
        for row, numbers in enumerate(rows):
            indices[row, : len(numbers)] = numbers
        return indices

    def decode(self, indices: Iterable[int]) -> list[Action]:
        """The actions with these numbers, without padding."""
        return [self.actions[index] for index in indices if index != PAD_INDEX]

    def columns(self, move: Move) -> slice:
        """The slice of the actions of a move; empty if there are none."""
        return self._columns.get(move, slice(0, 0))


def _slices(actions: Sequence[Action]) -> dict[Move, slice]:
    slices: dict[Move, slice] = {}
    for index, action in enumerate(actions):
        start = slices.get(action.move, slice(index, index))
        if start.stop != index:
            raise LinearizationError(f"an action vocabulary must list the actions of a move together; {action} is not")
        slices[action.move] = slice(start.start, index + 1)
    return slices
