"""Bracket notation of one tree: what `Tree.fromstring` reads, `str` shows, and the bracket formats have on a line.

(S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))                                    a continuous tree
(S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))               any tree, in discbracket
"""

import re
from collections.abc import Callable

from discoseq.errors import TreebankError, TreeError
from discoseq.trees.bracket_parser import BARE, OPENING, PIECE, TAGGED, ReadLeaf, parse_brackets
from discoseq.trees.escapes import NONE, escape_bracket_word, join_label, unescape
from discoseq.trees.tree import Child, Constituent, Tree

_INDEXED = re.compile(r"[0-9]+=.", re.DOTALL)
_MAX_INDENT = 40  # levels; deeper ones are not indented further, to keep the text linear in the tree
_MOST_DIGITS = 6  # a cover has a bit for every token, so a huge index would need huge memory


def parse_tree(text: str, format: str | None = None) -> Tree:
    """The one tree in a text, on one line or many; by default discbracket if all leaves are of the form index=word."""
    if format not in (None, "bracket", "discbracket"):
        raise TreeError(f"a string is read as bracket or discbracket, not as {format!r}")
    is_indexed = _has_indexed_leaves(text) if format is None else format == "discbracket"
    try:
        if is_indexed and "\n" not in text.strip():
            return parse_line(text.strip(), 1, None)
        trees = parse_brackets(text, 1, _read_leaf if is_indexed else None)
    except TreebankError as error:
        raise TreeError(error.reason) from None
    if len(trees) != 1:
        raise TreeError(f"one tree is expected, and the text contains {len(trees)}")
    root, tokens = trees[0]
    return Tree(root, tokens)


def format_phrase(tree: Tree, phrase: Child) -> str:
    """A constituent or a token of the tree on one line, with the token indices of the sentence if there is a gap."""
    if isinstance(phrase, int):
        return _leaf_writer(tree, is_indexed=_INDEXED.match(tree.words[phrase]) is not None)(phrase)
    return phrase.render(_leaf_writer(tree, _needs_indices(tree, phrase)), _head)


def format_tree(tree: Tree, width: int | None = 80) -> str:
    """The tree as `parse_tree` reads it, indented over several lines if it is wider than `width`."""
    leaf, head = _leaf_writer(tree, _needs_indices(tree, tree.root)), _head
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


def parse_line(text: str, line: int, id: str | None) -> Tree:
    """The tree in a line of discbracket, and its comment after a tab."""
    brackets, _, comment = text.partition("\t")
    if "=" not in brackets and comment.strip():
        # the variant of treetools: leaves are positions counted from 1, and the words follow after the tab
        trees = parse_brackets(brackets, line, _leaf_of(comment.split()))
        comment = ""
    else:
        trees = parse_brackets(brackets, line, _read_leaf)
    if len(trees) != 1:
        raise TreebankError(f"the line contains {len(trees)} trees", line=line)
    root, tokens = trees[0]
    return Tree(root, tokens, id, comment.strip() or None)


def one_line(tree: Tree, is_indexed: bool) -> str:
    """The tree on one line, every word under its tag, and with its index if this is asked for."""
    return tree.root.render(_leaf_writer(tree, is_indexed), _head)


def _needs_indices(tree: Tree, phrase: Constituent) -> bool:
    # a word that looks like an indexed leaf has to be told from one
    return any(x.is_discontinuous for x in phrase.walk()) or any(map(_INDEXED.match, tree.leaves(phrase)))


def _has_indexed_leaves(text: str) -> bool:
    """Whether all leaves of the first tree are of the form index=word; a comment may follow it."""
    depth, is_found = 0, False
    for piece in PIECE.finditer(text):
        kind = piece.lastindex or 0
        if kind in (TAGGED, BARE):
            if not _INDEXED.match(piece[kind]):
                return False
            is_found = True
        else:
            depth += 1 if kind == OPENING else -1
        if depth <= 0:
            break
    return is_found


def _read_leaf(leaf: str) -> tuple[int, str]:
    index, separator, word = leaf.partition("=")
    if not (separator and index.isascii() and index.isdigit() and word):
        raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
    if len(index) > _MOST_DIGITS:
        raise TreeError(f"the token index {index[:12]}... is too large")
    return int(index), unescape(word)


def _leaf_of(words: list[str]) -> ReadLeaf:
    def read_leaf(leaf: str) -> tuple[int, str]:
        if not (leaf.isascii() and leaf.isdigit() and len(leaf) <= _MOST_DIGITS and 0 < int(leaf) <= len(words)):
            raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
        return int(leaf) - 1, words[int(leaf) - 1]

    return read_leaf


def _leaf_writer(tree: Tree, is_indexed: bool) -> Callable[[int], str]:
    def leaf(i: int) -> str:
        token = tree.tokens[i]
        index = f"{i}=" if is_indexed else ""
        return f"({join_label(token.tag or NONE, token.function)} {index}{escape_bracket_word(token.word)})"

    return leaf


def _head(constituent: Constituent) -> str:
    return join_label(constituent.label, constituent.function)
