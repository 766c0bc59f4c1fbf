"""Actions to trees: the transitions as the paper defines them, on lists, for one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from discoseq.errors import ActionError
from discoseq.linearization.actions import Action, Move
from discoseq.linearization.traversal import Traversal
from discoseq.trees.tree import Child, Constituent, Token, Tree


class Rulebook(Protocol):
    """What the builder needs to know of a linearization."""

    @property
    def name(self) -> str: ...
    @property
    def traversal(self) -> Traversal: ...
    def uses(self, action: Action) -> bool: ...
    def has(self, move: Move) -> bool: ...
    def token(self, action: Action) -> str: ...


def build_tree(linearization: Rulebook, tokens: Sequence[Token], actions: Iterable[Action]) -> Tree:
    """The tree of a sequence; raises an ActionError at the first action that can't be applied."""
    builder = TreeBuilder(linearization, len(tokens))
    position = 0
    for position, action in enumerate(actions, 1):
        obstacle = builder.obstacle(action)
        if obstacle:
            raise ActionError(position, linearization.token(action), obstacle)
        builder.apply(action)
    if not builder.is_finished:
        raise ActionError(position + 1, "end of the sequence", builder.what_is_missing())
    return builder.tree(tokens)


@dataclass(frozen=True, slots=True)
class OpenConstituent:
    """A NON-TERMINAL on the stack: its label and where in the stack its children begin."""

    label: str
    base: int

    def __str__(self) -> str:
        return self.label or "the constituent without a label"


class TreeBuilder:
    """A Configuration of plain numbers, with the trees built so far; SWAP may move any words, in any order."""

    def __init__(self, linearization: Rulebook, words: int) -> None:
        self._linearization = linearization
        self._before_label = linearization.traversal.children_before_label
        self.stack: list[Child] = []
        self.buffer = list(range(words - 1, -1, -1))  # the next word last
        self.open_constituents: list[OpenConstituent] = []
        self.built_count = 0
        self.is_finished = False

    @property
    def stack_size(self) -> int:
        return len(self.stack)

    @property
    def buffer_size(self) -> int:
        return len(self.buffer)

    @property
    def open_count(self) -> int:
        return len(self.open_constituents)

    @property
    def child_count(self) -> int:
        return len(self.stack) - (self.open_constituents[-1].base if self.open_constituents else 0)

    def obstacle(self, action: Action) -> str | None:
        """Why the action can't be applied now; None if it can."""
        if self.is_finished:
            return "the tree is complete"
        if not self._linearization.uses(action):
            return f"it is no action of {self._linearization.name}"
        traversal = self._linearization.traversal
        if not traversal.rules(self).get(action.move, action.move is Move.SWAP):
            return traversal.reasons.get(action.move, "it is not allowed here")
        return _OBSTACLES[action.move](self, action) if action.move in _OBSTACLES else None

    def apply(self, action: Action) -> None:
        """Do what the action says; it must have no obstacle."""
        if action.move is Move.SHIFT:
            self.stack.append(self.buffer.pop(-1 - action.distance))
        elif action.move is Move.SWAP:
            passed = self.stack[-1 - action.distance : -1]
            del self.stack[-1 - action.distance : -1]
            self.buffer.extend(word for word in reversed(passed) if isinstance(word, int))
        elif action.move is Move.NON_TERMINAL:
            assert action.label is not None
            self.open_constituents.append(OpenConstituent(action.label, len(self.stack) - self._before_label))
        elif action.move is Move.REDUCE:
            self._reduce(action)
        elif action.move is Move.FINISH:
            self.is_finished = True

    def what_is_missing(self) -> str:
        """Why this can't be the end."""
        if self.buffer:
            return f"{len(self.buffer)} of the words are still in the buffer"
        if self.open_constituents:
            return f"{self.open_constituents[-1]} is still open"
        if len(self.stack) > 1:
            return f"{len(self.stack)} elements are on the stack instead of one tree"
        return "no constituent was built" if not self.built_count else "FINISH is missing"

    def tree(self, tokens: Sequence[Token]) -> Tree:
        """The finished tree over its tokens."""
        root = self.stack[0]
        assert isinstance(root, Constituent)
        return Tree(root, tuple(tokens))

    def _reduce(self, action: Action) -> None:
        if action.count is None:
            innermost = self.open_constituents.pop()
            base, label = innermost.base, innermost.label
        else:
            assert action.label is not None
            base, label = len(self.stack) - action.count, action.label
        children = tuple(self.stack[base:])
        del self.stack[base:]
        self.stack.append(Constituent(label, children))
        self.built_count += 1
        if not self._linearization.has(Move.FINISH):
            self.is_finished = not self.open_constituents

    def _obstacle_to_shift(self, action: Action) -> str | None:
        if action.distance < len(self.buffer):
            return None
        return f"only {len(self.buffer)} words are in the buffer" if self.buffer else "no words are left in the buffer"

    def _obstacle_to_swap(self, action: Action) -> str | None:
        lowest = len(self.stack) - 1 - action.distance
        floor = self.open_constituents[-1].base + self._before_label if self.open_constituents else 0
        if lowest < floor or not all(isinstance(element, int) for element in self.stack[lowest:]):
            return f"the {action.distance + 1} top elements of the stack are not all words"
        return None

    def _obstacle_to_reduce(self, action: Action) -> str | None:
        if action.count is not None:
            return f"only {len(self.stack)} elements are on the stack" if action.count > len(self.stack) else None
        if not self.open_constituents:
            return "no constituent is open"
        innermost = self.open_constituents[-1]
        if not self.child_count:
            return f"{innermost} has no children"
        return f"it would close {innermost}" if action.label not in (None, innermost.label) else None


_OBSTACLES: dict[Move, Callable[[TreeBuilder, Action], str | None]] = {
    Move.SHIFT: TreeBuilder._obstacle_to_shift,
    Move.SWAP: TreeBuilder._obstacle_to_swap,
    Move.REDUCE: TreeBuilder._obstacle_to_reduce,
}
