"""Parsing brackets: from the text of one or more trees to their roots and tokens."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from discoseq.errors import TreebankError, TreeError
from discoseq.trees.escapes import NONE, split_features, split_label, unescape
from discoseq.trees.notes import NoteLine, ignore_note
from discoseq.trees.transforms import VIRTUAL_ROOT
from discoseq.trees.tree import Child, Constituent, Token

# Quantifiers are possessive: no input makes the expression try again, so reading is linear in the input.
# White space is ASCII only; a no-break space is part of a word.
PIECE = re.compile(
    r"""
      \( [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]*+) [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]++) [ \t\r\n\f\v]*+ \)   # (tag word)
    | \( [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]*+)                                                           # (label
    | (\))
    | ([^ \t\r\n\f\v()]++)                                                                              # bare word
    """,
    re.VERBOSE,
)
TAGGED, OPENING, CLOSING, BARE = 2, 3, 4, 5

ReadLeaf: TypeAlias = Callable[[str], tuple[int, str]]  # from the text of a leaf to its token index and its word
Parsed: TypeAlias = tuple[Constituent, tuple[Token, ...]]


class Multiword(StrEnum):
    """What becomes of several words in one bracket, `(Np Đài Loan)` or `(sps00 a a)` with a lemma."""

    JOIN = "join"  # one word: Đài_Loan
    FIRST = "first"  # one word: the first
    SPLIT = "split"  # a token for every word, each with the tag


class Wordless(StrEnum):
    """What becomes of a bracket without a word, `(,)`."""

    SKIP = "skip"
    LABEL = "label"  # the label is the word, as in NLTK


@dataclass(frozen=True, slots=True)
class Leaves:
    """How to read brackets that are not one word under a tag."""

    multiword: Multiword | None = None  # None: a phrase over words without tags
    wordless: Wordless | None = None  # None: an error


ORDINARY_LEAVES = Leaves()
_NOTES = {
    None: "a bracket over several words is read as a phrase over words without tags "
    "(--multiword join, first or split takes it for a tag)",
    Multiword.JOIN: "several words in a bracket are joined with _",
    Multiword.FIRST: "of several words in a bracket only the first is kept",
    Multiword.SPLIT: "several words in a bracket become tokens with the same tag",
    Wordless.SKIP: "a bracket without a word is left out",
    Wordless.LABEL: "the label of a bracket without a word is taken for its word",
}


def parse_brackets(
    text: str,
    line: int,
    read_leaf: ReadLeaf | None = None,
    leaves: Leaves = ORDINARY_LEAVES,
    note: NoteLine = ignore_note,
) -> list[Parsed]:
    """The root and the tokens of every tree in the text, which begins at this line of its file.

    Without `read_leaf` a leaf is a word, in sentence order. An error has the line of its place.
    """
    return _Parser(text, line, read_leaf, leaves, note).parse()


class _Parser:
    """The open brackets, the tokens of the current tree, and the trees that are complete."""

    def __init__(self, text: str, line: int, read_leaf: ReadLeaf | None, leaves: Leaves, note: NoteLine) -> None:
        self.text = text
        self.first_line = line
        self.read_leaf = read_leaf
        self.leaves = leaves
        self.note = note
        self.piece: re.Match[str] | None = None  # the current one
        self.counted = 0, line  # a place in the text and its line, so that lines are counted once
        self.trees: list[Parsed] = []
        self.tokens: dict[int, Token] = {}
        self.labels: list[str] = []
        self.parts: list[list[Child]] = []  # the children found so far, of every open bracket
        self.bare: dict[int, int] = {}  # the number of words without a bracket of their own, by depth

    def parse(self) -> list[Parsed]:
        labels, parts = self.labels, self.parts
        try:
            for piece in PIECE.finditer(self.text):
                kind = piece.lastindex
                self.piece = piece
                if kind == OPENING:
                    labels.append(piece[3])
                    parts.append([])
                elif kind == CLOSING:
                    self._close()
                elif kind == TAGGED:
                    index = self._new_token(piece[2], piece[1])
                    if parts:
                        parts[-1].append(index)
                    else:
                        self._finish(Constituent(VIRTUAL_ROOT, (index,)))
                else:
                    self._add_bare(piece[BARE])
            if labels:
                self.piece = _innermost_open(self.text)
                count = len(labels)
                raise TreeError(f"{count} brackets are not closed" if count > 1 else "a bracket is not closed")
        except TreeError as error:
            raise TreebankError(str(error), line=self.line) from None
        return self.trees

    @property
    def line(self) -> int:
        """The line of the current piece."""
        place = self.piece.start() if self.piece else 0
        known, line = self.counted if self.counted[0] <= place else (0, self.first_line)
        self.counted = place, line + self.text.count("\n", known, place)
        return self.counted[1]

    def _new_token(self, leaf: str, tag: str | None) -> int:
        """The index of a new token."""
        if self.read_leaf is None:
            index, word = len(self.tokens), unescape(leaf) if "#" in leaf else leaf
        else:
            index, word = self.read_leaf(leaf)
            if index in self.tokens:
                raise TreeError(f"token index {index} occurs twice")
        self.tokens[index] = Token(word) if tag is None else _tagged(word, tag)
        return index

    def _finish(self, root: Constituent) -> None:
        """Complete a tree."""
        tokens, self.tokens = self.tokens, {}
        try:
            self.trees.append((root, tuple([tokens[i] for i in range(len(tokens))])))
        except KeyError as missing:
            raise TreeError(f"token index {missing} is missing") from None

    def _add_bare(self, leaf: str) -> None:
        if not self.parts:
            raise TreeError(f"{leaf!r} is outside the brackets")
        depth = len(self.parts)
        self.bare[depth] = self.bare.get(depth, 0) + 1
        self.parts[-1].append(self._new_token(leaf, None))

    def _close(self) -> None:
        if not self.labels:
            raise TreeError("a closing bracket has no opening one")
        label, children = self.labels.pop(), self.parts.pop()
        if not children and self.parts:
            self._close_wordless(label)
            return
        if self.bare and self.bare.pop(len(self.parts) + 1, 0) == len(children) > 1 and self.read_leaf is None:
            self.note(_NOTES[self.leaves.multiword], self.line)
            if self.leaves.multiword is not None:
                self._close_words(label, children, self.leaves.multiword)
                return
        if "##" in label and split_features(label)[1] is not None:
            self.note("the features of a phrase are left out", self.line)
            label = split_features(label)[0]
        name, function = split_label(label)
        phrase = Constituent(name, tuple(children), function)
        if self.parts:
            self.parts[-1].append(phrase)
        else:
            self._finish(phrase)

    def _close_words(self, label: str, children: list[Child], multiword: Multiword) -> None:
        """A bracket over several words is a tag; the words are the last tokens."""
        first = len(self.tokens) - len(children)
        words = [self.tokens.pop(index).word for index in range(first, first + len(children))]
        if multiword is Multiword.JOIN:
            words = ["_".join(words)]
        elif multiword is Multiword.FIRST:
            words = words[:1]
        indices: list[Child] = list(range(first, first + len(words)))
        self.tokens.update(zip(range(first, first + len(words)), (_tagged(word, label) for word in words), strict=True))
        if self.parts:
            self.parts[-1].extend(indices)
        else:
            self._finish(Constituent(VIRTUAL_ROOT, tuple(indices)))

    def _close_wordless(self, label: str) -> None:
        name = split_label(split_features(label)[0])[0]
        wordless = self.leaves.wordless if self.read_leaf is None else None
        if wordless is None:
            advice = (
                "; convert with --wordless skip leaves such brackets out, with --wordless label the label is the word"
            )
            raise TreeError(f"the bracket ({name}) contains no word{'' if self.read_leaf else advice}")
        if wordless is Wordless.LABEL and name:
            self.note(_NOTES[Wordless.LABEL], self.line)
            self.tokens[len(self.tokens)] = _tagged(name, label)
            self.parts[-1].append(len(self.tokens) - 1)
        else:
            self.note(_NOTES[Wordless.SKIP], self.line)


def _tagged(word: str, text: str) -> Token:
    """A token with the tag, the function and the features of the text after its bracket."""
    features = None
    if "##" in text:
        text, features = split_features(text)
    tag, function = split_label(text)
    return Token(word, None if tag == NONE else tag, None, features or None, function)


def _innermost_open(text: str) -> re.Match[str]:
    """The last bracket that is never closed."""
    places: list[re.Match[str]] = []
    for piece in PIECE.finditer(text):
        if piece.lastindex == OPENING:
            places.append(piece)
        elif piece.lastindex == CLOSING:
            places.pop()
    return places[-1]
