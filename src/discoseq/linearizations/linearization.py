"""Linearizations: a traversal, a reordering, and whether REDUCE names its label; the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from discoseq.errors import ActionError, LinearizationError
from discoseq.linearizations.actions import (
    BRACKETS,
    REDUCE,
    SHIFT,
    SHIFT_REDUCE,
    SWAP,
    Action,
    Move,
    Notation,
    shift,
    swap,
)
from discoseq.linearizations.builder import Repaired, build_tree, repair_tree
from discoseq.linearizations.traversals import BottomUp, InOrder, TopDown, Traversal
from discoseq.trees.tree import Constituent, Token, Tree

# The longest unary chain that the machine builds by default. The longest one in the treebanks that we have is 3, in
# CRAFT: the bracket around the sentence, a clause, and a phrase of one word.
DEFAULT_UNARY_LIMIT = 4

_Shape = tuple[Move, bool, bool]  # a move, and whether it has a label and a count


@dataclass(frozen=True, slots=True)
class Linearization:
    """A way to write trees as actions; `registry.linearization` finds one by its name."""

    name: str
    traversal: Traversal
    reordering: Reordering
    is_enriched: bool = False
    notation: Notation = SHIFT_REDUCE
    _shapes: frozenset[_Shape] = field(init=False, repr=False, compare=False)
    _moves: frozenset[Move] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shapes = frozenset(_shape(action) for action in self.basic_actions(["X"]))
        object.__setattr__(self, "_shapes", shapes)
        object.__setattr__(self, "_moves", frozenset(move for move, _, _ in shapes))
        if self.is_enriched and not self.has(Move.NON_TERMINAL):
            raise LinearizationError(f"{self.traversal.name} can't be enriched: its REDUCE actions have labels")

    def linearize(self, tree: Tree) -> list[Action]:
        """The oracle's actions for a tree; it swaps lazily: SHIFT up to the word, then SWAP back the words skipped.

        Only labels and structure are linearized, not functions, secondary edges or anything that tokens hold.
        """
        if not tree.tokens:
            raise LinearizationError(f"{_name(tree)} has no words")
        if self.reordering.is_eager:
            return list(self._swap_eagerly(tree))
        actions_to_shift = self.reordering.actions_to_shift
        actions: list[Action] = []
        buffer = tree.root.cover
        for step in self.traversal.oracle(tree.root):
            if isinstance(step, int):
                word = 1 << step
                buffer ^= word
                distance = (buffer & (word - 1)).bit_count()
                if distance and not self.reordering.can_reorder:
                    raise LinearizationError(self._why_not(tree))
                actions += actions_to_shift(distance)
            else:
                actions.append(self._enriched_or_plain(step))
        return actions

    def _swap_eagerly(self, tree: Tree) -> Iterator[Action]:
        """After every SHIFT, SWAP back the words that come later in the oracle's order, as in the authors' code."""
        steps = list(self.traversal.oracle(tree.root))
        places = {word: place for place, word in enumerate(step for step in steps if isinstance(step, int))}
        buffer = sorted(places, reverse=True)  # the next word last
        stack: list[int] = []
        for step in steps:
            if not isinstance(step, int):
                yield self._enriched_or_plain(step)
                continue
            while not stack or stack[-1] != step:
                stack.append(buffer.pop())
                yield SHIFT
                while len(stack) > 1 and places[stack[-2]] > places[stack[-1]]:
                    buffer.append(stack.pop(-2))
                    yield SWAP

    def build(self, tokens: Sequence[Token], actions: Iterable[Action]) -> Tree:
        """The tree of a sequence; raises an ActionError at the first action that can't be applied."""
        return build_tree(self, tokens, actions)

    def repair(self, tokens: Sequence[Token], actions: Iterable[Action | str], root_label: str = "ROOT") -> Repaired:
        """A tree for any sequence, and the repairs that were needed (see docs/linearizations.md)."""
        return repair_tree(self, tokens, actions, root_label)

    def write(self, actions: Iterable[Action]) -> str:
        """A sequence as text: tokens separated by spaces."""
        return " ".join(map(self.token, actions))

    def token(self, action: Action) -> str:
        """An action as text."""
        return self.notation.write(action)

    def read(self, text: str) -> list[Action]:
        """The sequence in a text; raises an ActionError at the first token that this linearization does not have."""
        actions = []
        for position, token in enumerate(text.split(), 1):
            try:
                actions.append(self.read_token(token))
            except LinearizationError as error:
                raise ActionError(position, token, str(error)) from None
        return actions

    def read_leniently(self, text: str) -> list[Action | str]:
        """The sequence in a text, for `repair`; a token that this linearization does not have stays a string."""
        items: list[Action | str] = []
        for token in text.split():
            try:
                items.append(self.read_token(token))
            except LinearizationError:
                items.append(token)
        return items

    def read_token(self, token: str) -> Action:
        """The action of one token."""
        action = self.notation.read(token)
        if not self.uses(action):
            raise LinearizationError(f"it is not an action of {self.name}")
        return action

    def max_steps(self, words: int, unary_limit: int = DEFAULT_UNARY_LIMIT) -> int:
        """The largest number of actions that the machine allows for a sentence of so many words."""
        constituents = most_constituents(words, unary_limit)
        return self.reordering.max_steps(words) + self.traversal.max_steps(constituents)

    def basic_actions(self, labels: Iterable[str]) -> list[Action]:
        """The actions that every vocabulary needs, so that any derivation can be completed to a tree."""
        actions = dict.fromkeys(self.reordering.basic_actions)
        for label in labels:
            for children in [(0,), (0, 1)]:
                steps = self.traversal.oracle(Constituent(label, children))
                actions |= dict.fromkeys(self._enriched_or_plain(step) for step in steps if not isinstance(step, int))
        return list(actions)

    def has(self, move: Move) -> bool:
        """Whether any action of the linearization makes this move."""
        return move in self._moves

    def uses(self, action: Action) -> bool:
        """Whether the action belongs to the linearization, whatever its label and count."""
        if _shape(action) not in self._shapes:
            return False
        return action.count is None or action.count > 0 or action.move is Move.SHIFT

    def _enriched_or_plain(self, action: Action) -> Action:
        if self.is_enriched or action.move is not Move.REDUCE or action.count is not None:
            return action
        return REDUCE

    def _why_not(self, tree: Tree) -> str:
        discontinuous = next(constituent for constituent in tree.root.walk() if constituent.is_discontinuous)
        gap = discontinuous.blocks[0][1]
        return (
            f"{_name(tree)} is discontinuous ({discontinuous.label or 'a constituent'} has a gap at word {gap}), which "
            f"{self.name} can't express; use a linearization with +swap, +swap#k or +shift#k"
        )


