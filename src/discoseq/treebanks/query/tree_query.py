"""Finding nodes in trees by a query, as `discoseq search` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from discoseq.treebanks.query.bound_names import check_names
from discoseq.treebanks.query.matcher import Bindings, compile_pattern
from discoseq.treebanks.query.node_table import Kind, NodeTable
from discoseq.treebanks.query.pattern import SHOWN
from discoseq.treebanks.query.query_parser import parse_query
from discoseq.trees.escapes import escape_bracket_label, escape_bracket_word, join_label
from discoseq.trees.tree import Constituent, Token, Tree


@dataclass(frozen=True, slots=True)
class Node:
    """A phrase, a tag or a word of a tree."""

    tree: Tree
    number: int  # in pre-order, tags and words counted
    kind: Kind
    name: str  # the label or tag with its function, or the word
    constituent: Constituent | None  # of a phrase
    token: int | None  # of a tag or a word

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that the node covers."""
        return self.constituent.tokens if self.constituent is not None else (self.token or 0,)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.tree.tokens[i].word for i in self.tokens)

    def __str__(self) -> str:
        """The subtree in discbracket notation, with the token numbers of the sentence."""
        if self.constituent is None:
            leaf = f"{self.token}={escape_bracket_word(self.words[0])}"
            return f"({escape_bracket_label(self.name)} {leaf})" if self.kind is Kind.TAG else leaf
        return self.constituent.render(lambda i: _leaf(i, self.tree.tokens[i]), _head)


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that a query matches, and the nodes that were bound to names (`NP=n`) on the way."""

    node: Node
    bound: Mapping[str, Node] = field(default_factory=dict)


class TreeQuery:
    """A query in the language of docs/search-trees.md, read once and used on any number of trees."""

    def __init__(self, text: str, ignores_punctuation: bool = False) -> None:
        patterns = parse_query(text)
        for pattern in patterns:
            check_names(pattern)
        self.text = text
        self.ignores_punctuation = ignores_punctuation  # a gap that holds only punctuation is none
        self._patterns = [compile_pattern(pattern) for pattern in patterns]

    def find(self, tree: Tree) -> Iterator[Hit]:
        """The hits in a tree in pre-order, every node once."""
        table = NodeTable(tree, self.ignores_punctuation)
        found: dict[int, Bindings] = {}
        for pattern in self._patterns:
            for node in pattern.candidates(table):
                for bindings in pattern.solve(table, node, {}):
                    found.setdefault(bindings.get(SHOWN, node), bindings)
                    if SHOWN not in bindings:  # another solution for the same node is no further hit
                        break
        for node, bindings in sorted(found.items()):
            yield Hit(_node(table, node), {name: _node(table, x) for name, x in bindings.items() if name != SHOWN})


def _node(table: NodeTable, number: int) -> Node:
    item = table.items[number]
    constituent, token = (None, item) if isinstance(item, int) else (item, None)
    return Node(table.tree, number, table.kinds[number], table.names[number], constituent, token)


def _leaf(index: int, token: Token) -> str:
    leaf = f"{index}={escape_bracket_word(token.word)}"
    return leaf if token.tag is None else f"({join_label(token.tag, token.function)} {leaf})"


def _head(constituent: Constituent) -> str:
    return join_label(constituent.label, constituent.function)
