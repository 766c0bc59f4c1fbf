from discoseq.batching.vocabularies import ancestor_labels
from discoseq.treebanks.files import parse_trees


def test_a_word_has_a_parent_and_a_grandparent() -> None:
    (tree,) = parse_trees(
        "(ROOT (S (VP (NP (N 0=books)) (V 3=read)) (V 1=has) (NP (N 2=she))) ($. 4=.))\n", "discbracket"
    )
    assert ancestor_labels(tree) == ["NP < VP", "S < ROOT", "NP < S", "VP < S", "ROOT"]
