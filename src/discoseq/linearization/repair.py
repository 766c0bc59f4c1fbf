"""A tree of any sequence whatever: from a model without constraints, from another program, cut off in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from discoseq.linearization.actions import REDUCE, Action, Move
from discoseq.linearization.builder import Rulebook, TreeBuilder
from discoseq.trees.tree import Constituent, Token, Tree


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was not right; `position` counts actions from 1, past the end for what was missing."""

    position: int
    what: str

    def __str__(self) -> str:
        return f"action {self.position}: {self.what}"


@dataclass(frozen=True, slots=True)
class Repaired:
    """A tree and what had to be done to get one; a sequence without fault has no repairs."""

    tree: Tree
    repairs: tuple[Repair, ...]


def repair_tree(
    linearization: Rulebook, tokens: Sequence[Token], actions: Iterable[Action | str], root_label: str
) -> Repaired:
    """Leave out what can't be applied, close what is open at the end, attach what is left.

    A string among the actions is a token that nobody could read.
    """
    builder = TreeBuilder(linearization, len(tokens))
    repairs: list[Repair] = []
    position = 0
    for position, action in enumerate(actions, 1):
        if isinstance(action, str):
            repairs.append(Repair(position, f"{action} left out: it is no action of {linearization.name}"))
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


def _only_its_label_is_wrong(builder: TreeBuilder, action: Action) -> bool:
    if action.move is not Move.REDUCE or action.label is None or not builder.open_constituents:
        return False
    return builder.obstacle(Action(Move.REDUCE, builder.open_constituents[-1].label)) is None


def _complete(builder: TreeBuilder, root_label: str) -> Iterator[str]:
    """Make one tree of what is there, and say what was done for it."""
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
            yield f"{len(words)} of the words attached to {root.label or 'the root'}"
        elif is_complete:
            yield what_is_missing
        builder.stack = [Constituent(root.label, (*root.children, *words))]
    else:
        yield f"{root_label} put over {builder.stack_size + len(words)} elements"
        builder.stack = [Constituent(root_label, (*builder.stack, *words))]
