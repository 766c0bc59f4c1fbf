"""TIGER-XML: `s` elements with a graph of terminals and nonterminals that point at their children."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.xml import Event, element, read_events
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.escapes import NONE, optional, optional_tag
from discoseq.trees.notes import NoteLine, freeze_noting, ignore_note
from discoseq.trees.transforms import put_under_root
from discoseq.trees.tree import SecondaryEdge, Token, Tree

VROOT = "VROOT"
_FIRST_NODE = 500


def read_tigerxml(
    stream: BinaryIO,
    encoding: str | None = None,
    on_second_parent: Callable[[TreebankError], None] | None = None,
    note: NoteLine = ignore_note,
    deleted_lines: Collection[int] = (),
) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every `s`.

    A second parent of a node is an error; with `on_second_parent`, the error is passed to it and the first parent kept.
    But an edge in one of the `deleted_lines` is left out if its node has another parent, and reported in the same way.
    """
    graph: _Graph | None = None
    for event in read_events(stream, encoding):
        if event.name == "s":
            if graph is not None and not event.is_start:
                yield graph.parse()
            graph = None
            if event.is_start:
                graph = _Graph(event.line, event.attributes.get("id"), on_second_parent, note, deleted_lines)
        elif graph is not None and event.is_start:
            graph.add(event)


