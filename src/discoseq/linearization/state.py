"""Where many derivations stand: one row a derivation, everything in arrays, nothing ever changed in place."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

NO_WORD = -1
_FIRST_DEPTH = 8

# Where a word is. Plain numbers: NumPy takes its time with every comparison to a member of an enumeration.
BUFFER = 0
STACK = 1  # alone, or as the first word of a constituent
INSIDE = 2  # in a constituent on the stack that another word stands for
BEYOND = 3  # past the end of the sentence


@dataclass(frozen=True, slots=True, eq=False)
class ParserState:
    """The stacks and buffers of all rows. The buffer stays in sentence order, so it is a set of words.

    Depth counts open constituents from 1; entry 0 stands for the ground they are on. Innermost is the one opened last.
    """

    place: NDArray[np.int8]  # (rows, words) BUFFER, STACK, INSIDE or BEYOND
    stack: Ints  # (rows, words) the first word of every element, bottom first; what lies past stack_size is old
    last: Ints  # (rows, words) the last word of every element
    category: Ints  # (rows, words) the label of every element, counted from 1; 0 for a word
    chain: Ints  # (rows, words) for every element, how many unary constituents it is made of, from its top down
    stack_size: Ints  # (rows,)
    buffer_size: Ints  # (rows,)
    built_count: Ints  # (rows,) finished constituents
    open_count: Ints  # (rows,)
    loose: Ints  # (rows,) words on top of the stack of which SWAP may still send back all but the topmost
    is_swapping: Bools  # (rows,) whether the last action was a SWAP
    is_finished: Bools  # (rows,)
    base: Ints  # (rows, depth) where on the stack the children of an open constituent begin
    label: Ints  # (rows, depth) index of its label
    run: Ints  # (rows, depth) how many open constituents up to this one may still become a unary chain
    debt: Ints  # (rows, depth) the words that those outside this run must still get (see debt.py)

    @classmethod
    def start(cls, lengths: ArrayLike) -> ParserState:
        """All words in the buffer; a row without words is finished."""
        length = np.array(lengths, dtype=np.int32)  # a copy: the caller may reuse theirs
        rows, words = len(length), int(length.max(initial=1))
        ground = np.zeros((rows, _FIRST_DEPTH), dtype=np.int32)
        zeros = np.zeros(rows, dtype=np.int32)
        beyond = np.arange(words) >= length[:, None]
        return cls(
            place=np.where(beyond, BEYOND, BUFFER).astype(np.int8),
            stack=np.zeros((rows, words), dtype=np.int32),
            last=np.zeros((rows, words), dtype=np.int32),
            category=np.zeros((rows, words), dtype=np.int32),
            chain=np.zeros((rows, words), dtype=np.int32),
            stack_size=zeros,
            buffer_size=length,
            built_count=zeros,
            open_count=zeros,
            loose=zeros,
            is_swapping=np.zeros(rows, dtype=np.bool_),
            is_finished=length == 0,
            base=ground,
            label=ground,
            run=ground,
            debt=ground,
        )

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.stack_size)

    def select(self, rows: Ints | Bools) -> ParserState:
        """The given rows in the given order, a row as often as it is named; or those where a mask is True."""
        return ParserState(*(getattr(self, name)[rows] for name in _FIELDS))

    def copy_with_depth(self, depth: int) -> ParserState:
        """The same state in arrays of its own, with entries for at least so many open constituents."""
        copies = {name: getattr(self, name).copy() for name in _FIELDS}
        missing = depth - self.base.shape[1]
        if missing > 0:
            for name in _DEPTH_FIELDS:
                # twice as many as needed now: a run of openings is not copied again at every step
                copies[name] = np.pad(copies[name], ((0, 0), (0, missing + depth)))
        return ParserState(**copies)

    def stack_mask(self) -> Bools:
        """The words (rows, words) that are on the stack; a constituent is there as its first word."""
        return np.asarray(self.place == STACK)

    def buffer_mask(self) -> Bools:
        """The words (rows, words) that are in the buffer."""
        return np.asarray(self.place == BUFFER)

    def stack_word(self, number: int) -> Ints:
        """The word (rows,) that stands for an element of the stack, 1 being the topmost; NO_WORD if there is none."""
        return self._of_element(self.stack, number, NO_WORD)

    def last_word(self, number: int) -> Ints:
        """The last word (rows,) of an element of the stack, 1 being the topmost; NO_WORD if there is none."""
        return self._of_element(self.last, number, NO_WORD)

    def stack_label(self, number: int) -> Ints:
        """The label (rows,), counted from 1, of an element of the stack, 1 being the topmost; 0 for a word or none."""
        return self._of_element(self.category, number, 0)

    def open_label(self, number: int) -> Ints:
        """The label (rows,), counted from 1, of an open constituent, 1 being the innermost; 0 if there is none."""
        depth = np.maximum(self.open_count - (number - 1), 0)
        return np.where(depth > 0, self.label[np.arange(len(self)), depth] + 1, 0)

    def buffer_word(self, number: int) -> Ints:
        """A word (rows,) of the buffer, 1 being the first; NO_WORD if there are fewer."""
        in_buffer = self.buffer_mask()
        if number > 1:
            in_buffer = np.cumsum(in_buffer, axis=1) >= number
        return np.where(self.buffer_size >= number, in_buffer.argmax(axis=1), NO_WORD)

    def next_word(self) -> Ints:
        """The first word (rows,) of the buffer that stands after the last of the stack's top; NO_WORD if none does."""
        follows = self.buffer_mask() & (np.arange(self.place.shape[1]) > self.last_word(1)[:, None])
        return np.where(follows.any(axis=1), follows.argmax(axis=1), NO_WORD)

    @property
    def child_count(self) -> Ints:
        """The elements (rows,) that belong to the innermost open constituent; the whole stack if there is none."""
        return self.stack_size - self.innermost(self.base)

    def innermost(self, entries: Ints) -> Ints:
        """Of an array (rows, depth), the entry (rows,) of the innermost open constituent."""
        innermost: Ints = entries[np.arange(len(entries)), self.open_count]
        return innermost

    def _of_element(self, entries: Ints, from_top: int, otherwise: int) -> Ints:
        position = np.maximum(self.stack_size - from_top, 0)
        entry = entries[np.arange(len(self)), position]
        return np.where(self.stack_size >= from_top, entry, otherwise)


_DEPTH_FIELDS = ("base", "label", "run", "debt")
_FIELDS = tuple(field.name for field in fields(ParserState))
