"""Trees made continuous, as treetools and disco-dop do it."""

from collections import Counter

import pytest
from hypothesis import given

from discoseq.errors import TreeError
from discoseq.trees.continuous import METHODS
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Child, Constituent, Token, Tree
from tree_strategies import trees

METHOD_NAMES = list(METHODS)


def labels(tree: Tree) -> Counter[str]:
    return Counter(constituent.label for constituent in tree.root.walk())


@pytest.mark.parametrize("method", METHOD_NAMES)
@given(tree=trees(functions=True, fields=True, secondary=True))
def test_no_branches_cross_and_no_word_is_lost(method: str, tree: Tree) -> None:
    made = tree.continuous(method)
    assert not made.is_discontinuous
    assert made.tokens == tree.tokens
    assert (made is tree) == (not tree.is_discontinuous)
    assert made.root.label == tree.root.label


@given(tree=trees(functions=True, secondary=True))
def test_only_split_makes_new_phrases_and_every_secondary_edge_is_kept(tree: Tree) -> None:
    for method in ("raise", "attach"):
        made = tree.continuous(method)
        assert labels(made) == labels(tree)
        assert len(made.secondary_edges) == len(tree.secondary_edges)


@given(tree=trees())
def test_split_makes_a_phrase_of_every_block(tree: Tree) -> None:
    wanted: Counter[tuple[str, int]] = Counter()
    for constituent in tree.root.walk():
        mark = "*" if constituent.is_discontinuous else ""
        for start, end in constituent.blocks:
            wanted[constituent.label + mark, (1 << end) - (1 << start)] += 1
    found = tree.continuous("split").root.walk()
    assert Counter((constituent.label, constituent.cover) for constituent in found) == wanted


@given(tree=trees())
def test_a_phrase_that_is_raised_out_of_keeps_one_of_its_blocks(tree: Tree) -> None:
    blocks = {(c.label, (1 << end) - (1 << start)) for c in tree.root.walk() for start, end in c.blocks}
    assert {(c.label, c.cover) for c in tree.continuous().root.walk()} <= blocks


# raise as treetools' boyd_split and raising, split as disco-dop's splitdisc
EXAMPLES = [
    (
        "(S (VP-OC (PDS-OA 0=Das) (VVINF-HD 3=tun)) (VMFIN-HD 1=muss) (PIS-SB 2=man))",
        {
            "raise": "(S (PDS Das) (VMFIN muss) (PIS man) (VP (VVINF tun)))",
            "split": "(S (VP* (PDS Das)) (VMFIN muss) (PIS man) (VP* (VVINF tun)))",
            "attach": "(S (VP (PDS Das) (VMFIN muss) (PIS man) (VVINF tun)))",
        },
    ),
    (  # two levels with the same gap, and a head that has the gap itself
        "(S (VP-OC (VP-HD (PP-MO (APPR 0=Über)) (VVPP-HD 3=geredet)) (VAINF 4=haben)) (VMFIN-HD 1=muss) (PPER 2=er))",
        {
            "raise": "(S (PP (APPR Über)) (VMFIN muss) (PPER er) (VP (VP (VVPP geredet)) (VAINF haben)))",
            "split": "(S (VP* (VP* (PP (APPR Über)))) (VMFIN muss) (PPER er) (VP* (VP* (VVPP geredet)) (VAINF haben)))",
            "attach": "(S (VP (VP (PP (APPR Über)) (VMFIN muss) (PPER er) (VVPP geredet)) (VAINF haben)))",
        },
    ),
    (  # no HD: the last NK is the head
        "(S (NP-SB (ART-NK 0=Ein) (NN-NK 1=Mann) (S-RC (PRELS-SB 3=der) (VVFIN-HD 4=lacht))) (VVFIN-HD 2=kam))",
        {
            "raise": "(S (NP (ART Ein) (NN Mann)) (VVFIN kam) (S (PRELS der) (VVFIN lacht)))",
            "split": "(S (NP* (ART Ein) (NN Mann)) (VVFIN kam) (NP* (S (PRELS der) (VVFIN lacht))))",
            "attach": "(S (NP (ART Ein) (NN Mann) (VVFIN kam) (S (PRELS der) (VVFIN lacht))))",
        },
    ),
    (  # interleaving phrases
        "(R (A (X 0=a) (Y 2=c)) (B (X 1=b) (Y 3=d)))",
        {
            "raise": "(R (A (X a)) (B (X b)) (Y c) (Y d))",
            "split": "(R (A* (X a)) (B* (X b)) (A* (Y c)) (B* (Y d)))",
            "attach": "(R (A (X a) (B (X b) (Y c) (Y d))))",
        },
    ),
]


@pytest.mark.parametrize("method", METHOD_NAMES)
@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_examples_for_the_board(method: str, text: str, expected: dict[str, str]) -> None:
    made = drop_functions(Tree.fromstring(text).continuous(method))
    assert made == Tree.fromstring(expected[method])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the child with the label of the phrase, else with its initial, else the longest block
        ("(S (NP (NP (NN 0=man)) (SBAR (WP 2=who) (VB 3=came) (RB 4=in))) (VB 1=left))", "(NP (NP (NN man)))"),
        ("(S (VP (WP 0=what) (VB 3=see)) (MD 1=can) (PRP 2=you))", "(VP (VB see))"),
        ("(S (X (A 0=a) (B 2=b) (C 3=c)) (Y 1=y))", "(X (B b) (C c))"),
    ],
)
def test_without_functions_the_head_is_told_by_labels(text: str, expected: str) -> None:
    assert expected in str(Tree.fromstring(text).continuous())


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_deep_tree_hits_no_recursion_limit(method: str) -> None:
    part: Child = 0
    for level in range(1, 1500):
        part = Constituent("X", (part, level))
    tree = Tree(Constituent("R", (Constituent("Y", (part, 1501)), 1500)), tuple(Token(f"w{i}") for i in range(1502)))
    assert tree.is_discontinuous
    assert not tree.continuous(method).is_discontinuous


def test_an_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(TreeError, match="no way 'drop' to make a tree continuous; there are raise, split, attach"):
        Tree.fromstring("(S (A a))").continuous("drop")
