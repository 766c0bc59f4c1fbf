"""The nodes of a tree, tags and words among them, as columns that queries look up by number."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from discoseq.trees.covers import gap_degree
from discoseq.trees.punctuation import cover_of_words
from discoseq.trees.tree import Child, Constituent, Token, Tree

NO_PARENT = -1


class Kind(StrEnum):
    """What a node is."""

    PHRASE = "phrase"
    TAG = "tag"
    WORD = "word"


class NodeTable:
    """Nodes in pre-order: phrases, tags under them, and words under their tags, or under phrases if they have none.

    The name of a node is its label or tag with the function (`NP-SBJ`), or its word. What few queries need is computed
    when it is asked for.
    """

    def __init__(self, tree: Tree, ignores_punctuation: bool = False) -> None:
        self.tree = tree
        self.ignores_punctuation = ignores_punctuation
        self.names: list[str] = []
        self.labels: list[str] = []  # without functions
        self.parents: list[int] = []
        self.kinds: list[Kind] = []
        self.items: list[Child] = []  # the constituent, or the index of the token
        names, labels, parents, kinds, items = self.names, self.labels, self.parents, self.kinds, self.items
        agenda: list[tuple[Child, int]] = [(tree.root, NO_PARENT)]
        while agenda:
            item, parent = agenda.pop()
            items.append(item)
            parents.append(parent)
            if isinstance(item, int):
                token = tree.tokens[item]
                if token.tag is not None:
                    labels.append(token.tag)
                    names.append(token.tag if token.function is None else _with_function(token.tag, token.function))
                    kinds.append(Kind.TAG)
                    items.append(item)
                    parents.append(len(kinds) - 1)
                labels.append(token.word)
                names.append(token.word)
                kinds.append(Kind.WORD)
            else:
                number = len(kinds)
                labels.append(item.label)
                names.append(item.label if item.function is None else _with_function(item.label, item.function))
                kinds.append(Kind.PHRASE)
                agenda.extend([(child, number) for child in reversed(item.children)])

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of every node, in the order of their first token."""
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent != NO_PARENT:
                children[parent].append(node)
        return children

    @cached_property
    def ends(self) -> list[int]:
        """For every node, the number after the last node below it."""
        ends = list(range(1, len(self.parents) + 1))
        for node in range(len(self.parents) - 1, 0, -1):
            parent = self.parents[node]
            ends[parent] = max(ends[parent], ends[node])
        return ends

    @cached_property
    def covers(self) -> list[int]:
        """The tokens of every node."""
        return [1 << item if isinstance(item, int) else item.cover for item in self.items]

    @cached_property
    def firsts(self) -> list[int]:
        """The first token of every node; -1 in a tree without tokens."""
        return [item if isinstance(item, int) else item.first for item in self.items]

    @cached_property
    def lasts(self) -> list[int]:
        """The last token of every node; -1 in a tree without tokens."""
        return [item if isinstance(item, int) else item.last for item in self.items]

    @cached_property
    def begin_at(self) -> list[list[int]]:
        """The nodes that begin with each token."""
        begin_at: list[list[int]] = [[] for _ in self.tree.tokens]
        for node, first in enumerate(self.firsts):
            if first >= 0:
                begin_at[first].append(node)
        return begin_at

    @cached_property
    def end_at(self) -> list[list[int]]:
        """The nodes that end with each token."""
        end_at: list[list[int]] = [[] for _ in self.tree.tokens]
        for node, last in enumerate(self.lasts):
            if last >= 0:
                end_at[last].append(node)
        return end_at

    def siblings(self, node: int) -> list[int]:
        """The children of the node's parent, itself included; none for the root."""
        parent = self.parents[node]
        return [] if parent == NO_PARENT else self.children[parent]

    def token(self, node: int) -> Token | None:
        """The token whose upper node this is: its tag or, without a tag, its word."""
        item = self.items[node]
        if not isinstance(item, int) or (self.kinds[node] is Kind.WORD and self.tree.tokens[item].tag is not None):
            return None
        return self.tree.tokens[item]

    def function(self, node: int) -> str | None:
        """The function of a phrase or of a token's upper node."""
        item = self.items[node]
        if isinstance(item, Constituent):
            return item.function
        token = self.token(node)
        return token.function if token is not None else None

    def gap_degree(self, node: int) -> int:
        item = self.items[node]
        if isinstance(item, int) or not item.is_discontinuous:
            return 0
        return gap_degree(item.cover, self._words) if self.ignores_punctuation else item.gap_degree

    @cached_property
    def _words(self) -> int:
        return cover_of_words(self.tree)


def _with_function(label: str, function: str) -> str:
    """`NP-SBJ`, and `NP=2` for the index of gapping, as bracket files have them."""
    return f"{label}{function}" if function.startswith("=") else f"{label}-{function}"
