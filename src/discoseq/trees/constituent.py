"""Token and Constituent: the words of a sentence and the phrases over them, both immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from discoseq.errors import TreeError
from discoseq.trees.covers import blocks, fan_out, first_token, gap_degree

Child: TypeAlias = "Constituent | int"

_set = object.__setattr__  # sets a field of a frozen dataclass in its constructor


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the sentence with its annotation; None where the treebank has none."""

    word: str
    tag: str | None = None
    lemma: str | None = None
    morphology: str | None = None
    function: str | None = None  # of the edge to the parent, as in Constituent

    def __post_init__(self) -> None:
        if not self.word:
            raise TreeError("a token has an empty word")


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Constituent:
    """A labelled phrase over constituents and token indices, its children in the order of their first token."""

    label: str
    children: tuple[Child, ...]
    function: str | None = None
    # Bit i is set if token i is covered. Set operations on it are cheap, so gaps, nesting and scoring do not need
    # lists of tokens.
    cover: int = field(init=False)

    def __init__(self, label: str, children: tuple[Child, ...], function: str | None = None) -> None:
        cover = previous = 0
        in_order = True
        for child in children:
            if isinstance(child, int):
                if child < 0:
                    raise TreeError(f"token index {child} under {label} is negative")
                bits = first = 1 << child
            else:
                bits = child.cover
                first = bits & -bits
                if not bits:
                    raise TreeError(f"{child.label or 'a constituent'} under {label or 'the root'} has no tokens")
            if cover & bits:
                raise TreeError(f"{label} covers token {first_token(cover & bits)} twice")
            if first < previous:
                in_order = False
            previous = first
            cover |= bits
        _set(self, "label", label)
        _set(self, "children", children if in_order else tuple(sorted(children, key=_first_bit)))
        _set(self, "function", function)
        _set(self, "cover", cover)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The indices of the covered tokens, in sentence order."""
        return tuple(i for start, end in self.blocks for i in range(start, end))

    @property
    def token_count(self) -> int:
        return self.cover.bit_count()

    @property
    def first(self) -> int:
        """The first covered token."""
        return first_token(self.cover)

    @property
    def last(self) -> int:
        """The last covered token."""
        return self.cover.bit_length() - 1

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """The maximal sequences of adjacent covered tokens, as (start, end) with the end left out."""
        return blocks(self.cover)

    @property
    def fan_out(self) -> int:
        """The number of blocks; 1 for a continuous constituent."""
        return fan_out(self.cover)

    @property
    def gap_degree(self) -> int:
        """The number of gaps between the blocks."""
        return gap_degree(self.cover)

    @property
    def is_discontinuous(self) -> bool:
        return (self.cover + (self.cover & -self.cover)) & self.cover != 0

    def walk(self) -> Iterator[Constituent]:
        """This constituent and all below it, parents before children, left to right."""
        agenda = [self]
        while agenda:
            constituent = agenda.pop()
            yield constituent
            agenda.extend(child for child in reversed(constituent.children) if not isinstance(child, int))

    def render(self, leaf: Callable[[int], str], head: Callable[[Constituent], str]) -> str:
        """Bracket notation; the caller says how leaves and labels are written."""
        parts: list[str] = []
        agenda: list[Child | None] = [self]
        while agenda:
            item = agenda.pop()
            if item is None:
                parts.append(")")
            elif isinstance(item, int):
                parts.append(f" {leaf(item)}")
            else:
                parts.append(f" ({head(item)}" if item.children else f" ({head(item)} ")
                agenda.append(None)
                agenda.extend(reversed(item.children))
        return "".join(parts)[1:]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constituent):
            return NotImplemented
        agenda: list[tuple[Child, Child]] = [(self, other)]
        while agenda:
            one, two = agenda.pop()
            if one is two:
                continue
            if isinstance(one, int) or isinstance(two, int):
                if one != two:
                    return False
            elif one._row() != two._row():
                return False
            else:
                agenda.extend(zip(one.children, two.children, strict=True))
        return True

    def _row(self) -> tuple[str, str | None, int, int]:
        """All fields except the children themselves."""
        return self.label, self.function, self.cover, len(self.children)

    def __hash__(self) -> int:
        return hash((self.label, self.cover, self.function))

    def __str__(self) -> str:
        return self.render(str, lambda constituent: constituent.label)

    def __repr__(self) -> str:
        return f"Constituent({str(self)!r})"

    def __reduce__(self) -> tuple[Callable[[list[_Row]], Constituent], tuple[list[_Row]]]:
        # pickle follows references by recursion, so a deep tree travels as a flat list
        return _from_rows, (_to_rows(self),)


_Row: TypeAlias = tuple[str, str | None, tuple[int, ...]]


def _to_rows(root: Constituent) -> list[_Row]:
    """Constituents in pre-order; a child is a token index or, below zero, -1 - row."""
    numbers = {id(constituent): -1 - row for row, constituent in enumerate(root.walk())}
    return [
        (c.label, c.function, tuple(x if isinstance(x, int) else numbers[id(x)] for x in c.children))
        for c in root.walk()
    ]


def _from_rows(rows: list[_Row]) -> Constituent:
    built: dict[int, Constituent] = {}
    for row in range(len(rows) - 1, -1, -1):
        label, function, children = rows[row]
        built[-1 - row] = Constituent(label, tuple(x if x >= 0 else built[x] for x in children), function)
    return built[-1]


def _first_bit(child: Child) -> int:
    bits = 1 << child if isinstance(child, int) else child.cover
    return bits & -bits
