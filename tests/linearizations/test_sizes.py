from discoseq.linearizations.linearization import LINEARIZATIONS
from discoseq.linearizations.sizes import Size, measure_sizes
from discoseq.trees.tree import Constituent, Token, Tree

TREES = [
    Tree(Constituent("S", (Constituent("VP", (0, 2)), 1)), (Token("a"), Token("b"), Token("c"))),
    Tree(Constituent("S", (0, 1)), (Token("a"), Token("b"))),
]


def test_sizes_are_counted_over_the_trees_that_can_be_expressed() -> None:
    sizes = {size.linearization: size for size in measure_sizes(TREES)}
    assert tuple(sizes) == LINEARIZATIONS
    assert sizes["in-order+swap"] == Size("in-order+swap", 2, 6, 10, 7.5)
    assert sizes["in-order+shift#k"] == Size("in-order+shift#k", 2, 6, 8, 6.5)
    assert sizes["bottom-up+swap"] == Size("bottom-up+swap", 2, 5, 8, 6.0)
    assert sizes["enriched-top-down+swap"] == Size("enriched-top-down+swap", 2, 6, 9, 6.5)
    assert sizes["in-order"] == Size("in-order", 1, 4, 5, 5.0)
