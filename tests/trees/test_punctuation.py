import pytest
from hypothesis import given

from discoseq.treebanks.files import parse_trees
from discoseq.trees.punctuation import TREATMENTS, is_punctuation
from discoseq.trees.tree import Token, Tree
from tree_strategies import trees, without_tags


def tree_of(line: str) -> Tree:
    (tree,) = parse_trees(line + "\n", "discbracket")
    return tree


@pytest.mark.parametrize("treatment", TREATMENTS)
@given(tree=trees())
def test_words_and_phrases_over_them_stay(treatment: str, tree: Tree) -> None:
    treated = TREATMENTS[treatment](tree)
    removed = TREATMENTS["remove"]
    if treatment != "root_attach":  # which moves phrases under the root, too
        assert removed(treated) == removed(tree)
    kept = [t for t in tree.tokens if treatment != "remove" or not is_punctuation(t)]
    assert list(treated.tokens) == kept


@given(tree=trees())
def test_root_hangs_all_punctuation_under_the_root(tree: Tree) -> None:
    treated = TREATMENTS["root"](tree)
    assert all(i in treated.root.children for i, token in enumerate(tree.tokens) if is_punctuation(token))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # the highest phrase that has a child beginning right after the mark
        ("(R (S (NP (N 0=a)) (V 1=b) (PP (P 3=c))) ($, 2=,))", "(R (S (NP 0=a) 1=b 2=, (PP 3=c)))"),
        # nothing follows: it stays
        ("(R (S (N 0=a)) ($. 1=.))", "(R (S 0=a) 1=.)"),
        # what follows hangs under the root: it stays
        ("(R (S (N 0=a)) ($, 1=,) (S (N 2=b)))", "(R (S 0=a) 1=, (S 2=b))"),
        # the left mark's parent ends right before the right mark, which joins it
        ('(R (S (V 0=a) (NP ($( 1=") (N 2=b)) (V 4=c)) ($( 3="))', '(R (S 0=a (NP 1=" 2=b 3=") 4=c))'),
        # the right mark's parent begins right after the left mark, which joins it
        ('(R (S (NP (N 1=b) ($( 2=")) (V 3=c)) ($( 0="))', '(R (S (NP 0=" 1=b 2=") 3=c))'),
        # one word that counts as punctuation and is all there is
        ("(R ($. 0=...))", "(R 0=...)"),
        # an apostrophe with another tag is no punctuation
        ("(R (S (N 0=a) (N 2=b)) (POS 1='))", "(R (S 0=a 2=b) 1=')"),
    ],
)
def test_move(before: str, after: str) -> None:
    assert without_tags(TREATMENTS["move"](tree_of(before.replace("$(", "$[")))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # the lowest phrase over both neighbours
        ("(R (S (NP (N 0=a) (N 2=b)) (V 3=c)) ($, 1=,))", "(R (S (NP 0=a 1=, 2=b) 3=c))"),
        # at the edges nothing moves
        ("(R ($, 0=,) (S (N 1=a)) ($. 2=.))", "(R 0=, (S 1=a) 2=.)"),
        # adjacent children of the root are skipped on the right
        ("(R (S (NP (N 0=a)) (V 3=c)) ($, 1=,) ($, 2=,))", "(R (S (NP 0=a) 1=, 2=, 3=c))"),
        # a phrase under the root moves, too
        ("(R (S (N 0=a) (V 3=c)) (PRN (X 1=x) (X 2=y)))", "(R (S 0=a (PRN 1=x 2=y) 3=c))"),
    ],
)
def test_root_attach(before: str, after: str) -> None:
    assert without_tags(TREATMENTS["root_attach"](tree_of(before))) == after


def test_remove_takes_phrases_of_punctuation_along_and_may_leave_nothing() -> None:
    assert without_tags(TREATMENTS["remove"](tree_of("(R (X ($. 0=.)) (NP (N 1=a)))"))) == "(R (NP 0=a))"
    assert without_tags(TREATMENTS["remove"](tree_of("(R (X ($. 0=.)))"))) == "(R )"


@pytest.mark.parametrize(("word", "tag"), [("foo", "$,"), ("...", "NN"), ("«", "NN"), ("(", "X"), ("a", "let")])
def test_punctuation_is_told_by_tag_or_word(word: str, tag: str) -> None:
    assert is_punctuation(Token(word, tag))
    assert not is_punctuation(Token("a", "NN"))
