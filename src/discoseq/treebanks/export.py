"""The NEGRA export format, versions 3 (no lemmas) and 4: a line for every token and node, with its parent's number."""

import re
from collections.abc import Iterable, Iterator

from discoseq.errors import TreebankError, TreeError
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.escapes import (
    NONE,
    escape_export_field,
    escape_export_word,
    optional,
    optional_tag,
    unescape,
)
from discoseq.trees.notes import NoteLine, freeze_noting, ignore_note
from discoseq.trees.transforms import VIRTUAL_ROOT, VIRTUAL_ROOTS, put_under_root
from discoseq.trees.tree import SecondaryEdge, Token, Tree

_FIRST_NODE, MAX_CONSTITUENTS = 500, 500  # nodes are numbered from 500 to 999
_NODE = re.compile(r"#[5-9][0-9]{2}")
_FIELD = re.compile(r"[^ \t\r\n\f\v]+")  # a no-break space is part of a word
_MARK = re.compile(r"#(BOS|EOS)(?:[ \t]+([^ \t\r\n\f\v]+)([^\r\n]*))?[ \t\r\n\f\v]*$")


def read_export(lines: Iterable[str], note: NoteLine = ignore_note) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every sentence; lines between sentences are ignored."""
    sentence: _Sentence | None = None
    for number, line in enumerate(lines, 1):
        mark = _MARK.match(line) if line.startswith(("#BOS", "#EOS")) else None
        if mark is None:
            if sentence is not None:
                sentence.lines.append((number, line))
            continue
        if mark[1] == "BOS":
            if sentence is not None:
                yield TreebankError(f"#BOS {mark[2]} while sentence {sentence.id} is open", line=number)
            sentence = _Sentence(number, mark[2], mark[3])
        elif sentence is None:
            yield TreebankError(f"#EOS {mark[2]} without #BOS", line=number)
        else:
            yield (
                sentence.parse(note)
                if mark[2] == sentence.id
                else TreebankError(f"#EOS {mark[2]} closes sentence {sentence.id}", line=number)
            )
            sentence = None
    if sentence is not None:
        yield TreebankError(f"sentence {sentence.id} has no #EOS", line=sentence.line)


def write_export(trees: Iterable[Tree], version: int = 4) -> Iterator[str]:
    """Sentences with their ids and comments; a root that is not a virtual one is a phrase under the format's own."""
    yield f"#FORMAT {version}\n"
    for number, tree in enumerate(trees, 1):
        name = escape_export_field(tree.id or str(number))
        comment = f" %% {' '.join(tree.comment.split())}" if tree.comment else ""
        yield f"#BOS {name}{comment}\n{''.join(_lines_of(_rooted(tree), name, version))}#EOS {name}\n"


def write_export3(trees: Iterable[Tree]) -> Iterator[str]:
    """Version 3, which has no column for lemmas."""
    return write_export(trees, version=3)


def constituent_count(tree: Tree) -> int:
    """How many nodes the format has to number for the tree, of which it can number MAX_CONSTITUENTS."""
    return sum(1 for _ in tree.root.walk()) - _is_implicit(tree)


class _Sentence:
    """The lines between #BOS and #EOS."""

    def __init__(self, line: int, id: str | None, rest: str | None) -> None:
        self.line = line
        self.id = id
        self.comment = (rest or "").partition("%%")[2].strip() or None
        self.lines: list[tuple[int, str]] = []

    def parse(self, note: NoteLine) -> Tree | TreebankError:
        number = self.line
        try:
            nodes = self._number_nodes()
            draft = Draft.rooted(VIRTUAL_ROOT)
            for name in nodes:
                draft.add(name)
            has_nodes = False
            for number, line in self.lines:
                fields = _fields(line)
                if fields is None:
                    continue
                if _NODE.fullmatch(fields[0]):
                    has_nodes = True
                    node = self._add_node(draft, nodes, fields)
                elif has_nodes:
                    raise TreeError(f"the token {fields[0]!r} comes after the nodes")
                else:
                    node = self._add_token(draft, nodes, fields)
                for label, parent in zip(fields[6::2], fields[7::2], strict=True):
                    if parent == "0" or parent in nodes:
                        draft.secondary_edges.append(SecondaryEdge(node, _value(label), _parent(nodes, parent, "")))
                    else:
                        note(f"a secondary edge to {_what_is_missing(parent)} is left out", number)
            number = self.line
            return freeze_noting(draft, None if self.id is None else unescape(self.id), self.comment, note, self.line)
        except TreeError as error:
            return TreebankError(str(error), line=number)

    def _number_nodes(self) -> dict[str, int]:
        """The draft's number of every node line, by its name without the #."""
        nodes: dict[str, int] = {}
        for _, line in self.lines:
            if line.startswith("#") and _NODE.fullmatch(line.split(None, 1)[0]):
                name = line[1:4]
                if name in nodes:
                    raise TreeError(f"constituent #{name} occurs twice")
                nodes[name] = -2 - len(nodes)
        return nodes

    def _add_token(self, draft: Draft, nodes: dict[str, int], fields: list[str]) -> int:
        word, lemma, tag, morphology, function, parent = fields[:6]
        token = Token(unescape(word), optional_tag(_value(tag)), _value(lemma), _value(morphology), _value(function))
        return draft.add_token(token, _parent(nodes, parent, word))

    def _add_node(self, draft: Draft, nodes: dict[str, int], fields: list[str]) -> int:
        name, _, label, _, function, parent = fields[:6]
        node = nodes[name[1:]]
        if parent == name[1:]:
            raise TreeError(f"constituent {name} is its own parent")
        draft.labels[-1 - node] = _value(label) or ""
        draft.functions[-1 - node] = _value(function)
        draft.attach(node, _parent(nodes, parent, name))
        return node


