"""Which parse belongs to which gold tree, and what to do with a gold tree that has none."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, zip_longest
from typing import TypeAlias

from discoseq.errors import EvaluationError
from discoseq.trees.tree import Tree

# the name of a sentence for messages, its gold tree, and its parse if it has one
Pair: TypeAlias = tuple[str, Tree, Tree | None]


class Missing(StrEnum):
    """What becomes of a gold sentence without a parse."""

    ERROR = "error"  # it ends the run
    EMPTY = "empty"  # it counts as a parse without brackets, so recall suffers
    SKIP = "skip"  # it is left out, as disco-dop does without a word


class PairBy(StrEnum):
    """What makes a parse the parse of a gold tree."""

    ID = "id"
    ORDER = "order"


def pair_in_order(gold: Iterable[Tree], predicted: Iterable[Tree]) -> Iterator[Pair]:
    """The first with the first, and so on."""
    for number, (one, two) in enumerate(zip_longest(gold, predicted), 1):
        if one is None:
            raise EvaluationError(f"sentence {number}: there is a parse but no gold tree")
        yield one.id or str(number), one, two


def pair_by_id(gold: Iterable[Tree], predicted: Iterable[Tree]) -> Iterator[Pair]:
    """In the order of the parses, then gold trees without one; files in the same order are read side by side."""
    waiting: dict[str, Tree] = {}
    rest = iter(gold)
    for tree in predicted:
        name = str(tree.id)
        while name not in waiting:
            other = next(rest, None)
            if other is None:
                raise EvaluationError(f"sentence {name}: there is a parse but no gold tree left with this id")
            if str(other.id) in waiting:
                raise EvaluationError(f"sentence {other.id}: gold has two trees with this id")
            waiting[str(other.id)] = other
        yield name, waiting.pop(name), tree
    for tree in chain(waiting.values(), rest):
        yield str(tree.id), tree, None
