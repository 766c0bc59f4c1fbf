"""A linearization: a traversal, a reordering, and whether REDUCE names its label; trees to actions and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from discoseq.errors import ActionError, LinearizationError
from discoseq.linearization.actions import REDUCE, SHIFT, Action, Move, escape, non_terminal, reduce, unescape
from discoseq.linearization.builder import build_tree
from discoseq.linearization.reordering import Reordering
from discoseq.linearization.repair import Repaired, repair_tree
from discoseq.linearization.traversal import Traversal
from discoseq.trees.tree import Constituent, Token, Tree


@dataclass(frozen=True, slots=True)
class Spelling:
    """Two functions that undo each other."""

    write: Callable[[Action], str]
    read: Callable[[str], Action]


def _write_bracket(action: Action) -> str:
    if action.move is Move.NON_TERMINAL and action.label is not None:
        return f"({escape(action.label)}"
    if action.move is Move.REDUCE and action.label is not None:
        return f"){escape(action.label)}"
    return "XX" if action.move is Move.SHIFT else str(action)


def _read_bracket(token: str) -> Action:
    if token == "XX":
        return SHIFT
    if token.startswith("("):
        return non_terminal(unescape(token[1:]))
    if token.startswith(")"):
        return reduce(unescape(token[1:]))
    raise LinearizationError(f"{token!r} is no bracket and not XX")


SHIFT_REDUCE = Spelling(str, Action.parse)
BRACKETS = Spelling(_write_bracket, _read_bracket)


# The longest chain of one-child constituents that the machine builds unless told otherwise. Of the treebanks at hand,
# CRAFT has the longest, of 3 (the bracket around the sentence, a clause, a phrase over one word).
DEFAULT_UNARY_LIMIT = 4

_Shape = tuple[Move, bool, bool]  # a move, and whether it has a label and a count


@dataclass(frozen=True, slots=True)
class Linearization:
    """One cell of the grid; `grid.linearization` finds it by name."""

    name: str
    traversal: Traversal
    reordering: Reordering
    is_enriched: bool = False
    spelling: Spelling = SHIFT_REDUCE
    _shapes: frozenset[_Shape] = field(init=False, repr=False, compare=False)
    _moves: frozenset[Move] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shapes = frozenset(_shape(action) for action in self.basic_actions(["X"]))
        object.__setattr__(self, "_shapes", shapes)
        object.__setattr__(self, "_moves", frozenset(move for move, _, _ in shapes))
        if self.is_enriched and not self.has(Move.NON_TERMINAL):
            raise LinearizationError(f"{self.traversal.name} has labelled closings anyway: it can't be enriched")

    def linearize(self, tree: Tree) -> list[Action]:
        """The actions of the lazy oracle: to reach a word, SHIFT up to it, then SWAP back what was passed over.

        Only labels and structure are linearized: functions, secondary edges and all that tokens hold are not.
        """
        if not tree.tokens:
            raise LinearizationError(f"{_name(tree)} has no words")
        fetch = self.reordering.fetch
        actions: list[Action] = []
        buffer = tree.root.cover
        for step in self.traversal.oracle(tree.root):
            if isinstance(step, int):
                word = 1 << step
                buffer ^= word
                distance = (buffer & (word - 1)).bit_count()
                if distance and not self.reordering.can_reorder:
                    raise LinearizationError(self._why_not(tree))
                actions += fetch(distance)
            else:
                actions.append(self._enriched_or_plain(step))
        return actions

    def build(self, tokens: Sequence[Token], actions: Iterable[Action]) -> Tree:
        """The tree of a sequence; raises an ActionError at the first action that can't be applied."""
        return build_tree(self, tokens, actions)

    def repair(self, tokens: Sequence[Token], actions: Iterable[Action | str], root_label: str = "ROOT") -> Repaired:
        """A tree of any sequence whatever, and what had to be done to it (see docs/linearizations.md)."""
        return repair_tree(self, tokens, actions, root_label)

    def write(self, actions: Iterable[Action]) -> str:
        """A sequence as text: tokens with a space between them."""
        return " ".join(map(self.token, actions))

    def token(self, action: Action) -> str:
        """How the action is written."""
        return self.spelling.write(action)

    def read(self, text: str) -> list[Action]:
        """The sequence of a text; raises an ActionError at the first token that this linearization does not know."""
        actions = []
        for position, token in enumerate(text.split(), 1):
            try:
                actions.append(self.read_token(token))
            except LinearizationError as error:
                raise ActionError(position, token, str(error)) from None
        return actions

    def read_leniently(self, text: str) -> list[Action | str]:
        """The sequence of a text, for `repair`; what this linearization does not know stays a string."""
        items: list[Action | str] = []
        for token in text.split():
            try:
                items.append(self.read_token(token))
            except LinearizationError:
                items.append(token)
        return items

    def read_token(self, token: str) -> Action:
        """The action of one token."""
        action = self.spelling.read(token)
        if not self.uses(action):
            raise LinearizationError(f"it is no action of {self.name}")
        return action

    def max_steps(self, words: int, unary_limit: int = DEFAULT_UNARY_LIMIT) -> int:
        """The most actions that the machine lets a sentence of so many words take."""
        constituents = most_constituents(words, unary_limit)
        return self.reordering.max_steps(words) + self.traversal.max_steps(constituents)

    def basic_actions(self, labels: Iterable[str]) -> list[Action]:
        """The actions that suffice for some tree over any sentence, whatever came before."""
        actions = dict.fromkeys(self.reordering.basic_actions)
        for label in labels:
            for children in [(0,), (0, 1)]:
                steps = self.traversal.oracle(Constituent(label, children))
                actions |= dict.fromkeys(self._enriched_or_plain(step) for step in steps if not isinstance(step, int))
        return list(actions)

    def has(self, move: Move) -> bool:
        """Whether the move ever occurs."""
        return move in self._moves

    def uses(self, action: Action) -> bool:
        """Whether the action is of a kind that the linearization knows."""
        if _shape(action) not in self._shapes:
            return False
        return action.count is None or action.count > 0 or action.move is Move.SHIFT

    def _enriched_or_plain(self, action: Action) -> Action:
        if self.is_enriched or action.move is not Move.REDUCE or action.count is not None:
            return action
        return REDUCE

    def _why_not(self, tree: Tree) -> str:
        guilty = next(constituent for constituent in tree.root.walk() if constituent.is_discontinuous)
        gap = guilty.blocks[0][1]
        return (
            f"{_name(tree)} is discontinuous ({guilty.label or 'a constituent'} has a gap at word {gap}), which "
            f"{self.name} can't express; a linearization with +swap, +swap#k or +shift#k can"
        )


def most_constituents(words: int, unary_limit: int) -> int:
    """How many constituents a tree can have: n - 1 that branch, and a chain over each of them and over each word."""
    return (2 * words - 1) * unary_limit + words - 1 if words else 0


def longest_unary_chain(root: Constituent) -> int:
    """The most constituents with one child that stand directly one above the other, the lowest over a word included."""
    longest = 0
    agenda = [(root, 0)]
    while agenda:
        constituent, above = agenda.pop()
        length = above + 1 if len(constituent.children) == 1 else 0
        longest = max(longest, length)
        agenda.extend((child, length) for child in constituent.children if not isinstance(child, int))
    return longest


def _shape(action: Action) -> _Shape:
    return action.move, action.label is not None, action.count is not None


def _name(tree: Tree) -> str:
    return f"sentence {tree.id}" if tree.id else f"the sentence {' '.join(tree.words)[:40]!r}"