@dataclass(frozen=True, slots=True)
class Reordering:
    """How a word that is not the first of the buffer is shifted (Fernández-González and Gómez-Rodríguez, 2022)."""

    name: str  # "" for none
    actions_to_shift: Callable[[int], tuple[Action, ...]]  # from the number of words before a word in the buffer
    basic_actions: tuple[Action, ...]  # with these alone, every word can be shifted at some time
    can_reorder: bool = True
    is_eager: bool = False  # words are swapped after every SHIFT, which only weak constraints allow

    @property
    def has_swap(self) -> bool:
        return SWAP.move in {action.move for action in self.basic_actions}

    @property
    def has_counted_shift(self) -> bool:
        return shift(0) in self.basic_actions

    def max_steps(self, words: int) -> int:
        """The largest number of SHIFTs and SWAPs for a sentence; with SWAP, that of taking all words in reverse order.

        The last word then takes n SHIFTs and n - 1 SWAPs, the next n - 1 and n - 2, and so on: n² in all.
        """
        return words * words if self.has_swap else words


def most_constituents(words: int, unary_limit: int) -> int:
    """How many constituents a tree can have: n - 1 that branch, and a chain over each of them and over each word."""
    return (2 * words - 1) * unary_limit + words - 1 if words else 0


def longest_unary_chain(root: Constituent) -> int:
    """The largest number of constituents with one child that stand directly above one another."""
    longest = 0
    agenda = [(root, 0)]
    while agenda:
        constituent, above = agenda.pop()
        length = above + 1 if len(constituent.children) == 1 else 0
        longest = max(longest, length)
        agenda.extend((child, length) for child in constituent.children if not isinstance(child, int))
    return longest


def _shift_first(distance: int) -> tuple[Action, ...]:
    return (SHIFT,)


def _shift_and_swap(distance: int) -> tuple[Action, ...]:
    return (SHIFT,) * (distance + 1) + (SWAP,) * distance


def _shift_and_counted_swap(distance: int) -> tuple[Action, ...]:
    return (*(SHIFT,) * (distance + 1), swap(distance)) if distance else (SHIFT,)


def _counted_shift(distance: int) -> tuple[Action, ...]:
    return (shift(distance),)


REORDERINGS: dict[str, Reordering] = {
    reordering.name: reordering
    for reordering in [
        Reordering("", _shift_first, (SHIFT,), can_reorder=False),
        Reordering("swap", _shift_and_swap, (SHIFT, SWAP)),
        Reordering("swap#k", _shift_and_counted_swap, (SHIFT, swap(1))),
        Reordering("shift#k", _counted_shift, (shift(0),)),
    ]
}


EAGER_SWAP = Reordering("eager-swap", _shift_and_swap, (SHIFT, SWAP), is_eager=True)


def _shape(action: Action) -> _Shape:
    return action.move, action.label is not None, action.count is not None


def _name(tree: Tree) -> str:
    return f"sentence {tree.id}" if tree.id else f"the sentence {' '.join(tree.words)[:40]!r}"


def _all_linearizations() -> Iterator[Linearization]:
    """Three traversals by four reorderings, plain or enriched, and `bracketed`; and those with the eager oracle."""
    rows: list[tuple[Traversal, bool]] = [  # and whether it is enriched
        (TopDown(), False),
        (TopDown(), True),
        (InOrder(), False),
        (InOrder(), True),
        (BottomUp(), False),
    ]
    for traversal, is_enriched in rows:
        for reordering in [*REORDERINGS.values(), EAGER_SWAP]:
            name = f"enriched-{traversal.name}" if is_enriched else traversal.name
            name = f"{name}+{reordering.name}" if reordering.name else name
            yield Linearization(name, traversal, reordering, is_enriched)
    yield Linearization("bracketed", TopDown(), REORDERINGS[""], True, BRACKETS)


_REGISTRY = {each.name: each for each in _all_linearizations()}
# those that can be used with exact constraints
LINEARIZATIONS: tuple[str, ...] = tuple(name for name, each in _REGISTRY.items() if not each.reordering.is_eager)


def linearization(name: str) -> Linearization:
    """The linearization of that name; the error for an unknown name lists all names."""
    if name not in _REGISTRY:
        raise LinearizationError(f"there is no linearization {name!r}; there are {', '.join(LINEARIZATIONS)}")
    return _REGISTRY[name]
