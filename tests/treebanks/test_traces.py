"""The rules by which moved material returns to its trace, each on a tree small enough for a board."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.treebanks.files import parse_trees
from discoseq.treebanks.traces import MOVED_TYPES, resolve_traces
from discoseq.trees.draft import Draft
from discoseq.trees.transforms import TRACE_TAG, drop_functions, strip_traces
from discoseq.trees.tree import Child, Constituent, Token, Tree
from tree_strategies import trees, without_tags


def resolved(text: str, moved: tuple[str, ...] = MOVED_TYPES) -> str:
    (tree,) = parse_trees(text, "bracket")
    return without_tags(resolve_traces(tree, moved))


def labels_with_functions(tree: Tree) -> list[tuple[str, str | None]]:
    return [(constituent.label, constituent.function) for constituent in tree.root.walk()]


# what the two styles of indexing say of the same sentence
WH_QUESTION = [
    "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ (PRP she)) (VP (VB say) (NP (-NONE- *T*-1))))))",
    "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD did) (NP-SBJ (PRP she)) (VP (VB say) (NP-1 (-NONE- *T*))))))",
]


@pytest.mark.parametrize(
    "empty", ["*", "*-1", "0", "*U*", "*?*", "*NOT*", "*PPA*-1", "*PRO*", "*PRO*-1", "*T*", "*ICH*", "*EXP*", "*RNR*"]
)
def test_rule_1_other_empty_elements_go_and_so_do_phrases_left_empty(empty: str) -> None:
    text = f"( (S (NP-SBJ-1 (PRP We)) (VP (VBP go) (SBAR (S (NP (-NONE- {empty})))))))"
    assert resolved(text) == "( (S (NP 0=We) (VP 1=go)))"


@pytest.mark.parametrize("text", WH_QUESTION, ids=["on the trace", "on the phrase"])
def test_rule_2_the_antecedent_replaces_the_phrase_over_the_trace(text: str) -> None:
    assert resolved(text) == "( (SBARQ (SQ (VP (WHNP 0=What) 3=say) 1=did (NP 2=she))))"


def test_rule_2_extraposition_to_the_right() -> None:
    text = (
        "( (S (NP-SBJ (NP (DT A) (NN man)) (SBAR (-NONE- *ICH*-1))) "
        "(VP (VBD came) (SBAR-1 (WHNP (WP who)) (VBD sang)))))"
    )
    assert resolved(text) == "( (S (NP (NP 0=A 1=man) (SBAR (WHNP 3=who) 4=sang)) (VP 2=came)))"


def test_rule_2_a_clause_joins_the_pronoun_that_stands_for_it() -> None:
    text = "( (S (NP-SBJ (NP (PRP It)) (S (-NONE- *EXP*-1))) (VP (VBZ pays) (S-1 (VP (TO to) (VB ask))))))"
    assert resolved(text) == "( (S (NP (NP 0=It) (S (VP 2=to 3=ask))) (VP 1=pays)))"


def test_rule_2_what_stands_beside_the_trace_stays_with_what_comes() -> None:
    text = "( (SBARQ (WHNP-1 (WP What)) (SQ (VBD fell) (NP (RB else) (-NONE- *T*-1)))))"
    assert resolved(text) == "( (SBARQ (SQ (NP (WHNP 0=What) 2=else) 1=fell)))"


def test_rule_2_a_phrase_of_empty_elements_above_the_place_stays() -> None:
    text = (
        "( (SINV (S-1 (NP (PRP It)) (VP (VBZ is))) (VP (VBZ says) "
        "(SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (NP (NNP Ann))))"
    )
    assert resolved(text) == "( (SINV (VP (SBAR (S (NP 0=It) (VP 1=is))) 2=says) (NP 3=Ann)))"


def test_rule_2_an_index_may_stand_on_a_tag() -> None:
    text = (
        "( (NP (NP (JJ new) (NNS (-NONE- *RNR*-4))) (PP (TO to) (NP (JJ old) (NNS (-NONE- *RNR*-4)))) (NNS-4 stars)))"
    )
    assert resolved(text) == "( (NP (NP 0=new) (PP 1=to (NP 2=old 3=stars))))"


def test_rule_2_an_antecedent_without_words_moves_nothing() -> None:
    for text in [
        "( (NP (NP (DT the) (NN way)) (SBAR (WHADVP-1 (-NONE- 0)) (S (PRP we) (VP (VBP go) (ADVP (-NONE- *T*-1)))))))",
        "( (NP (NP (DT the) (NN way)) (SBAR (WHADVP-1 (-NONE- *0*)) "
        "(S (PRP we) (VP (VBP go) (ADVP-1 (-NONE- *T*)))))))",
    ]:
        assert resolved(text) == "( (NP (NP 0=the 1=way) (SBAR (S 2=we (VP 3=go)))))"


def test_rule_2_a_trace_without_antecedent_goes() -> None:
    text = "( (S (NP (PRP I)) (VP (VBP see) (NP (-NONE- *T*-7)))))"
    assert resolved(text) == "( (S (NP 0=I) (VP 1=see)))"


def test_rule_2_a_gapping_index_moves_nothing() -> None:
    text = "( (S (NP=1 (PRP We)) (VP (VBP see) (NP (-NONE- *T*-1)))))"
    assert resolved(text) == "( (S (NP 0=We) (VP 1=see)))"


def test_rule_2_of_two_phrases_with_the_index_the_wh_phrase_moves() -> None:
    text = (
        "( (S (NP-SBJ-1 (PRP We)) (VP (VBD met) (NP (NP (NNS men)) "
        "(SBAR (WHNP-1 (WP whom)) (S (NP (PRP you)) (VP (VBP know) (NP-1 (-NONE- *T*)))))))))"
    )
    expected = "( (S (NP 0=We) (VP 1=met (NP (NP 2=men) (SBAR (S (VP (WHNP 3=whom) 5=know) (NP 4=you)))))))"
    assert resolved(text) == expected


def test_rule_2_of_two_clauses_each_has_its_own_antecedent_of_the_same_index() -> None:
    clause = "(SBAR (WHNP-1 (WP {})) (S (NP (PRP we)) (VP (VBP {}) (NP (-NONE- *T*-1)))))"
    text = f"( (NP {clause.format('what', 'see')} (CC and) {clause.format('whom', 'hear')}))"
    assert resolved(text) == (
        "( (NP (SBAR (S (VP (WHNP 0=what) 2=see) (NP 1=we))) 3=and (SBAR (S (VP (WHNP 4=whom) 6=hear) (NP 5=we)))))"
    )


def test_rule_2_a_clause_is_no_antecedent_of_a_noun_phrase_nor_the_reverse() -> None:
    text = (
        "( (SINV (S-TPC-1 (NP (PRP We)) (VP (VBP go))) (VP (VBZ says) (S (-NONE- *T*-1))) (NP (NP (NNP Ann)) "
        "(SBAR (WHNP-1 (WP who)) (S (NP (-NONE- *T*-1)) (VP (VBZ stays)))))))"
    )
    assert resolved(text) == (
        "( (SINV (VP (S (NP 0=We) (VP 1=go)) 2=says) (NP (NP 3=Ann) (SBAR (S (WHNP 4=who) (VP 5=stays))))))"
    )


def test_rule_2_a_wh_phrase_or_a_topic_is_the_antecedent_before_a_subject_that_is_nearer() -> None:
    for label in ("WHNP-1", "NP-TPC-1"):
        text = f"( (SBAR ({label} (WP what)) (S (NP-SBJ-1 (PRP we)) (VP (VBP see) (NP (-NONE- *T*-1))))))"
        assert resolved(text).startswith(f"( (SBAR (S (VP ({label.partition('-')[0]} 0=what) 2=see)")


def test_rule_2_what_is_extraposed_follows_its_trace() -> None:
    text = (
        "( (S (S-1 (VP (VB rest))) (CC and) (S (NP (NP (PRP it)) (S (-NONE- *EXP*-1))) (VP (VBZ pays) "
        "(S-1 (VP (VB wait)))))))"
    )
    assert resolved(text) == "( (S (S (VP 0=rest)) 1=and (S (NP (NP 2=it) (S (VP 4=wait))) (VP 3=pays))))"


def test_rule_2_a_quotation_around_the_trace_is_its_antecedent() -> None:
    quotation = "(S-1 (NN snow) (PRN (NP (PRP he)) (VP (VBD said) (S (-NONE- *T*-1)))) (VBZ melts))"
    assert resolved(f"( (S (S-1 (NN ice)) (CC and) {quotation}))") == (
        "( (S (S 0=ice) 1=and (PRN (VP (S 2=snow 5=melts) 4=said) (NP 3=he))))"
    )


def test_rule_2_of_two_phrases_that_c_command_the_trace_the_nearer_moves() -> None:
    text = "( (S (NP-1 (NN one)) (VP (VB see) (NP (-NONE- *ICH*-1))) (PP-1 (IN two)) (AP (JJ three))))"
    assert resolved(text) == "( (S (NP 0=one) (VP 1=see (PP 2=two)) (AP 3=three)))"


def test_rule_3_raised_material_goes_to_the_nearest_trace() -> None:
    for text in [
        "( (VP (VP (VB mend) (NP (-NONE- *RNR*-1))) (CC and) (VP "
        "(VB sell) (NP (-NONE- *RNR*-1))) (NP-1 (NNS clocks))))",
        "( (VP (VP (VB mend) (NP-1 (-NONE- *RNR*))) (CC and) (VP "
        "(VB sell) (NP-1 (-NONE- *RNR*))) (NP-1 (NNS clocks))))",
    ]:
        assert resolved(text) == "( (VP (VP 0=mend) 1=and (VP 2=sell (NP 3=clocks))))"


def test_rule_3_nearest_is_the_first_of_two_gaps_of_a_question_word() -> None:
    text = (
        "( (SBARQ (WHNP-1 (WP What)) (VP (VP (VB mend) (NP "
        "(-NONE- *T*-1))) (CC or) (VP (VB sell) (NP (-NONE- *T*-1))))))"
    )
    assert resolved(text) == "( (SBARQ (VP (VP (WHNP 0=What) 1=mend) 2=or (VP 3=sell))))"


def test_rule_3_empty_elements_between_do_not_make_a_trace_farther_than_words_do() -> None:
    text = (
        "( (S (NP (-NONE- *ICH*-1)) (VB go) (NP-1 (NNS men)) (-NONE- *) "
        "(-NONE- *) (-NONE- *) (VP (-NONE- *ICH*-1) (VB sing))))"
    )
    assert resolved(text) == "( (S 0=go (VP (NP 1=men) 2=sing)))"


def test_rule_4_a_trace_inside_a_moved_phrase_moves_along() -> None:
    # "How many came in who sing": the clause at the end belongs to the fronted phrase
    text = (
        "( (SBARQ (WHNP-1 (WRB How) (JJ many) (SBAR (-NONE- *ICH*-2))) "
        "(SQ (VBD came) (VP (VB in) (NP (-NONE- *T*-1))) (SBAR-2 (WP who) (VBP sing)))))"
    )
    assert resolved(text) == "( (SBARQ (SQ (VP (WHNP 0=How 1=many (SBAR 4=who 5=sing)) 3=in) 2=came)))"


def test_rule_4_a_chain_of_traces_ends_at_the_last() -> None:
    text = (
        "( (SBARQ (WHNP-2 (WP Whom)) (S (VBP do) (NP (PRP you)) (VP (VB think) "
        "(SBAR (WHNP-1 (-NONE- *T*-2)) (S (PRP she) (VP (VBD saw) (NP (-NONE- *T*-1)))))))))"
    )
    expected = "( (SBARQ (S (VP (SBAR (S (VP (WHNP 0=Whom) 5=saw) 4=she)) 3=think) 1=do (NP 2=you))))"
    assert resolved(text) == expected


def test_rule_5_a_quotation_around_its_verb_of_saying() -> None:
    text = (
        "( (S-1 (NP (NNP Snow)) (PRN (, ,) (S (NP (PRP he)) (VP "
        "(VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))) (, ,)) "
        "(VP (VBZ melts))))"
    )
    expected = "( (PRN (S (VP (SBAR (S (NP 0=Snow) (VP 5=melts))) 3=said) (NP 2=he)) 1=, 4=,))"
    assert resolved(text) == expected


def test_rule_5_the_parenthetical_hangs_where_the_quotation_did() -> None:
    text = (
        "( (S (CC But) (S-1 (NP (NNP Snow)) (PRN (S (PRP he) (VP "
        "(VBD said) (S (-NONE- *T*-1))))) (VP (VBZ melts))) (. .)))"
    )
    expected = "( (S 0=But (PRN (S (VP (S (NP 1=Snow) (VP 4=melts)) 3=said) 2=he)) 5=.))"
    assert resolved(text) == expected


def test_rule_5_of_nested_parentheticals_the_outermost_comes_out() -> None:
    text = "( (S (S-1 (NN snow) (PRN (UH well) (PRN (PRP he) (VP (VBD said) (S (-NONE- *T*-1))))) (VBZ melts)) (. .)))"
    assert resolved(text) == "( (S (PRN (PRN (VP (S 0=snow 4=melts) 3=said) 2=he) 1=well) 5=.))"


def test_rule_5_another_trace_is_taken_where_the_nearest_is_of_no_use() -> None:
    text = "( (S (S-1 (NN snow) (VP (VBD said) (S (-NONE- *T*-1)))) (VP (VBZ melts) (S (-NONE- *T*-1)))))"
    assert resolved(text) == "( (S (VP (S 0=snow (VP 1=said)) 2=melts)))"


def test_rule_5_without_a_parenthetical_the_quotation_stays() -> None:
    text = "( (S-1 (CC But) (VP (VBZ says) (S (-NONE- *T*-1))) (NP (NNP Ann)) (NP (NN snow)) (VP (VBZ melts))))"
    assert resolved(text) == "( (S 0=But (VP 1=says) (NP 2=Ann) (NP 3=snow) (VP 4=melts)))"


def test_rule_5_two_phrases_that_hold_each_others_trace() -> None:
    text = "( (S (NP-1 (NN one) (PP (-NONE- *ICH*-2))) (VP-2 (VB two) (AP (-NONE- *ICH*-1)))))"
    assert resolved(text) == "( (S (VP (NP 0=one) 1=two)))"


def test_rule_6_functions_stay_without_indices_and_what_moves_takes_over_that_of_its_place() -> None:
    text = (
        "( (S-1=2 (NP=3 (NN x)) (SBAR (WHNP-1 (WP who)) (S (NP-SBJ-1 "
        "(-NONE- *T*)) (VP-PRD-4 (VB y)) (S-TPC-2 (VB z)))) (NN-7 q)))"
    )
    tree = resolve_traces(parse_trees(text, "bracket")[0])
    assert labels_with_functions(tree) == [
        *[("", None), ("S", None), ("NP", None), ("SBAR", None), ("S", None), ("WHNP", "SBJ"), ("VP", "PRD")],
        ("S", "TPC"),
    ]
    assert [token.function for token in tree.tokens] == [None] * 5


def test_the_moved_types_are_a_setting() -> None:
    text = (
        "( (S (NP (NP (NNS men)) (SBAR (-NONE- *ICH*-1))) (VP (WHNP-2 "
        "(WP who)) (VB go) (NP (-NONE- *T*-2))) (SBAR-1 (IN if))))"
    )
    assert resolved(text, ()) == "( (S (NP (NP 0=men)) (VP (WHNP 1=who) 2=go) (SBAR 3=if)))"
    assert resolved(text, ("*ICH*",)) == "( (S (NP (NP 0=men) (SBAR 3=if)) (VP (WHNP 1=who) 2=go)))"


def test_a_root_that_bears_an_index_stays() -> None:
    assert resolved("(S-1 (NP (NN x)) (PRN (VB y) (S (-NONE- *T*-1))))") == "(S (NP 0=x) (PRN 1=y))"


def test_a_sentence_of_nothing_but_traces_is_empty() -> None:
    assert resolved("( (NP-1 (-NONE- *T*-1)))") == "( )"


FUNCTIONS = [None, None, None, "1", "2", "SBJ-1", "SBJ", "3=1", "=2", "2-TMP"]
EMPTY = ["*", "*-1", "0", "*T*", "*T*-1", "*T*-2", "*ICH*-1", "*ICH*-3", "*EXP*-2", "*RNR*-3", "*RNR*-3"]


@st.composite
def trees_with_traces(draw: st.DrawFn) -> Tree:
    """Any tree at all, with indices and traces strewn over it: annotators err, and no error may break a tree."""
    tree = draw(trees(max_tokens=12, words=st.sampled_from(["a", "b", "c"])))
    draft = Draft.of(tree)
    draft.functions = [draw(st.sampled_from(FUNCTIONS)) for _ in draft.functions]
    draft.labels = [draw(st.sampled_from([label, "PRN", "WHNP"])) for label in draft.labels]
    draft.tokens = [
        Token(draw(st.sampled_from(EMPTY)), TRACE_TAG)
        if draw(st.booleans())
        else replace(token, function=draw(st.sampled_from(FUNCTIONS)))
        for token in draft.tokens
    ]
    return draft.freeze()


@given(trees_with_traces())
def test_words_are_neither_lost_nor_reordered(tree: Tree) -> None:
    words = [(token.word, token.tag) for token in tree.tokens if token.tag != TRACE_TAG]
    assert [(token.word, token.tag) for token in resolve_traces(tree).tokens] == words


@given(trees_with_traces())
def test_no_constituent_that_holds_words_of_its_own_is_lost(tree: Tree) -> None:
    def owners(tree: Tree) -> list[str]:
        overt = [i for i, token in enumerate(tree.tokens) if token.tag != TRACE_TAG]
        parents = {i: x.label for x in tree.root.walk() for i in x.children if isinstance(i, int)}
        return [parents[i] for i in overt]

    before, after = owners(tree), owners(resolve_traces(tree))
    moved_tokens = sum(token.function is not None for token in tree.tokens)  # a token with an index may itself move
    assert sum(x != y for x, y in zip(before, after, strict=True)) <= moved_tokens


@given(trees_with_traces())
def test_no_index_is_left(tree: Tree) -> None:
    result = resolve_traces(tree)
    functions = [x.function for x in result.root.walk()] + [token.function for token in result.tokens]
    assert {function for function in functions if function} <= {"SBJ", "TMP"}


@given(trees_with_traces())
def test_moving_nothing_only_strips(tree: Tree) -> None:
    assert drop_functions(resolve_traces(tree, ())) == drop_functions(strip_traces(tree))


@given(trees_with_traces())
def test_resolving_twice_is_resolving_once(tree: Tree) -> None:
    once = resolve_traces(tree)
    assert resolve_traces(once) == once


def test_a_deep_tree_hits_no_recursion_limit() -> None:
    part: Child = Constituent("NP", (1,))
    for _ in range(5000):
        part = Constituent("X", (part,))
    root = Constituent("", (Constituent("S", (Constituent("WHNP", (0,), "1"), part, 2)),))
    tree = Tree(root, (Token("What", "WP"), Token("*T*-1", TRACE_TAG), Token("fell", "VB")))
    result = resolve_traces(tree)
    assert result.words == ("What", "fell")
    assert result.depth == 5003
