"""Tree search: the hits of NLTK's tgrep where the two languages are the same, and what discoseq adds."""

from functools import lru_cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tgrep import tgrep_compile, tgrep_positions
from nltk.tree import ParentedTree

from discoseq.errors import QueryError
from discoseq.treebanks.files import format_trees, parse_trees, read_trees
from discoseq.treebanks.query.tree_query import TreeQuery
from discoseq.trees.covers import interleave
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Token, Tree
from shared import shared
from tree_strategies import LABELS, TAGS, trees

CROSSING = "(ROOT (S (VP-OC (PDS-OA 0=Das) (VVINF-HD 3=tun)) (VMFIN-HD 1=muss) (PIS-SB 2=man)) ($. 4=.))"
ILL_NESTED = "(ROOT (A (X 0=a) (X 2=c)) (B (Y 1=b) (Y 3=d)))"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:nltk", "ignore::DeprecationWarning:pyparsing")

OPERATORS = [
    *("<", ">", "<,", ">,", "<1", ">1", "<2", ">2", "<-", ">-", "<'", ">'", "<-1", ">-1", "<-2", ">-2", "<:", ">:"),
    *("<<", ">>", "<<,", "<<'", "<<:", ">>:", ".", ",", "..", ",,"),
    *("$", "%", "$.", "$,", "$..", "$,,", "%.", "%,,"),
]


def find(query: str, tree: str, ignores_punctuation: bool = False) -> list[str]:
    parsed = parse_trees(tree, "discbracket")[0]
    return [str(hit.node) for hit in TreeQuery(query, ignores_punctuation).find(parsed)]


def names(query: str, tree: str = CROSSING) -> list[str]:
    return [hit.node.name for hit in TreeQuery(query).find(parse_trees(tree, "discbracket")[0])]


def own_hits(query: str, tree: Tree, with_words: bool) -> set[int]:
    return {hit.node.number for hit in TreeQuery(query).find(tree) if with_words or hit.node.kind != "word"}


def nltk_hits(query: str, tree: Tree, with_words: bool) -> set[int]:
    """The nodes that NLTK finds, by their number in pre-order."""
    other = ParentedTree.fromstring(format_trees([tree], "bracket"))
    numbers = {position: number for number, position in enumerate(other.treepositions())}
    return {numbers[position] for position in next(tgrep_positions(compiled(query), [other], with_words))}


@lru_cache(maxsize=8)
def compiled(query: str) -> Any:
    return tgrep_compile(query)


NODES = st.sampled_from([*LABELS, "NN", "VB", "*", "/P$/", "NP|VP", "(NP < NN)", "(* << VB)"])
RELATIONS = st.builds("{}{} {}".format, st.sampled_from(["", "!"]), st.sampled_from(OPERATORS), NODES)
LINKS = st.lists(RELATIONS, min_size=1, max_size=3).flatmap(
    lambda links: st.sampled_from([" ".join(links), " & ".join(links), " | ".join(links), f"[{' | '.join(links)}]"])
)


@given(tree=trees(continuous=True, words=st.sampled_from(["a", "b"])), node=st.sampled_from(LABELS), links=LINKS)
def test_hits_in_continuous_trees_are_those_of_nltk(tree: Tree, node: str, links: str) -> None:
    # NLTK does not know the parents of words, so the first nodes of links are labels
    query = f"{node} {links}"
    assert own_hits(query, tree, with_words=False) == nltk_hits(query, tree, with_words=False)


