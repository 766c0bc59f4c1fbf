from random import Random

from hypothesis import given
from hypothesis import strategies as st

from discoseq.training.augmentation import SubstructureSubstitution
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Constituent, Tree
from tree_strategies import trees, without_tags


def kinds(tree: Tree) -> set[tuple[str, str, int]]:
    return {
        (child.label, parent.label, child.fan_out)
        for parent in tree.root.walk()
        for child in parent.children
        if isinstance(child, Constituent)
    }


@given(st.lists(trees(functions=True), min_size=1, max_size=5), st.floats(0, 1), st.integers(0, 99))
def test_new_trees_are_made_of_what_the_treebank_has(treebank: list[Tree], rate: float, seed: int) -> None:
    known = set().union(*map(kinds, treebank))
    words = {token for tree in treebank for token in tree.tokens}
    substitution = SubstructureSubstitution(treebank, rate)
    for tree in treebank:
        new = substitution.augment(tree, Random(seed))
        assert kinds(new) <= known
        assert set(new.tokens) <= words
        assert new.root.label == tree.root.label
        assert len(new.root.children) == len(tree.root.children)


@given(trees(functions=True))
def test_a_treebank_of_one_tree_without_repetition_has_nothing_to_offer(tree: Tree) -> None:
    assert SubstructureSubstitution([tree], rate=0.0).augment(tree, Random(1)) == tree
    if len(kinds(tree)) == sum(1 for _ in tree.root.walk()) - 1:
        assert SubstructureSubstitution([tree], rate=1.0).augment(tree, Random(1)) == tree


def test_a_phrase_with_a_gap_is_replaced_block_by_block() -> None:
    read, eaten = parse_trees(
        "(ROOT (S (VP (NP (N 0=books)) (V 3=read)) (V 1=has) (NP (N 2=she))))\n"
        "(ROOT (S (V 0=had) (NP (N 1=he)) (VP (ADV 2=never) (V 3=eaten) (NP (N 5=much))) (ADV 4=so)))\n",
        "discbracket",
    )
    new = {
        without_tags(SubstructureSubstitution([read, eaten], rate=0.6).augment(read, Random(seed)))
        for seed in range(300)
    }
    assert "(ROOT (S (VP 0=never 1=eaten (NP 4=much)) 2=has (NP 3=she)))" in new
    assert "(ROOT (S (VP (NP 0=much) 3=read) 1=has (NP 2=he)))" in new


def test_equal_seeds_give_equal_trees() -> None:
    treebank = parse_trees("(S (NP (N a)) (VP (V b) (NP (N c) (N d))))\n(S (NP (N e) (N f)) (VP (V g)))\n", "bracket")
    substitution = SubstructureSubstitution(treebank, 0.5)
    once, again = ([substitution.augment(tree, Random(3)) for tree in treebank] for _ in range(2))
    assert once == again
    assert once != treebank
