"""PTB brackets: `(S (NP-SBJ (NNP Ann)) (VP (VBZ sleeps)))`, on one line or many, with or without an outer bracket."""

from collections.abc import Iterable, Iterator

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.brackets import parse_brackets, render_brackets, split_chunks
from discoseq.trees.tree import Tree


def read_bracket(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or the error that stands in its place, for every outermost bracket."""
    number = 0
    for line, text in split_chunks(enumerate(lines, 1)):
        try:
            for root, tokens in parse_brackets(text, read_leaf=None):
                number += 1
                yield Tree(root, tokens, str(number))
        except TreeError as error:
            number += 1
            yield TreebankError(str(error), line=line)


def write_bracket(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree; a discontinuous tree is an error, for the format says order by position alone."""
    for number, tree in enumerate(trees, 1):
        if tree.is_discontinuous:
            raise TreebankError(
                f"sentence {tree.id or number} is discontinuous, which the bracket format can't hold "
                "(discbracket, export and tigerxml can)"
            )
        yield render_brackets(tree, lambda i: "") + "\n"
