"""What conditions in braces can ask of a node: properties, numbers and texts."""

from collections.abc import Callable

from discoseq.treebanks.query.node_table import NO_PARENT, Kind, NodeTable

NUMBERS: dict[str, Callable[[NodeTable, int], int]] = {
    "gap-degree": lambda table, node: table.gap_degree(node),
    "fan-out": lambda table, node: table.gap_degree(node) + 1,
    "tokens": lambda table, node: table.covers[node].bit_count(),
    "children": lambda table, node: len(table.children[node]),
}


def _word(table: NodeTable, node: int) -> str | None:
    token = table.token(node)
    return token.word if token is not None else None


def _tag(table: NodeTable, node: int) -> str | None:
    token = table.token(node)
    return token.tag if token is not None else None


def _lemma(table: NodeTable, node: int) -> str | None:
    token = table.token(node)
    return token.lemma if token is not None else None


def _morphology(table: NodeTable, node: int) -> str | None:
    token = table.token(node)
    return token.morphology if token is not None else None


# None where a node has no such text, which is then unequal to everything
TEXTS: dict[str, Callable[[NodeTable, int], str | None]] = {
    "function": lambda table, node: table.function(node),
    "word": _word,
    "tag": _tag,
    "lemma": _lemma,
    "morphology": _morphology,
}

FLAGS: dict[str, Callable[[NodeTable, int], bool]] = {
    "discontinuous": lambda table, node: table.gap_degree(node) > 0,
    "phrase": lambda table, node: table.kinds[node] is Kind.PHRASE,
    "tag": lambda table, node: table.kinds[node] is Kind.TAG,
    "word": lambda table, node: table.kinds[node] is Kind.WORD,
    "root": lambda table, node: table.parents[node] == NO_PARENT,
    "function": lambda table, node: table.function(node) is not None,
    "lemma": lambda table, node: _lemma(table, node) is not None,
    "morphology": lambda table, node: _morphology(table, node) is not None,
}
