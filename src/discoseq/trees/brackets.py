"""Bracket notation: PTB brackets, and discbracket for discontinuous trees.

bracket       (S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))        on one line or many, perhaps in an outer bracket
discbracket   (S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))        one tree a line
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from discoseq.errors import TreebankError, TreeError
from discoseq.trees.escapes import NONE, escape_bracket_word, join_label, split_label, unescape
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
_INDEXED = re.compile(r"[0-9]+=.", re.DOTALL)
_MAX_INDENT = 40  # levels; deeper ones are not indented further, to keep the text linear in the tree
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
                "(discbracket, export, tigerxml and json can, and Tree.continuous() makes it continuous)"
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


def parse_tree(text: str, format: str | None = None) -> Tree:
    """The one tree in a text, on one line or many; by default discbracket if all leaves are of the form index=word."""
    if format not in (None, "bracket", "discbracket"):
        raise TreeError(f"a string is read as bracket or discbracket, not as {format!r}")
    is_indexed = _has_indexed_leaves(text) if format is None else format == "discbracket"
    if is_indexed and "\n" not in text.strip():
        return _parse_line(text, None)
    trees = _parse_brackets(text, _read_leaf if is_indexed else None)
    if len(trees) != 1:
        raise TreeError(f"one tree is expected, and the text contains {len(trees)}")
    root, tokens = trees[0]
    return Tree(root, tokens)


def format_tree(tree: Tree, width: int | None = 80) -> str:
    """The tree as `parse_tree` reads it, indented over several lines if it is wider than `width`."""
    # a word that looks like an indexed leaf has to be told from one
    is_indexed = tree.is_discontinuous or any(map(_INDEXED.match, tree.words))
    leaf, head = _leaf_writer(tree, "{}=".format if is_indexed else lambda i: ""), _head
    line = tree.root.render(leaf, head)
    if width is None or len(line) <= width:
        return line
    lengths: dict[int, int] = {}  # of every constituent on one line, by its id
    for constituent in reversed(list(tree.root.walk())):
        below = (len(leaf(x)) if isinstance(x, int) else lengths[id(x)] for x in constituent.children)
        lengths[id(constituent)] = len(head(constituent)) + 2 + sum(1 + length for length in below)
    lines: list[str] = []
    agenda: list[tuple[Child, int, int]] = [(tree.root, 0, 0)]  # with its depth, and the brackets closed after it
    while agenda:
        item, depth, closed = agenda.pop()
        indent = "  " * min(depth, _MAX_INDENT)
        if isinstance(item, int):
            lines.append(f"{indent}{leaf(item)}{')' * closed}")
        elif len(indent) + lengths[id(item)] + closed <= width:
            lines.append(f"{indent}{item.render(leaf, head)}{')' * closed}")
        else:
            lines.append(f"{indent}({head(item)}")
            *others, last = item.children
            agenda.append((last, depth + 1, closed + 1))
            agenda.extend((child, depth + 1, 0) for child in reversed(others))
    return "\n".join(lines)


def _has_indexed_leaves(text: str) -> bool:
    """Whether all leaves of the first tree are of the form index=word; a comment may follow it."""
    depth, is_found = 0, False
    for piece in _PIECE.finditer(text):
        kind = piece.lastindex or 0
        if kind in (_TAGGED, _BARE):
            if not _INDEXED.match(piece[kind]):
                return False
            is_found = True
        else:
            depth += 1 if kind == _OPENING else -1
        if depth <= 0:
            break
    return is_found


def _parse_line(line: str, id: str | None) -> Tree:
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
    return tree.root.render(_leaf_writer(tree, leaf_prefix), _head)


def _leaf_writer(tree: Tree, prefix: Callable[[int], str]) -> Callable[[int], str]:
    def leaf(i: int) -> str:
        token = tree.tokens[i]
        return f"({join_label(token.tag or NONE, token.function)} {prefix(i)}{escape_bracket_word(token.word)})"

    return leaf


def _head(constituent: Constituent) -> str:
    return join_label(constituent.label, constituent.function)


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
