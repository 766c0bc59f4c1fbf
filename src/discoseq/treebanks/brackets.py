"""Bracket notation: PTB brackets, and discbracket for discontinuous trees.

bracket       (S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))        on one line or many, perhaps in an outer bracket
discbracket   (S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))        one tree a line
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.escapes import NONE, escape_bracket_word, join_label, split_label, unescape
from discoseq.trees.transforms import VIRTUAL_ROOT
from discoseq.trees.tree import Child, Constituent, Token, Tree

# Quantifiers are possessive: no input makes the expression try again, so reading is linear in the input.
# White space is ASCII only; a no-break space is part of a word.
_PIECE = re.compile(
    r"""
      \( [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]*+) [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]++) [ \t\r\n\f\v]*+ \)   # (tag word)
    | \( [ \t\r\n\f\v]*+ ([^ \t\r\n\f\v()]*+)                                                           # (label
    | (\))
    | ([^ \t\r\n\f\v()]++)                                                                              # bare word
    """,
    re.VERBOSE,
)
_TAGGED, _OPENING, _CLOSING, _BARE = 2, 3, 4, 5
_MOST_DIGITS = 6  # a cover has a bit for every token, so a huge index would need huge memory

_ReadLeaf: TypeAlias = Callable[[str], tuple[int, str]]  # from the text of a leaf to its token index and its word


def read_bracket(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every outermost bracket."""
    number = 0
    for line, text in _split_chunks(enumerate(lines, 1)):
        try:
            for root, tokens in _parse_brackets(text, read_leaf=None):
                number += 1
                yield Tree(root, tokens, str(number))
        except TreeError as error:
            number += 1
            yield TreebankError(str(error), line=line)


