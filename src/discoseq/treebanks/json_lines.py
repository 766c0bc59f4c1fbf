"""JSON lines: one object a tree, as `Tree.to_dict` makes it (trees/dictionaries.py)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from discoseq.errors import TreebankError, TreeError
from discoseq.trees.dictionaries import edges_field, flat_fields, tree_from_dict
from discoseq.trees.tree import Child, Constituent, Tree

# a string, a bracket, a comma or colon, or anything else up to the next of these
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++')


def read_json(lines: Iterable[str]) -> Iterator[Tree | TreebankError]:
    """A tree, or its error, for every line that is not blank; a sentence without an id is numbered."""
    number = 0
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        number += 1
        try:
            entry = load_json(text.rstrip())
            if not isinstance(entry, dict):
                raise TreeError("a line has to be an object, {...}, with a tree")
            yield tree_from_dict({"id": number} | entry)
        except json.JSONDecodeError as error:
            yield TreebankError(f"not valid JSON ({error.msg.lower()} at column {error.colno})", line=line)
        except TreeError as error:
            yield TreebankError(str(error), line=line)


def write_json(trees: Iterable[Tree]) -> Iterator[str]:
    """One line a tree."""
    for number, tree in enumerate(trees, 1):
        fields = {"id": tree.id or str(number)} | flat_fields(tree)
        texts = [f'"{name}": {_dump(value)}' for name, value in fields.items()]
        texts.append(f'"root": {constituent_json(tree.root)}')
        texts.extend(f'"{name}": {_dump(value)}' for name, value in edges_field(tree).items())
        yield "{" + ", ".join(texts) + "}\n"


def constituent_json(root: Constituent, more: Callable[[Constituent], str] = lambda constituent: "") -> str:
    """Constituents as objects within objects, tokens as numbers, and what `more` adds to an object (`, "key": value`).

    Python's own writer recurses, and trees may be too deep for that.
    """
    parts: list[str] = []
    agenda: list[Child | str] = [root]
    while agenda:
        item = agenda.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, int):
            parts.append(str(item))
        else:
            function = f', "function": {_dump(item.function)}' if item.function else ""
            parts.append(f'{{"label": {_dump(item.label)}{function}{more(item)}, "children": [')
            agenda.append("]}")
            for number, child in enumerate(reversed(item.children)):
                if number:
                    agenda.append(", ")
                agenda.append(child)
    return "".join(parts)


def load_json(text: str) -> object:
    """The value of a JSON text, however deep it is."""
    try:
        return json.loads(text)
    except RecursionError:
        return _load_deep(text)


def _load_deep(text: str) -> object:
    """Python's own reader recurses; this one keeps the open lists and objects on a stack."""
    top: list[Any] = []
    opened: list[list[Any]] = [top]  # what is found so far; of an object, keys and values in turn
    kinds = [""]
    for piece in _PIECE.finditer(text):
        symbol = piece[0]
        if symbol in ("[", "{"):
            opened.append([])
            kinds.append(symbol)
        elif symbol in ("]", "}"):
            items, kind = opened.pop(), kinds.pop()
            if kind + symbol not in ("[]", "{}") or (kind == "{" and len(items) % 2):
                raise json.JSONDecodeError("brackets do not match", text, piece.start())
            opened[-1].append(dict(zip(items[::2], items[1::2], strict=True)) if kind == "{" else items)
        elif symbol not in (",", ":"):
            opened[-1].append(json.loads(symbol))
    if len(opened) > 1 or len(top) != 1:
        raise json.JSONDecodeError("brackets do not match", text, len(text))
    return top[0]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
