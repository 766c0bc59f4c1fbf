"""A derivation step by step, as in the paper's figures: transition, stack, buffer and both masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Action, Move
from discoseq.linearizations.builder import TreeBuilder
from discoseq.linearizations.linearization import Linearization, longest_unary_chain
from discoseq.linearizations.machine import EXACT, WEAK, Machine
from discoseq.linearizations.state import Bools
from discoseq.trees.tree import Child, Tree

_NAMES = {
    Move.SHIFT: "Shift",
    Move.SWAP: "Swap",
    Move.NON_TERMINAL: "Non-Terminal",
    Move.REDUCE: "Reduce",
    Move.FINISH: "Finish",
}


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A transition and the state after it; in a mask, 1 is a visible word and a dot is any other word."""

    transition: str
    stack: str
    buffer: str
    stack_mask: str
    buffer_mask: str


def trace(linearization: Linearization, tree: Tree) -> Iterator[TraceStep]:
    """The derivation of a tree; the first step has no transition and shows the initial state."""
    actions = linearization.linearize(tree)
    vocabulary = ActionVocabulary.of(linearization, [actions])
    constraints = WEAK if linearization.reordering.is_eager else EXACT
    machine = Machine(linearization, vocabulary, max(1, longest_unary_chain(tree.root)), constraints)
    builder = TreeBuilder(linearization, len(tree.tokens))
    state = machine.start([len(tree.tokens)])
    transition = ""
    for action in [*actions, None]:
        masks = _mask(state.stack_mask()[0]), _mask(state.buffer_mask()[0])
        yield TraceStep(transition, _list(_stack(builder, linearization, tree)), _list(_buffer(builder, tree)), *masks)
        if action is not None:
            transition = _name(action)
            builder.apply(action)
            state = machine.apply(state, np.array(vocabulary.encode([action])))


def _name(action: Action) -> str:
    count = "" if action.count is None else f"#{action.count}"
    label = "" if action.label is None else f"-{action.label}"
    return f"{_NAMES[action.move]}{count}{label}"


def _stack(builder: TreeBuilder, linearization: Linearization, tree: Tree) -> Iterator[str]:
    """The elements of the stack, and the labels of open constituents at their positions."""
    before_label = linearization.traversal.children_before_label
    labels: dict[int, list[str]] = {}
    for constituent in builder.open_constituents:
        labels.setdefault(constituent.child_start + before_label, []).append(constituent.label)
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