def _fields(line: str) -> list[str] | None:
    """Word, lemma, tag, morphology, function, parent and secondary edges; None for a line that is only a comment."""
    fields = _FIELD.findall(line)
    # a %% in an earlier field is part of a word
    comment = next((i for i in range(5, len(fields)) if fields[i].startswith("%%")), len(fields))
    del fields[comment:]
    has_lemma = len(fields) % 2 == 0  # a secondary edge has two fields, so the parity distinguishes version 4 from 3
    is_complete = len(fields) > 4 and fields[5 if has_lemma else 4].isdigit()
    if not fields or (fields[0].startswith("%%") and not is_complete):
        return None
    if not is_complete:
        raise TreeError(f"the line of {fields[0]!r} is not of the form word [lemma] tag morphology function parent")
    return fields if has_lemma else [fields[0], NONE, *fields[1:]]


def _parent(nodes: dict[str, int], name: str, child: str) -> int:
    if name == "0":
        return ROOT
    if name not in nodes:
        raise TreeError(f"the parent of {child}, {name}, is not in the sentence")
    return nodes[name]


def _what_is_missing(name: str) -> str:
    """What the parent of a secondary edge is that is no constituent of the sentence."""
    is_terminal = name.isdigit() and int(name) < _FIRST_NODE
    return "a terminal" if is_terminal else "a node that is not in the sentence"


def _value(field: str) -> str | None:
    return unescape(field) if optional(field) else None


def _is_implicit(tree: Tree) -> bool:
    """Whether the root is no more than node 0 of the format, which has neither label nor function nor other parents."""
    root = tree.root
    is_bare = root.label in VIRTUAL_ROOTS and root.function is None
    return not tree.tokens or (is_bare and all(edge.child != ROOT for edge in tree.secondary_edges))


def _rooted(tree: Tree) -> Tree:
    return tree if _is_implicit(tree) else put_under_root(tree, VIRTUAL_ROOT)


def _lines_of(tree: Tree, sentence: str, version: int) -> Iterator[str]:
    constituents = list(tree.root.walk())
    if len(constituents) - 1 > MAX_CONSTITUENTS:
        raise TreebankError(
            f"sentence {sentence} has {len(constituents) - 1} constituents; the export format can number "
            f"{MAX_CONSTITUENTS}"
        )
    # children before parents as in annotation tools: the reverse of pre-order
    names = ["0", *(str(_FIRST_NODE + number) for number in range(len(constituents) - 2, -1, -1))]
    draft = Draft.of(tree)
    secondary: dict[int, list[str]] = {}
    for edge in tree.secondary_edges:
        secondary.setdefault(edge.child, []).extend([_field(edge.label), names[-1 - edge.parent]])

    def line(node: int, first: str, lemma: str | None, *fields: str | None) -> str:
        columns = [first, *([_field(lemma)] if version > 3 else []), *(_field(value) for value in fields)]
        return "\t".join([*columns, names[-1 - draft.parent(node)], *secondary.get(node, [])]) + "\n"

    for i, token in enumerate(tree.tokens):
        yield line(i, escape_export_word(token.word), token.lemma, token.tag, token.morphology, token.function)
    for node in range(-len(constituents), ROOT):
        constituent = constituents[-1 - node]
        yield line(node, f"#{names[-1 - node]}", None, constituent.label, None, constituent.function)


def _field(value: str | None) -> str:
    return escape_export_field(value) if value else NONE
