"""Numbered strings: words, characters, tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

PAD, UNKNOWN = 0, 1
_RESERVED = ("<pad>", "<unknown>")


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """Number 0 is padding, number 1 stands for whatever is not listed; neither can be met as a string of the data."""

    names: tuple[str, ...]  # those that have a number of their own, from 2 on
    _numbers: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {name: number for number, name in enumerate(self.names, len(_RESERVED))}
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def counted(cls, items: Iterable[str], at_least: int = 1) -> Symbols:
        """All that occur often enough, in an order that does not depend on where they were met."""
        counts = Counter(items)
        return cls(tuple(sorted(item for item, count in counts.items() if count >= at_least)))

    def __len__(self) -> int:
        return len(self.names) + len(_RESERVED)

    def encode(self, items: Sequence[str]) -> list[int]:
        """The number of each."""
        return [self._numbers.get(item, UNKNOWN) for item in items]

    def name(self, number: int) -> str:
        """The string of a number."""
        return self.names[number - len(_RESERVED)] if number >= len(_RESERVED) else _RESERVED[number]
