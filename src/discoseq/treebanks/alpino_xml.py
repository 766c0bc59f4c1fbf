"""Alpino XML: nested `node` elements with positions; one sentence a file, or many in a file under one element."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from discoseq.errors import TreebankError, TreeError
from discoseq.treebanks.xml import Event, element, read_events, text_element
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.escapes import NONE, optional, optional_tag
from discoseq.trees.notes import NoteLine, freeze_noting, ignore_note
from discoseq.trees.transforms import VIRTUAL_ROOT, put_under_root
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

_TOP = "TOP"
_LABEL = "label"  # an attribute of our own, for labels that are not in upper case


def read_alpino(
    stream: BinaryIO, encoding: str | None = None, note: NoteLine = ignore_note
) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every `alpino_ds`."""
    sentence: _Sentence | None = None
    for event in read_events(stream, encoding):
        if event.name == "alpino_ds":
            if sentence is not None and not event.is_start:
                yield sentence.parse(note)
            sentence = _Sentence(event.line, event.attributes.get("id")) if event.is_start else None
        elif sentence is not None:
            sentence.add(event)


def write_alpino(trees: Iterable[Tree]) -> Iterator[str]:
    """One file with all sentences; categories are written in lower case, as in Alpino.

    A root with a function gets TOP over it, as in Alpino.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<treebank>\n'
    for number, tree in enumerate(trees, 1):
        name = tree.id or str(number)
        yield element("alpino_ds", {"version": "1.3", "id": name}, is_open=True)
        yield from _nodes_of(put_under_root(tree, _TOP) if tree.root.function else tree)
        yield text_element("sentence", " ".join(tree.words), {"sentid": name})
        if tree.comment:
            yield f"<comments>\n{text_element('comment', tree.comment, {})}</comments>\n"
        yield "</alpino_ds>\n"
    yield "</treebank>\n"


@dataclass(slots=True)
class _Sentence:
    """The elements of one sentence; nodes are numbered in document order."""

    line: int
    id: str | None
    nodes: list[Event] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)  # of every node; -1 for the outermost
    open_nodes: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def add(self, event: Event) -> None:
        if event.name == "node" and event.is_start:
            self.parents.append(self.open_nodes[-1] if self.open_nodes else -1)
            self.open_nodes.append(len(self.nodes))
            self.nodes.append(event)
        elif event.name == "node":
            self.open_nodes.pop()
        elif event.name == "sentence" and event.is_start:
            self.id = event.attributes.get("sentid", self.id)
        elif event.name == "sentence":
            self.words = event.text.split()
        elif event.name == "comment" and not event.is_start and event.text.strip():
            self.comments.append(event.text.strip())

    def parse(self, note: NoteLine) -> Tree | TreebankError:
        try:
            return freeze_noting(self._draft(note), self.id, "; ".join(self.comments) or None, note, self.line)
        except TreebankError as error:
            return error
        except TreeError as error:
            return TreebankError(str(error), line=self.line)

    def _draft(self, note: NoteLine) -> Draft:
        words_at = self._words_by_position()
        tops = [number for number, parent in enumerate(self.parents) if parent < 0]
        has_own_root = len(tops) == 1 and "cat" in self.nodes[tops[0]].attributes
        draft = Draft.rooted(VIRTUAL_ROOT)
        numbers: dict[int, int] = {-1: ROOT}  # the draft's number of a constituent
        for number, node in enumerate(self.nodes):
            if "cat" not in node.attributes:
                continue
            label = node.attributes.get(_LABEL, node.attributes["cat"].upper())
            if has_own_root and number == tops[0]:
                numbers[number], draft.labels[0] = ROOT, label
            else:
                numbers[number] = draft.add(label, self._parent(number, numbers), optional(node.attributes.get("rel")))
        for position in range(self._word_count(words_at)):
            if position in words_at:
                number = words_at[position]
                draft.add_token(_token(self.nodes[number]), self._parent(number, numbers))
            else:  # the annotators did not include the word in the tree
                draft.add_token(Token(self.words[position]))
        tokens = {number: position for position, number in words_at.items()}
        draft.secondary_edges.extend(self._secondary_edges(numbers | tokens, note))
        return draft

    def _words_by_position(self) -> dict[int, int]:
        """The node of the word at every position."""
        words_at: dict[int, int] = {}
        for number, node in enumerate(self.nodes):
            if "word" not in node.attributes:
                continue
            begin = node.attributes.get("begin", "")
            if not _is_number(begin):
                raise TreebankError(f"the word {node.attributes['word']!r} has no position", line=node.line)
            if int(begin) in words_at:
                raise TreebankError(f"two words are at position {begin}", line=node.line)
            words_at[int(begin)] = number
        return words_at

    def _word_count(self, words_at: dict[int, int]) -> int:
        """The number of words; `sentence` is used only if a node is missing, because words may have spaces."""
        ends = [node.attributes.get("end", "") for node in self.nodes]
        count = max([*(int(end) for end in ends if _is_number(end)), *(begin + 1 for begin in words_at)], default=0)
        missing = next((position for position in range(count) if position not in words_at), None)
        if missing is not None and len(self.words) != count:
            raise TreeError(f"there is no word at position {missing}")
        return count

    def _parent(self, number: int, numbers: dict[int, int]) -> int:
        if self.parents[number] not in numbers:
            raise TreebankError("the parent of a node is not a phrase", line=self.nodes[number].line)
        return numbers[self.parents[number]]

    def _secondary_edges(self, numbers: dict[int, int], note: NoteLine) -> Iterator[SecondaryEdge]:
        """A node with only an index refers to the node that has the same index and content."""
        indices = {
            node.attributes["index"]: numbers[number]
            for number, node in enumerate(self.nodes)
            if "index" in node.attributes and number in numbers
        }
        for number, node in enumerate(self.nodes):
            if number in numbers:
                continue
            if node.attributes.get("index") in indices and self.parents[number] >= 0:
                label = optional(node.attributes.get("rel"))
                yield SecondaryEdge(indices[node.attributes["index"]], label, self._parent(number, numbers))
            else:
                note("a node without a word that refers to no other node is left out", node.line)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6  # longer numbers are not positions in a sentence


def _token(node: Event) -> Token:
    get = node.attributes.get
    if not get("word"):
        raise TreebankError("a node has an empty word", line=node.line)
    tag, morphology = get("pt") or get("pos"), get("postag") or get("frame")
    return Token(
        get("word", ""),
        optional_tag(tag),
        optional(get("lemma")),
        optional(morphology),
        optional(get("rel")),
    )


def _nodes_of(tree: Tree) -> Iterator[str]:
    indices = {child: str(i) for i, child in enumerate(sorted({edge.child for edge in tree.secondary_edges}), 1)}
    references: dict[int, list[str]] = {}  # by parent
    for edge in tree.secondary_edges:
        reference = element("node", {"rel": edge.label or NONE, "index": indices[edge.child]})
        references.setdefault(edge.parent, []).append(reference)
    rank = 0
    agenda: list[Constituent | int | None] = [tree.root]  # None closes a node
    while agenda:
        item = agenda.pop()
        if item is None:
            yield "</node>\n"
        elif isinstance(item, int):
            yield _word_node(tree.tokens[item], item, indices.get(item))
        else:
            rank -= 1
            attributes: dict[str, str | None] = {"cat": item.label.lower(), _LABEL: None}
            if item.label.lower().upper() != item.label:
                attributes[_LABEL] = item.label
            attributes |= {"rel": item.function or NONE, "index": indices.get(rank)}
            attributes |= {"begin": str(item.first), "end": str(item.last + 1)}
            yield element("node", attributes, is_open=True) + "".join(references.get(rank, []))
            agenda.append(None)
            agenda.extend(reversed(item.children))


def _word_node(token: Token, position: int, index: str | None) -> str:
    fields = {"lemma": token.lemma, "pt": token.tag, "postag": token.morphology, "rel": token.function}
    extent = {"begin": str(position), "end": str(position + 1), "index": index}
    return element("node", {"word": token.word, **{key: value or NONE for key, value in fields.items()}, **extent})
