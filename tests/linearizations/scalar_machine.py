"""A simple implementation of the machine for one row, on lists, with which the vectorised one is compared.

The required words are counted from the list of open constituents at every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discoseq.linearizations.actions import Action, Move
from discoseq.linearizations.linearization import Linearization


@dataclass
class Element:
    word: int
    chain: int = 0  # the length of the unary chain at its top
    last: int = -1
    label: str = ""


@dataclass
class Open:
    label: str
    child_start: int


class ScalarMachine:
    def __init__(self, linearization: Linearization, unary_limit: int, words: int) -> None:
        self.linearization = linearization
        self.traversal = linearization.traversal.name
        self.before = linearization.traversal.children_before_label
        self.limit = unary_limit
        self.stack: list[Element] = []
        self.buffer = list(range(words))
        self.open: list[Open] = []
        self.swappable = 0
        self.has_just_swapped = False
        self.built = 0
        self.finished = words == 0

    def allows(self, action: Action) -> bool:
        if self.finished:
            return action.move is Move.PAD
        match action.move:
            case Move.SHIFT:
                return self.allows_shift(action.distance)
            case Move.SWAP:
                return action.distance < self.swappable
            case Move.NON_TERMINAL:
                return self.allows_non_terminal()
            case Move.REDUCE:
                return self.allows_count(action) if self.traversal == "bottom-up" else self.allows_reduce(action)
            case Move.FINISH:
                return not self.buffer and not self.open and len(self.stack) == 1 and self.built > 0
            case _:
                return False

    def keeps_order(self, action: Action) -> bool:
        if action.move is not Move.SHIFT or action.count is None or action.distance >= len(self.buffer):
            return True
        return self.buffer[action.distance] > self.stack[-1].word if self.stack else action.distance == 0

    def allowed(self, actions: Sequence[Action]) -> list[bool]:
        """A word is shifted out of order only where no other action is allowed."""
        in_any_order = [self.allows(action) for action in actions]
        in_order = [allowed and self.keeps_order(action) for allowed, action in zip(in_any_order, actions, strict=True)]
        return in_order if any(in_order) else in_any_order

    def allows_shift(self, distance: int) -> bool:
        if distance >= len(self.buffer):
            return False
        if self.traversal == "bottom-up":
            return True
        if not self.open and (self.traversal == "top-down" or self.stack):
            return False
        returnable = 0 if self.has_just_swapped else self.swappable
        kept = [*self.stack[: len(self.stack) - returnable], Element(-1)]
        return self.required_words(self.open, kept) <= len(self.buffer) + returnable - 1

    def allows_non_terminal(self) -> bool:
        if self.traversal == "top-down":
            if not self.open and self.stack:
                return False
        else:
            floor = self.open[-1].child_start + 1 if self.open else 0
            if len(self.stack) <= floor:
                return False
        constituents = [*self.open, Open("", len(self.stack) - self.before)]
        return self.required_words(constituents, self.stack) <= len(self.buffer)

    def allows_reduce(self, action: Action) -> bool:
        if not self.open or (self.traversal == "top-down" and len(self.open) == 1 and self.buffer):
            return False
        if action.label not in (None, self.open[-1].label):
            return False
        children = self.stack[self.open[-1].child_start :]
        if not children or (len(children) == 1 and children[0].chain >= self.limit):
            return False
        return self.required_words(self.open, self.stack) <= len(self.buffer)

    def allows_count(self, action: Action) -> bool:
        assert action.count is not None
        if action.count > len(self.stack):
            return False
        return action.count > 1 or self.stack[-1].chain < self.limit

    def required_words(self, constituents: list[Open], stack: list[Element]) -> int:
        total = open_chain = 0
        for number, one in enumerate(constituents):
            has_inner = number + 1 < len(constituents)
            end = constituents[number + 1].child_start if has_inner else len(stack)
            children = stack[one.child_start : end]
            if has_inner and not children:
                open_chain += 1
            elif has_inner or len(children) > 1:
                total += open_chain // (self.limit + 1)
                open_chain = 0
            elif children:
                total += (open_chain + 1 + children[0].chain) // (self.limit + 1)
            else:
                total += 1 + (open_chain + 1) // (self.limit + 1)
        return total

    def apply(self, action: Action) -> None:
        if action.move is Move.SHIFT:
            word = self.buffer.pop(action.distance)
            self.stack.append(Element(word, last=word))
            self.swappable = 1 if self.has_just_swapped else self.swappable + 1
            self.swappable *= self.linearization.reordering.has_swap
            self.has_just_swapped = False
        elif action.move is Move.SWAP:
            for _ in range(action.distance):
                self.buffer.insert(0, self.stack.pop(-2).word)
            self.swappable -= action.distance
            self.has_just_swapped = True
        elif action.move is Move.NON_TERMINAL:
            self.open.append(Open(action.label or "", len(self.stack) - self.before))
            self.swappable, self.has_just_swapped = 0, False
        elif action.move is Move.REDUCE:
            one = self.open.pop() if action.count is None else Open(action.label or "", len(self.stack) - action.count)
            first = one.child_start
            children = self.stack[first:]
            del self.stack[first:]
            chain = children[0].chain + 1 if len(children) == 1 else 0
            self.stack.append(Element(children[0].word, chain, max(child.last for child in children), one.label))
            self.built += 1
            self.swappable, self.has_just_swapped = 0, False
            self.finished = self.traversal == "top-down" and not self.open
        elif action.move is Move.FINISH:
            self.finished = True