def write_tigerxml(trees: Iterable[Tree]) -> Iterator[str]:
    """A corpus of `s` elements; a root with a function gets VROOT over it, because functions are on edges."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<corpus>\n<body>\n'
    for number, tree in enumerate(trees, 1):
        rooted = put_under_root(tree, VROOT) if tree.root.function else tree
        yield "".join(_lines_of(rooted, tree.id or str(number)))
    yield "</body>\n</corpus>\n"


@dataclass(slots=True)
class _Node:
    """A `t` or `nt` element and its edges."""

    attributes: dict[str, str]
    line: int
    parent: str | None = None
    function: str | None = None
    secondary: list[tuple[str | None, str]] = field(default_factory=list)  # label and name of the second parent


class _Graph:
    """The elements of one sentence."""

    def __init__(
        self,
        line: int,
        id: str | None,
        on_second_parent: Callable[[TreebankError], None] | None,
        note: NoteLine,
        deleted_lines: Collection[int],
    ) -> None:
        self.line = line
        self.id = id
        self.on_second_parent = on_second_parent
        self.note = note
        self.deleted_lines = deleted_lines
        self.terminals: dict[str, _Node] = {}
        self.nonterminals: dict[str, _Node] = {}
        self.edges: list[tuple[str, Event]] = []  # with the parent's name
        self.current = ""
        self.fault: TreebankError | None = None

    def add(self, event: Event) -> None:
        name = event.attributes.get("id", "")
        if event.name in ("t", "nt"):
            nodes = self.terminals if event.name == "t" else self.nonterminals
            if name in self.terminals or name in self.nonterminals:
                self.fault = self.fault or TreebankError(f"the node id {name!r} occurs twice", line=event.line)
            nodes[name] = _Node(event.attributes, event.line)
            self.current = name
        elif event.name in ("edge", "secedge"):
            self.edges.append((self.current, event))

    def parse(self) -> Tree | TreebankError:
        try:
            if self.fault:
                raise self.fault
            for owner, event in self._kept_edges():
                if event.name == "edge":
                    self._join(owner, event)
                else:
                    self._join_secondary(owner, event)
            return freeze_noting(self._draft(), self.id, None, self.note, self.line)
        except TreebankError as error:
            return error
        except TreeError as error:
            return TreebankError(str(error), line=self.line)

    def _kept_edges(self) -> list[tuple[str, Event]]:
        """Without those that are to be deleted and can be."""
        parents = Counter(event.attributes.get("idref") for _, event in self.edges if event.name == "edge")
        kept = []
        for owner, event in self.edges:
            child = event.attributes.get("idref")
            if event.name == "edge" and event.line in self.deleted_lines and parents[child] > 1:
                parents[child] -= 1
                if self.on_second_parent is not None:
                    reason = f"the edge from {owner!r} to {child!r} is deleted, because {child!r} has another parent"
                    self.on_second_parent(TreebankError(reason, line=event.line))
            else:
                kept.append((owner, event))
        return kept

    def _join(self, owner: str, event: Event) -> None:
        """Add an edge, which is an element of the parent and names the child."""
        other = event.attributes.get("idref", "")
        if other not in self.nonterminals and other not in self.terminals:
            raise TreebankError(f"the edge to {other!r} has no target", line=event.line)
        if owner not in self.nonterminals:
            raise TreebankError(f"the edge to {other!r} has no parent", line=event.line)
        node = self.terminals.get(other) or self.nonterminals[other]
        if node.parent is not None:
            error = TreebankError(f"{other!r} has two parents, {node.parent!r} and {owner!r}", line=event.line)
            if self.on_second_parent is None:
                raise error
            self.on_second_parent(error)
            return
        node.parent, node.function = owner, optional(event.attributes.get("label"))

    def _join_secondary(self, owner: str, event: Event) -> None:
        """Add a secondary edge, which is an element of the child and names the parent."""
        other = event.attributes.get("idref", "")
        node = self.terminals.get(owner) or self.nonterminals.get(owner)
        if node is None:
            self.note("a secondary edge outside the nodes is left out", event.line)
        elif other in self.nonterminals:
            node.secondary.append((optional(event.attributes.get("label")), other))
        else:
            target = "a terminal" if other in self.terminals else "a node that is not in the sentence"
            self.note(f"a secondary edge to {target} is left out", event.line)

    def _draft(self) -> Draft:
        """The root is the node without a parent; several such nodes get a virtual root."""
        tops = [name for nodes in (self.nonterminals, self.terminals) for name, x in nodes.items() if x.parent is None]
        root = tops[0] if len(tops) == 1 and tops[0] in self.nonterminals else None
        if not tops and self.nonterminals:
            raise TreeError("every node has a parent, so there is no root")
        draft = Draft.rooted(VROOT if root is None else _label(self.nonterminals[root]))
        numbers = {} if root is None else {root: ROOT}
        for name, node in self.nonterminals.items():
            if name != root:
                numbers[name] = draft.add(_label(node), function=node.function)
        for name, node in self.nonterminals.items():
            if name != root:
                draft.attach(numbers[name], ROOT if node.parent is None else numbers[node.parent])
        for name, node in self.terminals.items():
            numbers[name] = draft.add_token(_token(node), ROOT if node.parent is None else numbers[node.parent])
        for name, node in (self.terminals | self.nonterminals).items():
            for label, other in node.secondary:
                draft.secondary_edges.append(SecondaryEdge(numbers[name], label, numbers[other]))
        return draft


def _label(node: _Node) -> str:
    return optional(node.attributes.get("cat")) or ""


def _token(node: _Node) -> Token:
    get = node.attributes.get
    if not get("word"):
        raise TreebankError("a terminal has no word", line=node.line)
    return Token(
        get("word", ""),
        optional_tag(get("pos")),
        optional(get("lemma")),
        optional(get("morph")),
        node.function,
    )


def _lines_of(tree: Tree, sentence: str) -> Iterator[str]:
    draft = Draft.of(tree)
    names = _names(draft, sentence)
    secondary: dict[int, list[str]] = {}
    for edge in tree.secondary_edges:
        line = element("secedge", {"label": edge.label or NONE, "idref": names[edge.parent]})
        secondary.setdefault(edge.child, []).append(line)

    yield element("s", {"id": sentence}, is_open=True)
    yield element("graph", {"root": names[ROOT]}, is_open=True) + "<terminals>\n"
    for i, token in enumerate(tree.tokens):
        fields = {"word": token.word, "lemma": token.lemma, "pos": token.tag, "morph": token.morphology}
        attributes = {"id": names[i]} | {key: value or NONE for key, value in fields.items()}
        yield _node("t", attributes, secondary.get(i, []))
    yield "</terminals>\n<nonterminals>\n"
    children = draft.children()
    for node in range(-len(draft.labels), 0):
        edges = []
        for child in children[-1 - node]:
            function = tree.tokens[child].function if child >= 0 else draft.functions[-1 - child]
            edges.append(element("edge", {"label": function or NONE, "idref": names[child]}))
        attributes = {"id": names[node], "cat": draft.labels[-1 - node]}
        yield _node("nt", attributes, edges + secondary.get(node, []))
    yield "</nonterminals>\n</graph>\n</s>\n"


def _names(draft: Draft, sentence: str) -> dict[int, str]:
    """Tokens from 1; constituents from 500, or higher if there are 500 tokens, children before parents."""
    count = len(draft.labels)
    first = max(_FIRST_NODE, len(draft.tokens) + 1)
    names = {i: f"{sentence}_{i + 1}" for i in range(len(draft.tokens))}
    names |= {node: f"{sentence}_{first + count + node}" for node in range(-count, 0)}
    if draft.labels[0] == VROOT:
        names[ROOT] = f"{sentence}_{VROOT}"
    return names


def _node(name: str, attributes: dict[str, str], inner: list[str]) -> str:
    if not inner:
        return element(name, attributes)
    return element(name, attributes, is_open=True) + "".join(inner) + f"</{name}>\n"
