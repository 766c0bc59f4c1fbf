"""What is lost in a format is counted, and exactly that."""

from dataclasses import replace

import pytest

from discoseq.treebanks.files import FORMATS, format_trees, parse_trees
from discoseq.treebanks.losses import COMMENTS, EDGES, IDS, LACKING, LEMMAS, MORPHOLOGY, Losses
from discoseq.trees.tree import Constituent, SecondaryEdge, Token, Tree

TREE = Tree(
    Constituent("ROOT", (Constituent("S", (0, 1)),)),
    (Token("a", "A", "b", "c", "SB"), Token("b", "B", "x")),
    "s1",
    "a note",
    (SecondaryEdge(0, "OA", -2),),
)


def parts(tree: Tree) -> dict[str, object]:
    return {
        LEMMAS: [token.lemma for token in tree.tokens],
        MORPHOLOGY: [token.morphology for token in tree.tokens],
        EDGES: tree.secondary_edges,
        IDS: tree.id,
        COMMENTS: tree.comment,
    }


@pytest.mark.parametrize("format", FORMATS)
def test_what_does_not_come_back_is_what_is_counted(format: str) -> None:
    losses = Losses(format)
    (back,) = parse_trees(format_trees(losses.watch([TREE]), format), format)
    lost = [what for what in parts(TREE) if parts(back)[what] != parts(TREE)[what]]
    assert sorted(losses.counts) == sorted(lost) == sorted(LACKING.get(format, ()))
    assert (losses.note() is None) == (not lost)


def test_the_note_has_numbers_and_names_only_what_is_lost() -> None:
    losses = Losses("discbracket")
    list(losses.watch([replace(TREE, id="1"), replace(TREE, id="2", secondary_edges=())]))
    assert losses.note() == (
        "discbracket has no place for lemmas (4), morphology (2), secondary edges (1): they are not written"
    )
