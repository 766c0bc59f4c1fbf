"""A derivation step by step, as the paper's figures print it: transition, stack, buffer and both masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass

import numpy as np

from discoseq.linearization.action_vocabulary import ActionVocabulary
from discoseq.linearization.actions import Action, Move
from discoseq.linearization.builder import TreeBuilder
from discoseq.linearization.linearization import Linearization, longest_unary_chain
from discoseq.linearization.machine import Machine
from discoseq.linearization.state import Bools
from discoseq.trees.tree import Child, Tree

_NAMES = {
    Move.SHIFT: "Shift",
    Move.SWAP: "Swap",
    Move.NON_TERMINAL: "Non-Terminal",
    Move.REDUCE: "Reduce",
    Move.FINISH: "Finish",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A transition and what it leads to; in the masks, 1 stands for a visible word and a dot for any other."""

    transition: str
    stack: str
    buffer: str
    stack_mask: str
    buffer_mask: str


def trace(linearization: Linearization, tree: Tree) -> Iterator[Step]:
    """The derivation of a tree, from the state before its first action."""
    actions = linearization.linearize(tree)
    vocabulary = ActionVocabulary.of(linearization, [actions])
    machine = Machine(linearization, vocabulary, max(1, longest_unary_chain(tree.root)))
    builder = TreeBuilder(linearization, len(tree.tokens))
    state = machine.start([len(tree.tokens)])
    transition = ""
    for action in [*actions, None]:
        masks = _mask(state.stack_mask()[0]), _mask(state.buffer_mask()[0])
        yield Step(transition, _list(_stack(builder, linearization, tree)), _list(_buffer(builder, tree)), *masks)
        if action is not None:
            transition = _name(action)
            builder.apply(action)
            state = machine.apply(state, np.array(vocabulary.encode([action])))


def trace_as_text(steps: Iterable[Step]) -> str:
    """A table with aligned columns."""
    rows = [("Transition", "Stack", "Buffer", "Stack mask", "Buffer mask"), *map(astuple, steps)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines) + "\n"


def _name(action: Action) -> str:
    count = "" if action.count is None else f"#{action.count}"
    label = "" if action.label is None else f"-{action.label}"
    return f"{_NAMES[action.move]}{count}{label}"


def _stack(builder: TreeBuilder, linearization: Linearization, tree: Tree) -> Iterator[str]:
    """The elements of the stack with the labels of open constituents between them."""
    before_label = linearization.traversal.children_before_label
    labels: dict[int, list[str]] = {}
    for constituent in builder.open_constituents:
        labels.setdefault(constituent.base + before_label, []).append(constituent.label)
    for position, element in enumerate(builder.stack):
        yield from labels.get(position, [])
        yield _element(element, tree)
    yield from labels.get(len(builder.stack), [])


def _buffer(builder: TreeBuilder, tree: Tree) -> Iterator[str]:
    return (_word(word, tree) for word in reversed(builder.buffer))


def _element(element: Child, tree: Tree) -> str:
    if isinstance(element, int):
        return _word(element, tree)
    return f"{element.label}_({' '.join(_word(word, tree) for word in element.tokens)})"


def _word(word: int, tree: Tree) -> str:
    return f"{tree.tokens[word].word}_{word}"


def _list(items: Iterable[str]) -> str:
    text = ", ".join(items)
    return f"[ {text} ]" if text else "[ ]"


def _mask(mask: Bools) -> str:
    return "".join("1" if is_visible else "." for is_visible in mask)
