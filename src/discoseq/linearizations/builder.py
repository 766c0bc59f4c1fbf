"""Actions to trees for one sentence: strictly, with an error at the first fault, or leniently, with repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discoseq.errors import ActionError
from discoseq.linearizations.actions import REDUCE, Action, Move
from discoseq.trees.tree import Child, Constituent, Token, Tree

if TYPE_CHECKING:  # a linearization calls this module to build its trees
    from discoseq.linearizations.linearization import Linearization


def build_tree(linearization: Linearization, tokens: Sequence[Token], actions: Iterable[Action]) -> Tree:
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
class Repair:
    """One change that was needed; `position` counts actions from 1, and is past the end for what was missing there."""

    position: int
    what: str

    def __str__(self) -> str:
        return f"action {self.position}: {self.what}"


@dataclass(frozen=True, slots=True)
class Repaired:
    """A tree and the repairs that led to it; a correct sequence needs none."""

    tree: Tree
    repairs: tuple[Repair, ...]


def repair_tree(
    linearization: Linearization, tokens: Sequence[Token], actions: Iterable[Action | str], root_label: str
) -> Repaired:
    """Leave out the actions that can't be applied, close what is open at the end, and attach what is left.

    The actions may come from a model without constraints or from another program; a string is an unknown token.
    """
    builder = TreeBuilder(linearization, len(tokens))
    repairs: list[Repair] = []
    position = 0
    for position, action in enumerate(actions, 1):
        if isinstance(action, str):
            repairs.append(Repair(position, f"{action} left out: it is not an action of {linearization.name}"))
            continue
        obstacle = builder.obstacle(action)
        if obstacle and _only_its_label_is_wrong(builder, action):
            repairs.append(Repair(position, f"{linearization.token(action)} closes {builder.open_constituents[-1]}"))
        elif obstacle:
            repairs.append(Repair(position, f"{linearization.token(action)} left out: {obstacle}"))
            continue
        builder.apply(action)
    if not builder.is_finished:
        repairs.extend(Repair(position + 1, what) for what in _complete(builder, root_label))
    return Repaired(builder.tree(tokens), tuple(repairs))


@dataclass(frozen=True, slots=True)
class OpenConstituent:
    """A constituent opened by NON-TERMINAL: its label and the stack position at which its children begin."""

    label: str
    child_start: int

    def __str__(self) -> str:
        return self.label or "the constituent without a label"


class TreeBuilder:
    """A Configuration of plain numbers, with the trees built so far; SWAP may move any words, in any order."""

    def __init__(self, linearization: Linearization, words: int) -> None:
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
        return len(self.stack) - (self.open_constituents[-1].child_start if self.open_constituents else 0)

    def obstacle(self, action: Action) -> str | None:
        """Why the action can't be applied now; None if it can."""
        if self.is_finished:
            return "the tree is complete"
        if not self._linearization.uses(action):
            return f"it is not an action of {self._linearization.name}"
        traversal = self._linearization.traversal
        if not traversal.rules(self).get(action.move, action.move is Move.SWAP):
            return traversal.reasons.get(action.move, "it is not allowed here")
        return _OBSTACLES[action.move](self, action) if action.move in _OBSTACLES else None

    def apply(self, action: Action) -> None:
        """Apply an action to which there is no obstacle."""
        if action.move is Move.SHIFT:
            self.stack.append(self.buffer.pop(-1 - action.distance))
        elif action.move is Move.SWAP:
            skipped = self.stack[-1 - action.distance : -1]
            del self.stack[-1 - action.distance : -1]
            self.buffer.extend(word for word in reversed(skipped) if isinstance(word, int))
        elif action.move is Move.NON_TERMINAL:
            assert action.label is not None
            self.open_constituents.append(OpenConstituent(action.label, len(self.stack) - self._before_label))
        elif action.move is Move.REDUCE:
            self._reduce(action)
        elif action.move is Move.FINISH:
            self.is_finished = True

    def what_is_missing(self) -> str:
        """Why the sequence can't end here."""
        if self.buffer:
            return f"words still in the buffer: {len(self.buffer)}"
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
            child_start, label = innermost.child_start, innermost.label
        else:
            assert action.label is not None
            child_start, label = len(self.stack) - action.count, action.label
        children = tuple(self.stack[child_start:])
        del self.stack[child_start:]
        self.stack.append(Constituent(label, children))
        self.built_count += 1
        if not self._linearization.has(Move.FINISH):
            self.is_finished = not self.open_constituents

    def _obstacle_to_shift(self, action: Action) -> str | None:
        if not self.buffer:
            return "no words are left in the buffer"
        if action.distance < len(self.buffer):
            return None
        return f"it needs {action.distance + 1} words, but the buffer has {len(self.buffer)}"

    def _obstacle_to_swap(self, action: Action) -> str | None:
        lowest = len(self.stack) - 1 - action.distance
        floor = self.open_constituents[-1].child_start + self._before_label if self.open_constituents else 0
        if lowest < floor or not all(isinstance(element, int) for element in self.stack[lowest:]):
            return f"the {action.distance + 1} top elements of the stack are not all words"
        return None

    def _obstacle_to_reduce(self, action: Action) -> str | None:
        if action.count is not None:
            is_possible = action.count <= len(self.stack)
            return None if is_possible else f"it needs {action.count} elements, but the stack has {len(self.stack)}"
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


def _only_its_label_is_wrong(builder: TreeBuilder, action: Action) -> bool:
    if action.move is not Move.REDUCE or action.label is None or not builder.open_constituents:
        return False
    return builder.obstacle(Action(Move.REDUCE, builder.open_constituents[-1].label)) is None


def _complete(builder: TreeBuilder, root_label: str) -> Iterator[str]:
    """Make one tree of what is on the stack and in the buffer, and yield a description of every repair."""
    what_is_missing = builder.what_is_missing()
    is_complete = builder.stack_size == 1 and builder.buffer_size == builder.open_count == 0
    while builder.open_constituents:
        innermost = builder.open_constituents[-1]
        if builder.child_count:
            yield f"{innermost} closed"
            builder.apply(REDUCE)
        else:
            yield f"{innermost} dropped: it has no children"
            builder.open_constituents.pop()
    root = builder.stack[0] if builder.stack_size == 1 else None
    words, builder.buffer = builder.buffer, []
    if isinstance(root, Constituent):
        if words:
            yield f"remaining words attached to {root.label or 'the root'}: {len(words)}"
        elif is_complete:
            yield what_is_missing
        builder.stack = [Constituent(root.label, (*root.children, *words))]
    else:
        yield f"root {root_label} added over {builder.stack_size + len(words)} elements"
        builder.stack = [Constituent(root_label, (*builder.stack, *words))]