@pytest.mark.parametrize(
    "query",
    [
        *[f"/^NP/ {operator} /^(VP|NN|S|DT)/" for operator in [*OPERATORS, ">>,", ">>'"]],
        *[f"/^VP/ !{operator} /^(PP|NP)/" for operator in OPERATORS],
        '"-NONE-"',
        '"NP-SBJ" $. "VP"',
        'i@"the"',
        "i@/^THE$/",
        "NP|VP",
        "the",
        "NP <<, the",
        "NP < DT & < NN | < PRP",
        "NP [< DT | < PRP] !<< IN",
        "S < (NP $. (VP << to))",
        " @ X /^NP/; @ Y VP; @X < (* .. @Y)",
        "NP; VP < NP",
    ],
)
def test_hits_in_real_trees_are_those_of_nltk(query: str) -> None:
    found = 0
    for number, tree in enumerate(sample()):
        # a bare label matches whatever the function is, which NLTK does not tell from the label
        known = tree if query.startswith(("/", '"', "i@")) and number % 2 else drop_functions(tree)
        hits = own_hits(query, known, with_words=True)
        assert hits == nltk_hits(query, known, with_words=True)
        found += len(hits)
    assert found or "!" in query or ":" in query


@lru_cache(maxsize=1)
def sample() -> list[Tree]:
    files = sorted(shared("treebanks", "masc_en", "trees").glob("*.mrg"))[::10]
    return [tree for file in files for tree in islice(read_trees(file, on_bad=lambda error: None), 8)]


def test_a_label_matches_with_any_function_and_a_quoted_name_or_an_expression_with_its_own() -> None:
    assert names("VP") == names('"VP-OC"') == names("/^VP-OC$/") == ["VP-OC"]
    assert names('"VP"') == names("/^VP$/") == []
    assert names("Das") == ["Das"]
    assert names('"$."') == ["$."]


def test_conditions_in_braces() -> None:
    assert find("{discontinuous}", CROSSING) == ["(VP-OC (PDS-OA 0=Das) (VVINF-HD 3=tun))"]
    assert names("*{gap-degree=1}") == names("VP{fan-out>=2}") == names("VP{tokens=2, children<3}") == ["VP-OC"]
    assert names("VP{gap-degree>1}") == names("VP{!discontinuous}") == []
    assert names("*{function=SB}") == ["PIS-SB"]
    assert names("*{function=/^H/, word!=tun}") == ["VMFIN-HD"]
    assert names("{word=/^[A-Z]/}") == names("{tag=PDS}") == ["PDS-OA"]
    assert names("{word} .. man") == ["Das", "muss"]
    assert names("{root}") == ["ROOT"]
    assert names("{phrase, !function}") == ["ROOT", "S"]


def test_lemmas_and_morphology() -> None:
    tree = parse_trees("(S (VVFIN 0=ging))", "discbracket")[0]
    tree = Tree(tree.root, (Token("ging", "VVFIN", "gehen", "3.Sg"),))
    assert [hit.node.name for hit in TreeQuery("{lemma=gehen, morphology=/Sg/}").find(tree)] == ["VVFIN"]
    assert not list(TreeQuery("{lemma=kommen}").find(tree))


def test_gaps_may_ignore_punctuation() -> None:
    only_a_comma = "(ROOT (S (A 0=a) (B 2=b)) ($, 1=,))"
    assert find("S{discontinuous}", only_a_comma)
    assert not find("S{discontinuous}", only_a_comma, ignores_punctuation=True)


def test_nodes_in_a_gap() -> None:
    assert names("VP <^ VMFIN") == ["VP-OC"]
    assert names("* >^ VP") == ["VMFIN-HD", "muss", "PIS-SB", "man"]
    assert names("S <^ *") == []


def test_nodes_that_cross() -> None:
    assert names("A >< B", ILL_NESTED) == ["A"]
    assert names("B >< *", ILL_NESTED) == ["B"]
    assert names("VP >< *") == []


def test_precedence_is_about_all_tokens() -> None:
    assert names("VP . *") == ["VP-OC"]  # the full stop
    assert names("VP .. VMFIN") == []
    assert names("VP $. VMFIN") == ["VP-OC"]  # sisters are in the order of their first tokens
    assert names("S <<' *{word}") == ["S"]
    assert names("tun >>' *") == ["tun"]


