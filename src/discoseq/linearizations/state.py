"""The parser states of many derivations as arrays, one derivation a row."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

NO_WORD = -1
_FIRST_DEPTH = 8

# The status of a word. Plain numbers, because NumPy is slow to compare an array with a member of an enumeration.
BUFFER = 0
STACK = 1  # as an element of its own, or as the first word of a constituent, which it represents
INSIDE = 2  # in a constituent on the stack that another word represents
PADDING = 3  # past the end of the sentence


@dataclass(frozen=True, slots=True, eq=False)
class ParserState:
    """The stacks and buffers of all rows; `Machine.apply` returns a new state and leaves the old one as it is.

    Under the mask of exact constraints the buffer stays in sentence order, and a set of words represents it. SWAP can
    change that order elsewhere, so where there is SWAP, the order is kept at the end of `stack`, which has room for it:
    no word is on the stack and in the buffer. The innermost open constituent is the one opened last. Depth counts open
    constituents from 1; entry 0 is for rows in which none is open. Consecutive open constituents form an open chain if
    each is so far the only child of the one outside it; see `required_words`.
    """

    word_status: NDArray[np.int8]  # (rows, words) BUFFER, STACK, INSIDE or PADDING
    stack: Ints  # (rows, words) the first word of every element, bottom first; last, with SWAP, the words of the buffer
    last_words: Ints  # (rows, words) the last word of every element
    stack_labels: Ints  # (rows, words) the label of every element, counted from 1; 0 for a word
    stack_chains: Ints  # (rows, words) the length of the unary chain at the top of every element; 0 for a word
    stack_size: Ints  # (rows,)
    buffer_size: Ints  # (rows,)
    built_count: Ints  # (rows,) finished constituents
    open_count: Ints  # (rows,) open constituents
    swappable: Ints  # (rows,) the number of words on top of the stack of which SWAP may send back all but one
    has_just_swapped: Bools  # (rows,) whether the last action was a SWAP; always False under weak constraints
    is_finished: Bools  # (rows,)
    child_starts: Ints  # (rows, depth) the stack position at which the children of an open constituent begin
    open_labels: Ints  # (rows, depth) the index of its label
    open_chains: Ints  # (rows, depth) the length of the open chain that ends with it
    outer_required: Ints  # (rows, depth) the words that the open constituents outside that chain still require

    @classmethod
    def start(cls, lengths: ArrayLike) -> ParserState:
        """All words in the buffer; a row without words is finished."""
        length = np.array(lengths, dtype=np.int32)  # a copy: the caller may reuse theirs
        rows, words = len(length), int(length.max(initial=1))
        per_depth = np.zeros((rows, _FIRST_DEPTH), dtype=np.int32)
        zeros = np.zeros(rows, dtype=np.int32)
        is_padding = np.arange(words) >= length[:, None]
        return cls(
            word_status=np.where(is_padding, PADDING, BUFFER).astype(np.int8),
            stack=np.maximum(np.arange(words, dtype=np.int32) + (length - words)[:, None], 0),
            last_words=np.zeros((rows, words), dtype=np.int32),
            stack_labels=np.zeros((rows, words), dtype=np.int32),
            stack_chains=np.zeros((rows, words), dtype=np.int32),
            stack_size=zeros,
            buffer_size=length,
            built_count=zeros,
            open_count=zeros,
            swappable=zeros,
            has_just_swapped=np.zeros(rows, dtype=np.bool_),
            is_finished=length == 0,
            child_starts=per_depth,
            open_labels=per_depth,
            open_chains=per_depth,
            outer_required=per_depth,
        )

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.stack_size)

    def select(self, rows: Ints | Bools) -> ParserState:
        """The rows with these indices, in this order and with repetitions; or the rows where a mask is True."""
        return ParserState(*(getattr(self, name)[rows] for name in _FIELDS))

    def copy_with_depth(self, depth: int) -> ParserState:
        """A copy with room for at least so many entries of depth."""
        copies = {name: getattr(self, name).copy() for name in _FIELDS}
        missing = depth - self.child_starts.shape[1]
        if missing > 0:
            for name in _DEPTH_FIELDS:
                # twice the depth, so that consecutive NON-TERMINALs do not extend the arrays at every step
                copies[name] = np.pad(copies[name], ((0, 0), (0, missing + depth)))
        return ParserState(**copies)

    def stack_mask(self) -> Bools:
        """The words (rows, words) that are on the stack; its first word represents a constituent."""
        return np.asarray(self.word_status == STACK)

    def buffer_mask(self) -> Bools:
        """The words (rows, words) that are in the buffer."""
        return np.asarray(self.word_status == BUFFER)

    def stack_word(self, number: int) -> Ints:
        """The first word (rows,) of an element of the stack, 1 being the topmost; NO_WORD if there is none."""
        return self._of_element(self.stack, number, NO_WORD)

    def last_word(self, number: int) -> Ints:
        """The last word (rows,) of an element of the stack, 1 being the topmost; NO_WORD if there is none."""
        return self._of_element(self.last_words, number, NO_WORD)

    def stack_label(self, number: int) -> Ints:
        """The label (rows,), counted from 1, of an element of the stack, 1 being the topmost; 0 for a word or none."""
        return self._of_element(self.stack_labels, number, 0)

    def open_label(self, number: int) -> Ints:
        """The label (rows,), counted from 1, of an open constituent, 1 being the innermost; 0 if there is none."""
        depth = np.maximum(self.open_count - (number - 1), 0)
        return np.where(depth > 0, self.open_labels[np.arange(len(self)), depth] + 1, 0)

    def buffer_word(self, number: int) -> Ints:
        """A word (rows,) of the buffer, 1 being the first; NO_WORD if there are fewer."""
        in_buffer = self.buffer_mask()
        if number > 1:
            in_buffer = np.cumsum(in_buffer, axis=1) >= number
        return np.where(self.buffer_size >= number, in_buffer.argmax(axis=1), NO_WORD)

    def next_word(self) -> Ints:
        """The first word (rows,) of the buffer that follows the last word of the top element; NO_WORD if none does."""
        follows = self.buffer_mask() & (np.arange(self.word_status.shape[1]) > self.last_word(1)[:, None])
        return np.where(follows.any(axis=1), follows.argmax(axis=1), NO_WORD)

    @property
    def child_count(self) -> Ints:
        """The number (rows,) of children of the innermost open constituent; the whole stack if none is open."""
        return self.stack_size - self.innermost(self.child_starts)

    def innermost(self, entries: Ints) -> Ints:
        """Of an array (rows, depth), the entry (rows,) of the innermost open constituent."""
        innermost: Ints = entries[np.arange(len(entries)), self.open_count]
        return innermost

    def _of_element(self, entries: Ints, from_top: int, otherwise: int) -> Ints:
        position = np.maximum(self.stack_size - from_top, 0)
        entry = entries[np.arange(len(self)), position]
        return np.where(self.stack_size >= from_top, entry, otherwise)


_DEPTH_FIELDS = ("child_starts", "open_labels", "open_chains", "outer_required")
_FIELDS = tuple(field.name for field in fields(ParserState))
