"""Cutting a file of brackets into chunks of whole trees, by the balance of the brackets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# between trees: blank lines, comments, and the SGML of the Chinese Treebank (<S ID=1>, <DATE> 1994 </DATE>)
BETWEEN_TREES = re.compile(r"\s*(?:$|#|<.*>\s*$)")
_MARKUP = re.compile(r"</?[A-Za-z][^()<>]*>\s*$")
_HEAD = re.compile(r"\([ \t]*([^ \t\r\n\f\v()]*)")


def split_chunks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Whole trees, each with the line where it begins; indentation says nothing about where a tree ends.

    The left margin matters for files with errors only. The rest of a tree that was closed too early stays with it:
    a chunk that begins at the margin extends to the next bracket at the margin. A tree that is still open at the end
    of the file has a bracket too few; the lines after its beginning are cut anew, at every bracket at the margin that
    can begin a tree. So a missing or superfluous bracket affects one tree, not those after it.
    """
    chunk = _Chunk()
    layout = _Layout()
    for number, line in enumerate(lines, 1):
        if chunk.lines and (chunk.is_complete_before(line) or chunk.is_cut_off_by(line)):
            yield chunk.number, chunk.text
            layout.learn(chunk)
            chunk = _Chunk()
        chunk.add(number, line)
    if chunk.depth > 0 and chunk.has_inner_margin:
        layout.roots.add(chunk.head)
        yield from _split_at_margin(chunk, layout)
    elif chunk.lines:
        yield chunk.number, chunk.text


@dataclass(slots=True)
class _Chunk:
    """Lines that are read together."""

    number: int = 0  # of the first line
    lines: list[str] = field(default_factory=list)
    depth: int = 0  # brackets that are open
    begins_at_margin: bool = False
    has_inner_margin: bool = False  # a later line begins at the margin, too

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def head(self) -> str:
        return _label_at_margin(self.lines[0].lstrip()) or ""

    def add(self, number: int, line: str) -> None:
        if self.depth <= 0 and BETWEEN_TREES.match(line):
            if self.lines:
                self.lines.append("\n")  # for the line numbers of errors
            return
        is_at_margin = line.startswith("(")
        if not self.lines:
            self.number, self.begins_at_margin = number, is_at_margin
        else:
            self.has_inner_margin = self.has_inner_margin or is_at_margin
        self.lines.append(line)
        self.depth += line.count("(") - line.count(")")

    def is_complete_before(self, line: str) -> bool:
        return self.depth <= 0 and (line.startswith("(") or not self.begins_at_margin)

    def is_cut_off_by(self, line: str) -> bool:
        """Whether the line can't be part of an open tree: mark-up, or the empty bracket around a tree of the PTB."""
        if self.depth <= 0 or line[:1] not in ("(", "<"):
            return False
        is_outer = self.begins_at_margin and _label_at_margin(line) == "" and self.head == ""
        return is_outer or _MARKUP.match(line) is not None


@dataclass(slots=True)
class _Layout:
    """What the trees without errors tell about the file."""

    roots: set[str] = field(default_factory=set)
    has_inner_margins: bool = False  # brackets inside trees are at the margin, too

    def learn(self, chunk: _Chunk) -> None:
        if chunk.depth == 0:
            self.roots.add(chunk.head)
            self.has_inner_margins = self.has_inner_margins or chunk.has_inner_margin

    def can_begin_tree(self, line: str) -> bool:
        label = _label_at_margin(line)
        return label is not None and (not self.has_inner_margins or label in self.roots)


def _split_at_margin(open_chunk: _Chunk, layout: _Layout) -> Iterator[tuple[int, str]]:
    chunk = _Chunk()
    for number, line in enumerate(open_chunk.lines, open_chunk.number):
        if chunk.lines and (chunk.is_complete_before(line) or layout.can_begin_tree(line)):
            yield chunk.number, chunk.text
            chunk = _Chunk()
        chunk.add(number, line)
    yield chunk.number, chunk.text


def _label_at_margin(line: str) -> str | None:
    head = _HEAD.match(line)
    return head[1] if head else None
