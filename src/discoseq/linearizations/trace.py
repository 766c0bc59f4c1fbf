"""A derivation step by step, as in the paper's figures: transition, stack, buffer and both masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from discoseq.linearizations.action_vocabulary import ActionVocabulary
from discoseq.linearizations.actions import Action, Move
from discoseq.linearizations.builder import TreeBuilder
from discoseq.linearizations.linearization import Linearization, longest_unary_chain
from discoseq.linearizations.machine import EXACT, WEAK, Machine
from discoseq.linearizations.state import Bools, ParserState
from discoseq.trees.tree import Child, Tree

_NAMES = {
    Move.SHIFT: "Shift",
    Move.SWAP: "Swap",
    Move.NON_TERMINAL: "Non-Terminal",
    Move.REDUCE: "Reduce",
    Move.FINISH: "Finish",
}


class ElementKind(StrEnum):
    """What an element of the stack is."""

    WORD = "word"
    CONSTITUENT = "constituent"
    OPEN = "open"  # the label of a constituent that is not closed yet, at its position among the others


@dataclass(frozen=True, slots=True)
class StackElement:
    """A word, a constituent or the label of an open one."""

    kind: ElementKind
    label: str | None  # None for a word
    words: tuple[int, ...]  # none for an open constituent, whose children are elements of their own


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedStep:
    """An action and the state after it."""

    action: Action | None  # None at the first step, which is the initial state
    stack: tuple[StackElement, ...]  # bottom first
    buffer: tuple[int, ...]  # front first
    state: ParserState  # of one row: what the machine knows of the same

    @property
    def stack_mask(self) -> Bools:
        """The words (words,) that heads for the stack see."""
        return np.asarray(self.state.stack_mask()[0])

    @property
    def buffer_mask(self) -> Bools:
        """The words (words,) that heads for the buffer see."""
        return np.asarray(self.state.buffer_mask()[0])


def replay(machine: Machine, words: int, actions: Sequence[Action]) -> Iterator[ReplayedStep]:
    """The initial state of a sentence of so many words, and the state after each of the actions."""
    builder = TreeBuilder(machine.linearization, words)
    state = machine.start([words])
    yield _step(None, builder, state, machine.linearization)
    for action in actions:
        builder.apply(action)
        state = machine.apply(state, np.array(machine.vocabulary.encode([action])))
        yield _step(action, builder, state, machine.linearization)


def action_name(action: Action) -> str:
    """The name that the paper's figures have: Shift#1, Non-Terminal-VP."""
    count = "" if action.count is None else f"#{action.count}"
    label = "" if action.label is None else f"-{action.label}"
    return f"{_NAMES[action.move]}{count}{label}"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A transition and the state after it as text; in a mask, 1 is a visible word and a dot is any other word."""

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
    for step in replay(machine, len(tree.tokens), actions):
        yield TraceStep(
            "" if step.action is None else action_name(step.action),
            _list(_shown(element, tree) for element in step.stack),
            _list(_word(word, tree) for word in step.buffer),
            _mask(step.stack_mask),
            _mask(step.buffer_mask),
        )


def _step(
    action: Action | None, builder: TreeBuilder, state: ParserState, linearization: Linearization
) -> ReplayedStep:
    return ReplayedStep(action, tuple(_stack(builder, linearization)), tuple(reversed(builder.buffer)), state)


def _stack(builder: TreeBuilder, linearization: Linearization) -> Iterator[StackElement]:
    """The elements of the stack, and the labels of open constituents at their positions."""
    before_label = linearization.traversal.children_before_label
    labels: dict[int, list[StackElement]] = {}
    for constituent in builder.open_constituents:
        opened = StackElement(ElementKind.OPEN, constituent.label, ())
        labels.setdefault(constituent.child_start + before_label, []).append(opened)
    for position, element in enumerate(builder.stack):
        yield from labels.get(position, [])
        yield _element(element)
    yield from labels.get(len(builder.stack), [])


def _element(element: Child) -> StackElement:
    if isinstance(element, int):
        return StackElement(ElementKind.WORD, None, (element,))
    return StackElement(ElementKind.CONSTITUENT, element.label, element.tokens)


def _shown(element: StackElement, tree: Tree) -> str:
    words = " ".join(_word(word, tree) for word in element.words)
    if element.kind is ElementKind.CONSTITUENT:
        return f"{element.label}_({words})"
    return words if element.label is None else element.label


def _word(word: int, tree: Tree) -> str:
    return f"{tree.tokens[word].word}_{word}"


def _list(items: Iterable[str]) -> str:
    text = ", ".join(items)
    return f"[ {text} ]" if text else "[ ]"


def _mask(mask: Bools) -> str:
    return "".join("1" if is_visible else "." for is_visible in mask)
