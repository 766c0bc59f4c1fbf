"""Cutting a file of brackets into chunks of whole trees, by the balance of the brackets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

# between trees: blank lines, comments, and the SGML of the Chinese Treebank (<S ID=1>, <DATE> 1994 </DATE>)
BETWEEN_TREES = re.compile(r"\s*(?:$|#|<.*>\s*$)")
_MARKUP = re.compile(r"</?[A-Za-z][^()<>]*>\s*$")
_HEAD = re.compile(r"\([ \t]*([^ \t\r\n\f\v()]*)")


def split_chunks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Whole trees, each with the line where it begins; indentation says nothing about where a tree ends.

    The left margin matters for files with errors only. The rest of a tree that was closed too early stays with it:
    a chunk that begins at the margin extends to the next bracket at the margin. A tree that is still open at the end
    of the file has a bracket too few; reading goes on at the next bracket at the margin that can begin a tree. So a
    missing or superfluous bracket affects one tree, not those after it.
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
        yield from _split_after_error(chunk, layout)
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
        """Whether the line can't be part of an open tree: mark-up, or the PTB's outer bracket after a blank line."""
        if self.depth <= 0 or line[:1] not in ("(", "<"):
            return False
        is_outer = self.lines[-1].isspace() and _label_at_margin(line) == "" and self.head == ""
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


def _split_after_error(chunk: _Chunk, layout: _Layout) -> Iterator[tuple[int, str]]:
    """Cut the lines of a tree that is never closed, and all after it, into chunks."""
    lines = ["\n" if BETWEEN_TREES.match(line) else line for line in chunk.lines]
    ends = _ends(lines)
    starts = _starts(chunk, ends, layout)
    begin = 0
    while begin < len(lines):
        end = ends[begin]
        if end is None:
            end = next((i for i in starts if i > begin), len(lines))
        elif lines[begin].startswith("("):
            while end < len(lines) and not lines[end].startswith("("):  # the rest of a tree that was closed too early
                end += 1
        yield chunk.number + begin, "".join(lines[begin:end])
        begin = end


def _ends(lines: list[str]) -> list[int | None]:
    """For every line the one before which all brackets are closed that are open from this line on; None: never."""
    depths = [0]
    for line in lines:
        depths.append(depths[-1] + line.count("(") - line.count(")"))
    ends: list[int | None] = [None] * len(lines)
    later = [len(lines)]  # the lines of rising depth after the current one, the nearest last
    for i in range(len(lines) - 1, -1, -1):
        while later and depths[later[-1]] > depths[i]:
            later.pop()
        ends[i] = later[-1] if later else None
        later.append(i)
    return ends


def _starts(chunk: _Chunk, ends: list[int | None], layout: _Layout) -> Iterator[int]:
    """The lines at the margin; if trees have inner brackets at the margin, only those with the label of a root."""
    margins = [i for i, line in enumerate(chunk.lines) if line.startswith("(")]
    roots = layout.roots | {chunk.head}
    of_roots = [i for i in margins if _label_at_margin(chunk.lines[i]) in roots]
    following = dict(pairwise(margins))
    has_inner_margins = layout.has_inner_margins or any(
        following.get(i, len(chunk.lines)) < (ends[i] or 0) for i in of_roots
    )
    return iter(of_roots if has_inner_margins else margins)


def _label_at_margin(line: str) -> str | None:
    head = _HEAD.match(line)
    return head[1] if head else None
