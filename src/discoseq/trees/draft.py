"""A mutable tree: nodes with parent pointers, to be frozen into a Tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from discoseq.errors import TreeError
from discoseq.trees.tree import Child, Constituent, SecondaryEdge, Token, Tree

ROOT = -1


@dataclass(slots=True)
class Draft:
    """Nodes are numbered as in SecondaryEdge: tokens 0, 1, 2, ...; constituents -1 (the root), -2, -3, ...

    Constituents may be in any order; `freeze` leaves out those without tokens.
    """

    labels: list[str]  # of constituent -1, -2, ...
    functions: list[str | None]
    parents: list[int]  # of constituent -1, -2, ...; the entry of the root is not used
    tokens: list[Token]
    token_parents: list[int]
    secondary_edges: list[SecondaryEdge] = field(default_factory=list)

    @classmethod
    def rooted(cls, label: str) -> Draft:
        """A draft with only a root."""
        return cls([label], [None], [ROOT], [], [])

    @classmethod
    def of(cls, tree: Tree) -> Draft:
        """A mutable copy of a tree; its node numbers stay valid in the draft."""
        draft = cls([], [], [], list(tree.tokens), [ROOT] * len(tree.tokens), list(tree.secondary_edges))
        parent_of = {id(tree.root): ROOT}
        for number, constituent in enumerate(tree.root.walk()):
            node = -1 - number
            draft.labels.append(constituent.label)
            draft.functions.append(constituent.function)
            draft.parents.append(parent_of[id(constituent)])
            for child in constituent.children:
                if isinstance(child, int):
                    draft.token_parents[child] = node
                else:
                    parent_of[id(child)] = node
        return draft

    def add(self, label: str, parent: int = ROOT, function: str | None = None) -> int:
        """Add a constituent and return its number."""
        self.labels.append(label)
        self.functions.append(function)
        self.parents.append(parent)
        return -len(self.labels)

    def add_token(self, token: Token, parent: int = ROOT) -> int:
        """Add a token at the end of the sentence and return its number."""
        self.tokens.append(token)
        self.token_parents.append(parent)
        return len(self.tokens) - 1

    def parent(self, node: int) -> int:
        return self.token_parents[node] if node >= 0 else self.parents[-1 - node]

    def attach(self, node: int, parent: int) -> None:
        """Move a node and everything below it to another parent."""
        if node >= 0:
            self.token_parents[node] = parent
        else:
            self.parents[-1 - node] = parent

    def covers(self) -> list[int]:
        """The covers of constituent -1, -2, ..."""
        covers = [0] * len(self.labels)
        for token, parent in enumerate(self.token_parents):
            covers[-1 - parent] |= 1 << token
        for node in reversed(self._parents_first(self.children())):
            if node != ROOT:
                covers[-1 - self.parent(node)] |= covers[-1 - node]
        return covers

    def children(self) -> list[list[int]]:
        """The children of constituent -1, -2, ..., constituents before tokens."""
        children: list[list[int]] = [[] for _ in self.labels]
        for number in range(1, len(self.labels)):
            children[-1 - self.parents[number]].append(-1 - number)
        for token, parent in enumerate(self.token_parents):
            children[-1 - parent].append(token)
        return children

    def remove_tokens(self, removed: set[int]) -> None:
        """Remove tokens and their secondary edges; the other tokens are renumbered."""
        numbers: dict[int, int] = {}
        for token in range(len(self.tokens)):
            if token not in removed:
                numbers[token] = len(numbers)
        self.tokens = [self.tokens[i] for i in numbers]
        self.token_parents = [self.token_parents[i] for i in numbers]
        self.secondary_edges = [
            replace(edge, child=numbers.get(edge.child, edge.child))
            for edge in self.secondary_edges
            if edge.child not in removed
        ]

    def freeze(self, id: str | None = None, comment: str | None = None) -> Tree:
        """The tree; a TreeError if the parents are cyclic."""
        children = self.children()
        built: dict[int, Constituent] = {}
        for node in reversed(self._parents_first(children)):
            parts: list[Child] = [x if x >= 0 else built[x] for x in children[-1 - node] if x >= 0 or x in built]
            if parts or node == ROOT:
                built[node] = Constituent(self.labels[-1 - node], tuple(parts), self.functions[-1 - node])
        edges = self._renumbered_edges(built) if self.secondary_edges else ()
        return Tree(built[ROOT], tuple(self.tokens), id, comment, edges)

    def _parents_first(self, children: list[list[int]]) -> list[int]:
        order = [ROOT]
        for node in order:
            order.extend(child for child in children[-1 - node] if child < 0)
        if len(order) < len(self.labels):
            # every constituent has one parent, so one that can't be reached from the root is in a cycle
            lost = next(iter(set(range(-len(self.labels), 0)) - set(order)))
            raise TreeError(f"{self.labels[-1 - lost] or 'a constituent'} is its own ancestor")
        return order

    def _renumbered_edges(self, built: dict[int, Constituent]) -> tuple[SecondaryEdge, ...]:
        rank = {id(constituent): -1 - number for number, constituent in enumerate(built[ROOT].walk())}
        numbers = {node: rank[id(constituent)] for node, constituent in built.items()}
        return tuple(
            SecondaryEdge(numbers.get(edge.child, edge.child), edge.label, numbers[edge.parent])
            for edge in self.secondary_edges
            if edge.parent in numbers and (edge.child >= 0 or edge.child in numbers)
        )
