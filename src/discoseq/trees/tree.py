"""Tree: a sentence and its phrase structure, with crossing branches; an immutable value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from discoseq.errors import TreeError
from discoseq.trees.constituent import Child, Constituent, Token
from discoseq.trees.covers import first_token, interleave

__all__ = ["Child", "Constituent", "SecondaryEdge", "Token", "Tree"]

_LONGEST_REPR = 100


@dataclass(frozen=True, slots=True)
class SecondaryEdge:
    """A further parent of a node. Nodes are numbered: tokens 0, 1, 2, ...; constituents -1, -2, ... in pre-order."""

    child: int
    label: str | None
    parent: int


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """A sentence and its phrase structure; `id` and `comment` are not compared."""

    root: Constituent
    tokens: tuple[Token, ...]
    id: str | None = field(default=None, compare=False)
    comment: str | None = field(default=None, compare=False)
    secondary_edges: tuple[SecondaryEdge, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.tokens)
        if self.root.cover != (1 << count) - 1:
            raise TreeError(_what_is_not_covered(self.root, count))
        if self.secondary_edges:
            constituents = sum(1 for _ in self.root.walk())
            for edge in self.secondary_edges:
                if not (-constituents <= edge.child < count and -constituents <= edge.parent < 0):
                    raise TreeError(f"a secondary edge joins nodes {edge.child} and {edge.parent} that do not exist")
            object.__setattr__(self, "secondary_edges", tuple(sorted(self.secondary_edges, key=_edge_order)))

    # The methods below that read, write, draw or change trees are in files that build on this one, so these are
    # imported when they are needed.

    @classmethod
    def fromstring(cls, text: str, format: str | None = None) -> Tree:
        """The one tree in a text in brackets, on one line or many.

        The format is `discbracket` if all leaves are of the form index=word, and `bracket` otherwise.
        """
        from discoseq.trees.notation import parse_tree

        return parse_tree(text, format)

    @classmethod
    def from_dict(cls, entry: Mapping[str, object]) -> Tree:
        """The tree of a dictionary made by `to_dict`, or of one like it; keys that mean nothing here are ignored."""
        from discoseq.trees.dictionaries import tree_from_dict

        return tree_from_dict(entry)

    def to_dict(self) -> dict[str, object]:
        """The tree as dictionaries, lists, strings and numbers, as in a line of the JSON format (docs/formats.md)."""
        from discoseq.trees.dictionaries import tree_to_dict

        return tree_to_dict(self)

    @classmethod
    def from_nltk(cls, tree: Any, words: Sequence[str] | None = None) -> Tree:
        """The tree of an `nltk.Tree`; with `words` its leaves are token indices, without them they are the words."""
        from discoseq.trees.nltk_trees import tree_from_nltk

        return tree_from_nltk(tree, words)

    def to_nltk(self) -> Any:
        """An `nltk.Tree` over words, or, if the tree is discontinuous, an `nltk.ParentedTree` over token indices."""
        from discoseq.trees.nltk_trees import tree_to_nltk

        return tree_to_nltk(self)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.word for token in self.tokens)

    @property
    def tags(self) -> tuple[str | None, ...]:
        """The tags of the words; None where a word has none."""
        return tuple(token.tag for token in self.tokens)

    def leaves(self, constituent: Constituent | None = None) -> tuple[str, ...]:
        """The words that a constituent of this tree covers, by default the root."""
        return tuple(self.tokens[i].word for i in (constituent or self.root).tokens)

    def subtrees(self, *labels: str) -> Iterator[Constituent]:
        """The constituents that have one of the labels, by default all, parents before children, left to right."""
        return (constituent for constituent in self.root.walk() if not labels or constituent.label in labels)

    def continuous(self, method: str = "raise") -> Tree:
        """The tree without crossing branches, by `raise`, `split` or `attach` (discoseq.trees.continuous)."""
        from discoseq.trees.continuous import make_continuous

        return make_continuous(self, method)

    def draw(self, *, ascii: bool = False, width: int | None = None) -> str:
        """A drawing with line characters, to be printed; an outline if it would be wider than `width`."""
        from discoseq.trees.drawing import draw_text

        return draw_text(self, ascii=ascii, width=width)

    def _repr_svg_(self) -> str:
        """What notebooks display."""
        from discoseq.trees.drawing import draw_svg

        return draw_svg(self)

    @property
    def is_discontinuous(self) -> bool:
        return any(constituent.is_discontinuous for constituent in self.root.walk())

    @property
    def is_ill_nested(self) -> bool:
        """Whether two disjoint constituents interleave (x1 < y1 < x2 < y2), after Maier & Lichte (2009)."""
        return any(interleave(one, two) for parent in self.root.walk() for one, two in _gapped_pairs(parent))

    @property
    def gap_degree(self) -> int:
        """The largest gap degree of any constituent."""
        return max(constituent.gap_degree for constituent in self.root.walk())

    @property
    def depth(self) -> int:
        """The number of constituents on the longest path down from the root."""
        deepest = 0
        agenda: list[tuple[Constituent, int]] = [(self.root, 1)]
        while agenda:
            constituent, depth = agenda.pop()
            deepest = max(deepest, depth)
            agenda.extend((child, depth + 1) for child in constituent.children if not isinstance(child, int))
        return deepest

    def __str__(self) -> str:
        """Bracket notation with tags, with token indices if the tree is discontinuous, on one line or many."""
        from discoseq.trees.notation import format_tree

        return format_tree(self)

    def __repr__(self) -> str:
        from discoseq.trees.notation import format_tree

        text = format_tree(self, width=None)
        if len(text) <= _LONGEST_REPR:
            return f"Tree.fromstring({text!r})"
        name = f" {self.id}" if self.id else ""
        return f"<Tree{name} of {len(self.tokens)} tokens: {text[:_LONGEST_REPR]}...>"


def _edge_order(edge: SecondaryEdge) -> tuple[int, int, str]:
    return edge.child, edge.parent, edge.label or ""


def _what_is_not_covered(root: Constituent, count: int) -> str:
    beyond = root.cover >> count
    if beyond:
        return f"the tree covers token {count + first_token(beyond)} of a sentence of {count} tokens"
    return f"token {first_token(~root.cover)} is not part of the tree"


def _gapped_pairs(parent: Constituent) -> Iterator[tuple[int, int]]:
    # if any two disjoint constituents interleave, so do the children of their lowest common ancestor above them,
    # and both of those have a gap
    gapped = [c.cover for c in parent.children if not isinstance(c, int) and c.is_discontinuous]
    for i, one in enumerate(gapped):
        for two in gapped[:i]:
            yield one, two
