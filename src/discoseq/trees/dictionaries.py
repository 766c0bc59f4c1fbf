"""Trees as dictionaries, lists, strings and numbers: what JSON holds.

{"id": "s1", "words": ["Das", "muss", "man", "tun"], "tags": ["PDS", "VMFIN", "PIS", "VVINF"],
 "root": {"label": "S", "children": [{"label": "VP", "function": "OC", "children": [0, 3]}, 1, 2]}}

A child is the index of a token or a constituent. What a tree has none of is left out: lemmas, morphology, functions
(all three by token), secondary_edges, id and comment. Nothing here recurses, because trees may be deep.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from discoseq.errors import TreeError
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.notation import parse_tree
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

_COLUMNS = {"tags": "tag", "lemmas": "lemma", "morphology": "morphology", "functions": "function"}


def tree_to_dict(tree: Tree) -> dict[str, object]:
    """The tree as one dictionary, its constituents as dictionaries within."""
    entry = flat_fields(tree)
    entry["root"] = _constituent_to_dict(tree.root)
    return entry | edges_field(tree)


def flat_fields(tree: Tree) -> dict[str, object]:
    """The fields of the sentence and its tokens; tags are always there."""
    entry: dict[str, object] = {key: value for key, value in (("id", tree.id), ("comment", tree.comment)) if value}
    entry["words"] = list(tree.words)
    for column, attribute in _COLUMNS.items():
        values = [getattr(token, attribute) for token in tree.tokens]
        if column == "tags" or any(values):
            entry[column] = values
    return entry


def edges_field(tree: Tree) -> dict[str, object]:
    """The secondary edges, if there are any."""
    edges = [{"child": edge.child, "label": edge.label, "parent": edge.parent} for edge in tree.secondary_edges]
    return {"secondary_edges": edges} if edges else {}


def tree_from_dict(entry: Mapping[str, object]) -> Tree:
    """The tree of a dictionary; one without `root` may have `tree`, a text in brackets."""
    if "root" not in entry and isinstance(entry.get("tree"), str):
        tree = parse_tree(str(entry["tree"]))
        return Tree(tree.root, tree.tokens, _name(entry.get("id")), _text(entry, "comment"), tree.secondary_edges)
    draft = Draft.rooted("")
    tokens = _tokens(entry)
    parents: dict[int, int] = {}  # of the tokens
    agenda: list[tuple[object, int]] = [(entry.get("root"), ROOT)]
    is_root = True
    while agenda:
        item, parent = agenda.pop()
        if type(item) is int:  # True and False are no indices
            if not 0 <= item < len(tokens):
                raise TreeError(f"token index {item} is outside the sentence of {len(tokens)} words")
            if item in parents:
                raise TreeError(f"token index {item} occurs twice")
            parents[item] = parent
            continue
        label, function, children = _constituent_fields(item, is_root)
        node = ROOT if is_root else draft.add(label, parent, function)
        draft.labels[-1 - node], draft.functions[-1 - node] = label, function
        is_root = False
        agenda.extend((child, node) for child in reversed(children))
    missing = next((i for i in range(len(tokens)) if i not in parents), None)
    if missing is not None:
        raise TreeError(f"token index {missing} is missing")
    for i, token in enumerate(tokens):
        draft.add_token(token, parents[i])
    # constituents were numbered in the order of the dictionary; freezing renumbers them
    draft.secondary_edges = list(_secondary_edges(entry, len(draft.labels), len(tokens)))
    return draft.freeze(_name(entry.get("id")), _text(entry, "comment"))


def _constituent_to_dict(root: Constituent) -> dict[str, object]:
    made: dict[int, dict[str, object]] = {}
    for constituent in reversed(list(root.walk())):  # children come first
        fields: dict[str, object] = {"label": constituent.label}
        if constituent.function:
            fields["function"] = constituent.function
        fields["children"] = [child if isinstance(child, int) else made[id(child)] for child in constituent.children]
        made[id(constituent)] = fields
    return made[id(root)]


def _constituent_fields(item: object, is_root: bool) -> tuple[str, str | None, list[Any]]:
    what = "the root" if is_root else "a child"
    if not isinstance(item, Mapping):
        expected = "an object" if is_root else "a token index or an object"
        raise TreeError(f'{what} has to be {expected} with "label" and "children", not {_shortened(item)}')
    label, children = item.get("label"), item.get("children")
    if not isinstance(label, str) or not isinstance(children, list):
        raise TreeError(f'{what} lacks "label", a string, or "children", a list: {_shortened(dict(item))}')
    if not children and not is_root:
        raise TreeError(f"the constituent {label!r} has no children")
    return label, _text(item, "function"), children


def _tokens(entry: Mapping[str, object]) -> list[Token]:
    words = entry.get("words")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TreeError('"words" has to be a list of strings')
    columns: list[list[str | None]] = []
    for column in _COLUMNS:
        values = entry.get(column) or [None] * len(words)
        if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
            raise TreeError(f'"{column}" has to be a list of strings and nulls')
        if len(values) != len(words):
            raise TreeError(f'"{column}" has {len(values)} entries, and there are {len(words)} words')
        columns.append([value or None for value in values])
    return [Token(word, *values) for word, *values in zip(words, *columns, strict=True)]


def _secondary_edges(entry: Mapping[str, object], constituents: int, tokens: int) -> Iterable[SecondaryEdge]:
    edges = entry.get("secondary_edges") or []
    for edge in cast(list[object], edges) if isinstance(edges, list) else [edges]:
        ends = (edge.get("child"), edge.get("parent")) if isinstance(edge, Mapping) else (None, None)
        if not (isinstance(edge, Mapping) and all(type(end) is int for end in ends)):
            raise TreeError(f'a secondary edge has to be an object with "child", "label" and "parent", not {edge!r}')
        child, parent = cast(tuple[int, int], ends)
        if not (-constituents <= child < tokens and -constituents <= parent < 0):
            raise TreeError(f"a secondary edge joins nodes {child} and {parent} that do not exist")
        yield SecondaryEdge(child, _text(edge, "label"), parent)


def _name(value: object) -> str | None:
    return None if value in (None, "") else str(value)


def _text(entry: Mapping[str, object], key: str) -> str | None:
    value = entry.get(key)
    if not (value is None or isinstance(value, str)):
        raise TreeError(f'"{key}" has to be a string, not {_shortened(value)}')
    return value or None


def _shortened(value: object) -> str:
    kind = "an object" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else repr(value)
    return kind if len(kind) <= 40 else kind[:40] + "..."