def write_bracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree; a discontinuous tree is an error, because leaves have no indices in this format."""
    for number, tree in enumerate(trees, 1):
        if tree.is_discontinuous:
            raise TreebankError(
                f"sentence {tree.id or number} is discontinuous, which the bracket format can't hold "
                "(discbracket, export and tigerxml can)"
            )
        yield _render(tree, lambda i: "") + "\n"


def read_discbracket(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every line that is not blank."""
    number = 0
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        number += 1
        try:
            yield _parse_line(text, str(number))
        except TreeError as error:
            yield TreebankError(str(error), line=line)


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree, its comment after a tab."""
    for tree in trees:
        comment = f"\t{' '.join(tree.comment.split())}" if tree.comment else ""
        yield _render(tree, "{}=".format) + comment + "\n"


def _parse_line(line: str, id: str) -> Tree:
    text, _, comment = line.partition("\t")
    if "=" not in text and comment.strip():
        # the variant of treetools: leaves are positions counted from 1, and the words follow after the tab
        trees = _parse_brackets(text, _leaf_of(comment.split()))
        comment = ""
    else:
        trees = _parse_brackets(text, _read_leaf)
    if len(trees) != 1:
        raise TreeError(f"the line contains {len(trees)} trees")
    root, tokens = trees[0]
    return Tree(root, tokens, id, comment.strip() or None)


def _read_leaf(leaf: str) -> tuple[int, str]:
    index, separator, word = leaf.partition("=")
    if not (separator and index.isascii() and index.isdigit() and word):
        raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
    if len(index) > _MOST_DIGITS:
        raise TreeError(f"the token index {index[:12]}... is too large")
    return int(index), unescape(word)


def _leaf_of(words: list[str]) -> _ReadLeaf:
    def read_leaf(leaf: str) -> tuple[int, str]:
        if not (leaf.isascii() and leaf.isdigit() and len(leaf) <= _MOST_DIGITS and 0 < int(leaf) <= len(words)):
            raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
        return int(leaf) - 1, words[int(leaf) - 1]

    return read_leaf


def _parse_brackets(text: str, read_leaf: _ReadLeaf | None) -> list[tuple[Constituent, tuple[Token, ...]]]:
    """The root and the tokens of every tree in the text; without `read_leaf` a leaf is a word, in sentence order."""
    trees: list[tuple[Constituent, tuple[Token, ...]]] = []
    tokens: dict[int, Token] = {}
    labels: list[str] = []
    parts: list[list[Child]] = []  # the children found so far, of every open bracket
    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if kind == _OPENING:
            labels.append(piece[3])
            parts.append([])
        elif kind == _CLOSING:
            if not labels:
                raise TreeError("a closing bracket has no opening one")
            label, function = split_label(labels.pop())
            children = parts.pop()
            if parts:
                if not children:
                    raise TreeError(f"the bracket ({label}) contains no word")
                parts[-1].append(Constituent(label, tuple(children), function))
            else:
                trees.append((Constituent(label, tuple(children), function), _in_order(tokens)))
                tokens = {}
        else:
            leaf = piece[kind or 0]
            if read_leaf is None:
                index, word = len(tokens), unescape(leaf) if "#" in leaf else leaf
            else:
                index, word = read_leaf(leaf)
                if index in tokens:
                    raise TreeError(f"token index {index} occurs twice")
            tag, function = split_label(piece[1]) if kind == _TAGGED else (None, None)
            tokens[index] = Token(word, None if tag == NONE else tag, None, None, function)
            if parts:
                parts[-1].append(index)
            elif kind == _TAGGED:
                trees.append((Constituent(VIRTUAL_ROOT, (index,)), _in_order(tokens)))
                tokens = {}
            else:
                raise TreeError(f"{leaf!r} is outside the brackets")
    if labels:
        raise TreeError(f"{len(labels)} brackets are not closed" if len(labels) > 1 else "a bracket is not closed")
    return trees


def _in_order(tokens: dict[int, Token]) -> tuple[Token, ...]:
    try:
        return tuple([tokens[i] for i in range(len(tokens))])
    except KeyError as missing:
        raise TreeError(f"token index {missing} is missing") from None


def _render(tree: Tree, leaf_prefix: Callable[[int], str]) -> str:
    """The tree on one line, every word under its tag."""

    def leaf(i: int) -> str:
        token = tree.tokens[i]
        return f"({join_label(token.tag or NONE, token.function)} {leaf_prefix(i)}{escape_bracket_word(token.word)})"

    return tree.root.render(leaf, lambda constituent: join_label(constituent.label, constituent.function))


def _split_chunks(lines: Iterable[tuple[int, str]], is_cut_at_margin: bool = False) -> Iterator[tuple[int, str]]:
    """Cut numbered lines into chunks of whole trees, each with the line where it begins.

    A chunk that begins at the left margin extends to the next bracket at the margin, so that the rest of a tree that
    was closed too early stays with it. After a tree without a bracket at the margin inside it, such a bracket begins a
    chunk even if a tree is still open. So a missing or superfluous bracket affects one tree, not those after it.
    """
    chunk: list[tuple[int, str]] = []
    depth = 0
    begins_at_margin = has_inner_margin = False
    for number, line in lines:
        is_at_margin = line.startswith("(")
        is_complete = depth <= 0 and (is_at_margin or not begins_at_margin)
        if chunk and (is_complete or (is_at_margin and is_cut_at_margin)):
            yield chunk[0][0], "".join(text for _, text in chunk)
            is_cut_at_margin = is_cut_at_margin or (begins_at_margin and depth == 0 and not has_inner_margin)
            chunk, depth, has_inner_margin = [], 0, False
        if not chunk:
            if line.isspace():
                continue
            begins_at_margin = is_at_margin
        else:
            has_inner_margin = has_inner_margin or is_at_margin
        chunk.append((number, line))
        depth += line.count("(") - line.count(")")
    if depth > 0 and has_inner_margin and not is_cut_at_margin:
        yield from _split_chunks(chunk, is_cut_at_margin=True)
    elif chunk:
        yield chunk[0][0], "".join(text for _, text in chunk)
