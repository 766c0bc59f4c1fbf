"""discbracket: a tree a line, leaves `index=word`: `(S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))`."""

from collections.abc import Iterable, Iterator

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.brackets import ReadLeaf, parse_brackets, render_brackets
from discoseq.treebanks.escapes import unescape
from discoseq.trees.tree import Tree


def read_discbracket(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or the error that stands in its place, for every line that is not blank."""
    number = 0
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        number += 1
        try:
            yield _parse(text, str(number))
        except TreeError as error:
            yield TreebankError(str(error), line=line)


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree, its comment after a tab."""
    for tree in trees:
        comment = f"\t{' '.join(tree.comment.split())}" if tree.comment else ""
        yield render_brackets(tree, "{}=".format) + comment + "\n"


def _parse(line: str, id: str) -> Tree:
    text, _, comment = line.partition("\t")
    if "=" not in text and comment.strip():
        # treetools' own variant: leaves are positions counted from 1, the words stand in the place of the comment
        trees = parse_brackets(text, _leaf_of(comment.split()))
        comment = ""
    else:
        trees = parse_brackets(text, _read_leaf)
    if len(trees) != 1:
        raise TreeError(f"the line holds {len(trees)} trees")
    root, tokens = trees[0]
    return Tree(root, tokens, id, comment.strip() or None)


def _read_leaf(leaf: str) -> tuple[int, str]:
    place, separator, word = leaf.partition("=")
    if not (separator and place.isascii() and place.isdigit() and word):
        raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
    if len(place) > _MOST_DIGITS:
        raise TreeError(f"the token index {place[:12]}... is too large")
    return int(place), unescape(word)


def _leaf_of(words: list[str]) -> ReadLeaf:
    def read_leaf(leaf: str) -> tuple[int, str]:
        if not (leaf.isascii() and leaf.isdigit() and len(leaf) <= _MOST_DIGITS and 0 < int(leaf) <= len(words)):
            raise TreeError(f"the leaf {leaf!r} is not of the form index=word")
        return int(leaf) - 1, words[int(leaf) - 1]

    return read_leaf


_MOST_DIGITS = 6  # a cover has a bit for every token, so an absurd index would cost absurd memory
