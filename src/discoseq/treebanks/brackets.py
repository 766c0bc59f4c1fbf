"""Bracket notation: PTB brackets, and discbracket for discontinuous trees.

bracket       (S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))        on one line or many, perhaps in an outer bracket
discbracket   (S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))        one tree a line
"""

from collections.abc import Callable, Iterable, Iterator

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.bracket_chunks import BETWEEN_TREES, split_chunks
from discoseq.treebanks.bracket_parser import ORDINARY_LEAVES, Leaves, ReadLeaf, parse_brackets
from discoseq.treebanks.escapes import NONE, escape_bracket_word, join_label, unescape
from discoseq.treebanks.notes import NoteLine, ignore_note
from discoseq.trees.tree import Tree

_MOST_DIGITS = 6  # a cover has a bit for every token, so a huge index would need huge memory


def read_bracket(
    lines: Iterable[str], leaves: Leaves = ORDINARY_LEAVES, note: NoteLine = ignore_note
) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every outermost bracket."""
    number = 0
    for line, text in split_chunks(lines):
        try:
            for root, tokens in parse_brackets(text, line, None, leaves, note):
                number += 1
                yield Tree(root, tokens, str(number))
        except TreebankError as error:
            number += 1
            yield error


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
        if BETWEEN_TREES.match(text):
            continue
        number += 1
        try:
            yield _parse_line(text.lstrip(), line, str(number))  # an empty first column is left out
        except TreebankError as error:
            yield error


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree, its comment after a tab."""
    for tree in trees:
        comment = f"\t{' '.join(tree.comment.split())}" if tree.comment else ""
        yield _render(tree, "{}=".format) + comment + "\n"


def _parse_line(text: str, line: int, id: str) -> Tree:
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


def _render(tree: Tree, leaf_prefix: Callable[[int], str]) -> str:
    """The tree on one line, every word under its tag."""

    def leaf(i: int) -> str:
        token = tree.tokens[i]
        return f"({join_label(token.tag or NONE, token.function)} {leaf_prefix(i)}{escape_bracket_word(token.word)})"

    return tree.root.render(leaf, lambda constituent: join_label(constituent.label, constituent.function))
