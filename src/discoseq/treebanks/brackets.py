"""Bracket notation: PTB brackets, and discbracket for discontinuous trees.

bracket       (S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))        on one line or many, perhaps in an outer bracket
discbracket   (S (VP (PDS 0=Das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man))        one tree a line
"""

from collections.abc import Iterable, Iterator

from discoseq.errors import TreebankError
from discoseq.treebanks.bracket_chunks import BETWEEN_TREES, split_chunks
from discoseq.trees.bracket_parser import ORDINARY_LEAVES, Leaves, parse_brackets
from discoseq.trees.notation import one_line, parse_line
from discoseq.trees.notes import NoteLine, ignore_note
from discoseq.trees.tree import Tree


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
                "(discbracket, export, tigerxml and json can, and Tree.continuous() makes it continuous)"
            )
        yield one_line(tree, is_indexed=False) + "\n"


def read_discbracket(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every line that is not blank."""
    number = 0
    for line, text in enumerate(lines, 1):
        if BETWEEN_TREES.match(text):
            continue
        number += 1
        try:
            yield parse_line(text.lstrip(), line, str(number))  # an empty first column is left out
        except TreebankError as error:
            yield error


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree, its comment after a tab."""
    for tree in trees:
        comment = f"\t{' '.join(tree.comment.split())}" if tree.comment else ""
        yield one_line(tree, is_indexed=True) + comment + "\n"
