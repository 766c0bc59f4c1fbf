"""How large the vocabularies and how long the sequences of a treebank get: the paper's table of sizes and lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from discoseq.linearization.actions import Action
from discoseq.linearization.registry import LINEARIZATIONS, linearization
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Size:
    """What one linearization makes of a treebank; one that can't reorder is given the continuous trees alone."""

    linearization: str
    sentences: int
    vocabulary: int  # different actions in the sequences
    longest: int
    mean: float


def measure_sizes(trees: Iterable[Tree], names: Sequence[str] = LINEARIZATIONS) -> list[Size]:
    """The sizes of all the linearizations, in one pass over the trees."""
    chosen = [linearization(name) for name in names]
    actions: list[set[Action]] = [set() for _ in chosen]
    lengths: list[list[int]] = [[] for _ in chosen]
    for tree in trees:
        is_continuous = not tree.is_discontinuous
        for number, each in enumerate(chosen):
            if tree.tokens and (is_continuous or each.reordering.can_reorder):
                sequence = each.linearize(tree)
                actions[number].update(sequence)
                lengths[number].append(len(sequence))
    return [
        Size(name, len(found), len(seen), max(found, default=0), sum(found) / max(len(found), 1))
        for name, seen, found in zip(names, actions, lengths, strict=True)
    ]


_HEADER = ("linearization", "sentences", "vocabulary", "longest", "mean")


def sizes_as_text(sizes: Iterable[Size]) -> str:
    """A table with aligned columns."""
    rows = [_HEADER, *map(_cells, sizes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        row[0].ljust(widths[0])
        + "".join(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def sizes_as_latex(sizes: Iterable[Size]) -> str:
    """A table for a paper; it needs the package booktabs."""
    lines = [r"\begin{tabular}{lrrrr}", r"\toprule", _latex_row(_HEADER), r"\midrule"]
    lines += [_latex_row(_cells(size)) for size in sizes]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _cells(size: Size) -> tuple[str, ...]:
    if not size.sentences:
        return size.linearization, "-", "-", "-", "-"
    return size.linearization, str(size.sentences), str(size.vocabulary), str(size.longest), f"{size.mean:.1f}"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells).replace("#", r"\#") + r" \\"
