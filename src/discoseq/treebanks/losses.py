"""What trees have that a format has no place for: counted, so that nothing is dropped in silence."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from discoseq.trees.tree import Tree

LEMMAS, MORPHOLOGY, EDGES, IDS, COMMENTS = "lemmas", "morphology", "secondary edges", "sentence ids", "comments"

LACKING: dict[str, tuple[str, ...]] = {  # by format; the others hold everything
    "export3": (LEMMAS,),
    "tigerxml": (COMMENTS,),
    "discbracket": (LEMMAS, MORPHOLOGY, EDGES, IDS),
    "bracket": (LEMMAS, MORPHOLOGY, EDGES, IDS, COMMENTS),
}

_COUNT: dict[str, Callable[[Tree, int], int]] = {  # from a tree and its number in the file
    LEMMAS: lambda tree, number: sum(token.lemma is not None for token in tree.tokens),
    MORPHOLOGY: lambda tree, number: sum(token.morphology is not None for token in tree.tokens),
    EDGES: lambda tree, number: len(tree.secondary_edges),
    # readers of a format without ids number the sentences, so such an id is not lost
    IDS: lambda tree, number: tree.id not in (None, str(number)),
    COMMENTS: lambda tree, number: tree.comment is not None,
}


class Losses:
    """Counts what is lost when trees are written in a format."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.counts: Counter[str] = Counter()

    def watch(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """The same trees, counted as they pass."""
        lacking = LACKING.get(self.format, ())
        for number, tree in enumerate(trees, 1):
            for what in lacking:
                self.counts[what] += _COUNT[what](tree, number)
            yield tree

    def note(self) -> str | None:
        """One sentence on what was lost; None if nothing was."""
        lost = [f"{what} ({count:,})" for what, count in self.counts.items() if count]
        return f"{self.format} has no place for {', '.join(lost)}: they are not written" if lost else None
