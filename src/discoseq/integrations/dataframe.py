"""Treebanks as pandas tables: a row a constituent."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from discoseq.errors import import_extra
from discoseq.trees.tree import Constituent, Tree

_NO_PARENT = -1


def to_dataframe(trees: Iterable[Tree]) -> Any:
    """A `pandas.DataFrame` with a row for every constituent, parents before children.

    docs/integrations.md describes its columns.

    >>> table = to_dataframe(read_trees("examples/trees.export"))
    >>> table[table.is_discontinuous].label.value_counts()
    """
    pandas = import_extra("pandas", None, "to_dataframe")
    # columns are built one by one: rows as dictionaries would take many times the time and the memory
    ids: list[str | None] = []
    tree_numbers: list[int] = []
    numbers: list[int] = []
    parents: list[int] = []
    depths: list[int] = []
    texts: list[str] = []
    blocks: list[tuple[tuple[int, int], ...]] = []
    constituents: list[Constituent] = []
    for tree_number, tree in enumerate(trees):
        words = tree.words
        agenda = [(tree.root, _NO_PARENT, 1)]
        number = 0
        while agenda:
            constituent, parent, depth = agenda.pop()
            constituents.append(constituent)
            numbers.append(number)
            parents.append(parent)
            depths.append(depth)
            parts = constituent.blocks
            blocks.append(parts)
            texts.append(" ".join([" ".join(words[start:end]) for start, end in parts]))
            below = [(child, number, depth + 1) for child in constituent.children if not isinstance(child, int)]
            agenda.extend(reversed(below))
            number += 1
        ids.extend([tree.id] * number)
        tree_numbers.extend([tree_number] * number)
    gap_degrees = np.array([max(0, len(parts) - 1) for parts in blocks], dtype=np.int64)
    above = np.array(parents, dtype=np.int64)
    return pandas.DataFrame(
        {
            "tree": np.array(tree_numbers, dtype=np.int64),
            "id": pandas.Series(ids, dtype="str"),
            "constituent": np.array(numbers, dtype=np.int64),
            "parent": pandas.arrays.IntegerArray(above, above == _NO_PARENT),
            "label": pandas.Series([x.label for x in constituents], dtype="str"),
            "function": pandas.Series([x.function for x in constituents], dtype="str"),
            "words": pandas.Series(texts, dtype="str"),
            "tokens": pandas.Series([_tokens(parts) for parts in blocks], dtype=object),
            "blocks": pandas.Series(blocks, dtype=object),
            "start": np.array([parts[0][0] if parts else 0 for parts in blocks], dtype=np.int64),
            "end": np.array([parts[-1][1] if parts else 0 for parts in blocks], dtype=np.int64),
            "gap_degree": gap_degrees,
            "depth": np.array(depths, dtype=np.int64),
            "child_count": np.array([len(x.children) for x in constituents], dtype=np.int64),
            "is_discontinuous": gap_degrees > 0,
        }
    )


def _tokens(blocks: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return tuple(range(*blocks[0])) if len(blocks) == 1 else tuple(i for block in blocks for i in range(*block))