@given(tree=trees())
def test_crossing_relations_are_what_covers_say(tree: Tree) -> None:
    covers = {hit.node.number: hit.node.constituent for hit in TreeQuery("{phrase}").find(tree)}
    found = own_hits("{phrase} >< {phrase}", tree, with_words=False)
    expected = {
        number
        for number, one in covers.items()
        for two in covers.values()
        if one and two and not one.cover & two.cover and interleave(one.cover, two.cover)
    }
    assert found == expected
    gapped = {number for number, one in covers.items() if one and one.is_discontinuous}
    assert own_hits("{phrase} <^ {word}", tree, with_words=False) == gapped


def test_all_ways_to_bind_a_name_are_tried() -> None:
    tree = "(S (NP (DT 0=a)) (NP (NN 1=b)) (VP (V 2=c)))"
    # the first NP has no NN
    assert find("S < NP=n : =n < NN", tree)
    assert find("S < NP=n < (VP , =n)", tree)
    assert not find("S < NP=n < (VP , =n) : =n < DT", tree)
    hit = next(TreeQuery("S < NP=n : =n < NN").find(parse_trees(tree, "discbracket")[0]))
    assert {name: str(node) for name, node in hit.bound.items()} == {"n": "(NP (NN 1=b))"}


def test_a_mark_chooses_the_node_that_is_the_hit() -> None:
    assert names("VP < '*") == ["PDS-OA", "VVINF-HD"]
    assert names("* < '*{word}") == ["Das", "tun", "muss", "man", "."]


def test_a_node_is_one_hit_however_often_it_matches() -> None:
    assert names("VP; VP|S < *; VP") == ["S", "VP-OC"]


def test_a_tree_of_thousands_of_levels_is_searched() -> None:
    depth = 3000
    tree = "(X " * depth + "(A 0=a)" + ")" * depth
    assert len(names("X !< X", tree)) == 1
    assert len(names("A >> X=x !>> (X > =x)", tree)) == 1


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "at its end (character 1): a node is missing here"),
        ("NP <", "at its end (character 5): a node is missing here"),
        ("NP <<< VP", "at '<<< VP' (character 4): there is no relation <<<"),
        ("NP <0 VP", "there is no relation <0"),
        ("NP < (VP", "a closing ) is missing here"),
        ("NP [< VP", "a closing ] is missing here"),
        ("NP) < VP", "at ') < VP' (character 3): this is not expected here"),
        ("/(/", "this is not a regular expression"),
        ("NP{gaps>1}", "no such condition; there are discontinuous, phrase"),
        ("NP{gap-degree}", "gap-degree has to be compared with a number, as in gap-degree>1"),
        ("NP{gap-degree>x}", "gap-degree can't be compared with this"),
        ("NP{word<3}", "word can be compared with = and != only"),
        ("NP{word=a", "a condition ends with a comma or a closing brace"),
        ("NP < =n", "=n is used in the query where no node is bound to it for certain"),
        ("NP [< A=n | < B] : =n < C", "=n is used in the query where"),
        ("NP !< A=n : =n < C", "=n is used in the query where"),
        ("NP=n < NP=n", "=n is bound twice"),
        ("NP !< 'A", "the node marked with ' is inside of a negation"),
        ("@X", "there is no such macro"),
        ("NP : VP", "a node bound before, as in =n, has to follow the colon"),
        ("(" * 200, "nested more than 100 times"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_in_one_sentence(query: str, reason: str) -> None:
    with pytest.raises(QueryError) as caught:
        TreeQuery(query)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@given(text=st.text(alphabet="NP<>=.,$!|&()[]{}'\"/:;@*%^ #ax1-", max_size=12))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    tree = parse_trees(CROSSING, "discbracket")[0]
    try:
        query = TreeQuery(text)
    except QueryError:
        return
    assert len(list(query.find(tree))) <= 13


def test_the_tags_of_the_strategies_are_searchable() -> None:
    for tag in TAGS:
        assert names(f'"{tag}"', f"(S ({tag.replace('(', '[')} 0=x))") == [tag]
