"""An example traversal: shift a word, then open all constituents that begin with it, from the outermost in."""

from collections.abc import Iterator, Mapping
from typing import Any

from discoseq.linearizations.actions import Action, Move, non_terminal, reduce
from discoseq.linearizations.traversals import Configuration
from discoseq.trees.tree import Child, Constituent


class WordFirst:
    """Word, NT-X ..., the other children, RE ...; it ends with the root."""

    name = "word-first"
    children_before_label = 1
    reasons: Mapping[Move, str] = {
        Move.SHIFT: "no constituent is open to take the word",
        Move.NON_TERMINAL: "there is no word on the stack",
        Move.REDUCE: "the root can't be closed while words are left",
    }

    def oracle(self, root: Constituent) -> Iterator[Action | int]:
        agenda: list[Child | Action] = [root]
        while agenda:
            item = agenda.pop()
            if not isinstance(item, Constituent):
                yield item
                continue
            labels = []
            first: Child = item
            while isinstance(first, Constituent):
                labels.append(non_terminal(first.label))
                agenda.extend((reduce(first.label), *reversed(first.children[1:])))
                first = first.children[0]
            agenda.extend((*reversed(labels), first))

    def rules(self, state: Configuration) -> Mapping[Move, Any]:
        return {
            Move.SHIFT: (state.open_count > 0) | (state.stack_size == 0),
            Move.NON_TERMINAL: state.stack_size > 0,
            Move.REDUCE: (state.open_count > 1) | (state.buffer_size == 0),
        }

    def max_steps(self, constituents: int) -> int:
        return 2 * constituents
