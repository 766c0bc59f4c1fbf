"""Reading and writing XML elements, for TIGER-XML and Alpino XML."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from discoseq.errors import TreebankError

_CHUNK = 1 << 16
_DECLARATION = re.compile(rb"<\?xml\s")
_DECLARATION_LENGTH = 6
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Event:
    """The start or the end of an element; the end has the text that is directly in the element."""

    name: str
    line: int
    is_start: bool
    attributes: dict[str, str]
    text: str = ""


def read_events(stream: BinaryIO, encoding: str | None) -> Iterator[Event]:
    """The elements of one document, or of several concatenated ones; default encoding: that of the document."""
    document = _Document(encoding, first_line=1)
    try:
        for is_new, piece in _pieces(stream):
            if is_new:
                document.parser.Parse(b"", True)
                yield from document.take()
                document = _Document(encoding, document.line)
            document.parser.Parse(piece, False)
            yield from document.take()
        document.parser.Parse(b"", True)
        yield from document.take()
    except (expat.ExpatError, LookupError, ValueError) as error:
        reason = str(error).partition(": line")[0]
        raise TreebankError(f"not well-formed XML ({reason})", line=document.line) from None


class _Document:
    """A parser and the events since the last call of `take`."""

    def __init__(self, encoding: str | None, first_line: int) -> None:
        self.first_line = first_line
        self.events: list[Event] = []
        self.texts: list[list[str]] = []  # of every open element
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.EntityDeclHandler = self._refuse_entity

    @property
    def line(self) -> int:
        return self.first_line + self.parser.CurrentLineNumber - 1

    def take(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.texts.append([])
        self.events.append(Event(name, self.line, True, attributes))

    def _end(self, name: str) -> None:
        self.events.append(Event(name, self.line, False, {}, "".join(self.texts.pop())))

    def _refuse_entity(self, name: str, *declaration: object) -> None:
        # a few nested ones are enough to fill any memory, and no treebank needs them
        raise TreebankError(f"the entity {name!r} is declared here; entities are not read", line=self.line)

    def _data(self, text: str) -> None:
        self.texts[-1].append(text)


def _pieces(stream: BinaryIO) -> Iterator[tuple[bool, bytes]]:
    """The stream in pieces, and whether a piece begins a further document, with an XML declaration."""
    is_first = True
    is_new = False
    data = b""
    while chunk := stream.read(_CHUNK):
        data += chunk
        begin = 0
        for declaration in _DECLARATION.finditer(data):
            if declaration.start() > begin:
                yield is_new, data[begin : declaration.start()]
                is_first = False
            is_new = not is_first
            begin = declaration.start()
        end = max(begin, len(data) - _DECLARATION_LENGTH + 1)  # a declaration may continue in the next chunk
        if end > begin:
            yield is_new, data[begin:end]
            is_new = is_first = False
        data = data[end:]
    if data:
        yield is_new, data


def element(name: str, attributes: Mapping[str, str | None], is_open: bool = False) -> str:
    """A start tag (`is_open`) or an empty element; attributes that are None are left out."""
    listed = "".join(f" {key}={_attribute(value)}" for key, value in attributes.items() if value is not None)
    return f"<{name}{listed}{'' if is_open else '/'}>\n"


def text_element(name: str, text: str, attributes: Mapping[str, str | None]) -> str:
    """An element with only text."""
    return element(name, attributes, is_open=True)[:-1] + f"{escape(_checked(text))}</{name}>\n"


def _attribute(value: str) -> str:
    return quoteattr(_checked(value))


def _checked(text: str) -> str:
    bad = _NOT_XML.search(text)
    if bad:
        raise TreebankError(f"{text!r} contains the character U+{ord(bad[0]):04X}, which is not allowed in XML")
    return text
