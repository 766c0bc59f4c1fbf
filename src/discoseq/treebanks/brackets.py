"""Bracket notation, shared by PTB brackets and discbracket: text to labels, leaves and structure."""

import re
from collections.abc import Callable, Iterable, Iterator

from discoseq.errors import TreeError
from discoseq.treebanks.escapes import escape_bracket_word, unescape
from discoseq.treebanks.labels import NONE, join_label, split_label
from discoseq.trees.tree import Child, Constituent, Token, Tree

VIRTUAL_ROOT = "ROOT"

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

# from the text of a leaf to its place in the sentence and its word
ReadLeaf = Callable[[str], tuple[int, str]]


def parse_brackets(text: str, read_leaf: ReadLeaf | None) -> list[tuple[Constituent, tuple[Token, ...]]]:
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
                    raise TreeError(f"the bracket ({label}) holds no word")
                parts[-1].append(Constituent(label, tuple(children), function))
            else:
                trees.append((Constituent(label, tuple(children), function), _in_order(tokens)))
                tokens = {}
        else:
            leaf = piece[kind or 0]
            if read_leaf is None:
                place, word = len(tokens), unescape(leaf) if "#" in leaf else leaf
            else:
                place, word = read_leaf(leaf)
                if place in tokens:
                    raise TreeError(f"token index {place} occurs twice")
            tag, function = split_label(piece[1]) if kind == _TAGGED else (None, None)
            tokens[place] = Token(word, None if tag == NONE else tag, None, None, function)
            if parts:
                parts[-1].append(place)
            elif kind == _TAGGED:
                trees.append((Constituent(VIRTUAL_ROOT, (place,)), _in_order(tokens)))
                tokens = {}
            else:
                raise TreeError(f"{leaf!r} stands outside the brackets")
    if labels:
        raise TreeError(f"{len(labels)} brackets are not closed" if len(labels) > 1 else "a bracket is not closed")
    return trees


def render_brackets(tree: Tree, leaf_prefix: Callable[[int], str]) -> str:
    """The tree on one line, every word under its tag."""

    def leaf(i: int) -> str:
        token = tree.tokens[i]
        return f"({join_label(token.tag or NONE, token.function)} {leaf_prefix(i)}{escape_bracket_word(token.word)})"

    return tree.root.render(leaf, lambda constituent: join_label(constituent.label, constituent.function))


def split_chunks(lines: Iterable[tuple[int, str]], is_cut_at_margin: bool = False) -> Iterator[tuple[int, str]]:
    """Cut numbered lines into chunks of whole trees, each with the line where it begins.

    A chunk that begins at the margin goes on to the next bracket at the margin, so that what is left of a tree that
    closed too early stays with it. Once a tree has been seen without a bracket at the margin inside it, such a bracket
    begins a chunk even if one is still open. So a bracket too few or too many spoils one tree, not those after it.
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
        yield from split_chunks(chunk, is_cut_at_margin=True)
    elif chunk:
        yield chunk[0][0], "".join(text for _, text in chunk)


def _in_order(tokens: dict[int, Token]) -> tuple[Token, ...]:
    try:
        return tuple([tokens[i] for i in range(len(tokens))])
    except KeyError as missing:
        raise TreeError(f"token index {missing} is missing") from None
