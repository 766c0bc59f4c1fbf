"""disco-dop's rules, item by item."""

from collections.abc import Iterator

import pytest

from discoseq.evaluation.corpus_scores import CorpusScores, evaluate, score_sentences
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.disco import DiscoRules
from discoseq.evaluation.parameters import default_parameters, parse_parameters
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Constituent, Token, Tree


def score(gold: str, predicted: str, parameters: str | None = None) -> CorpusScores:
    settings = parse_parameters(parameters) if parameters is not None else None
    one, two = parse_trees(gold, "discbracket"), parse_trees(predicted, "discbracket")
    return evaluate(one, two, "disco", settings).all


def brackets(gold: str, predicted: str) -> tuple[int, int, int]:
    counts = score(gold, predicted).counts.brackets
    return counts.matched, counts.gold, counts.predicted


GAPPED = "(ROOT (S (VP (PDS 0=das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man)) ($. 4=.))"
FLAT = "(ROOT (S (PDS 0=das) (VMFIN 1=muss) (PIS 2=man) (VP (VVINF 3=tun))) ($. 4=.))"


def test_a_tree_against_itself_is_right_in_every_way() -> None:
    scores = score(GAPPED, GAPPED)
    assert scores.counts.brackets == BracketCounts(2, 2, 2)
    assert scores.counts.discontinuous == BracketCounts(1, 1, 1)
    assert (scores.precision, scores.recall, scores.f1, scores.exact_match, scores.pos_accuracy) == (100,) * 5


@pytest.mark.parametrize(
    ("gold", "predicted", "missing", "wrong"),
    [
        (GAPPED, GAPPED, [], []),
        (GAPPED, FLAT, ["VP"], ["VP"]),
        (FLAT, GAPPED.replace("(S", "(X"), ["S", "VP"], ["X", "VP"]),
        # of two equal brackets one matches, and the root is not scored
        ("(ROOT (NP (NP (N 0=a))))", "(TOP (NP (N 0=a)))", ["NP"], []),
        # punctuation is left out, so a constituent of nothing else is not scored
        ("(ROOT (S (N 0=a) (X ($. 1=.) ($. 2=!))))", "(ROOT (S (N 0=a)) ($. 1=.) ($. 2=!))", [], []),
    ],
)
def test_differences_are_the_brackets_that_do_not_match(
    gold: str, predicted: str, missing: list[str], wrong: list[str]
) -> None:
    (one,), (two,) = parse_trees(gold, "discbracket"), parse_trees(predicted, "discbracket")
    differences = DiscoRules(default_parameters("disco")).differences(one, two, "1")
    assert [[constituent.label for constituent in side] for side in differences] == [missing, wrong]
    matched, in_gold, in_parse = brackets(gold, predicted)
    assert [len(side) for side in differences] == [in_gold - matched, in_parse - matched]


def test_brackets_match_by_label_and_tokens() -> None:
    assert brackets(GAPPED, FLAT) == (1, 2, 2)
    assert brackets(GAPPED, GAPPED.replace("(VP", "(NP")) == (1, 2, 2)


def test_labels_are_case_sensitive() -> None:
    assert brackets("(ROOT (S (A 0=a) (B 1=b)))", "(ROOT (s (A 0=a) (B 1=b)))") == (0, 1, 1)


def test_the_order_of_children_in_the_file_makes_no_difference() -> None:
    assert brackets(GAPPED, "(ROOT ($. 4=.) (S (PIS 2=man) (VMFIN 1=muss) (VP (VVINF 3=tun) (PDS 0=das))))") == (
        2,
        2,
        2,
    )


def test_ill_nested_phrases_and_several_gaps_are_nothing_special() -> None:
    gold = "(ROOT (S (X (A 0=a) (B 2=b) (E 4=e)) (Y (C 1=c) (D 3=d))))"
    assert brackets(gold, gold) == (3, 3, 3)
    assert score(gold, gold).discontinuous == BracketCounts(2, 2, 2)


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        ("(NP (NP (A 0=a) (B 1=b)))", "(NP (A 0=a) (B 1=b))", (1, 2, 1)),
        ("(NP (A 0=a) (B 1=b))", "(NP (NP (NP (A 0=a) (B 1=b))))", (1, 1, 3)),
        ("(S (VP (A 0=a) (B 1=b)))", "(VP (S (A 0=a) (B 1=b)))", (2, 2, 2)),
    ],
)
def test_in_unary_chains_multiplicity_counts_and_order_does_not(
    gold: str, predicted: str, counts: tuple[int, int, int]
) -> None:
    assert brackets(f"(ROOT {gold})", f"(ROOT {predicted})") == counts


def test_a_tag_over_a_tag_is_a_phrase() -> None:
    assert brackets("(ROOT (NP (A (B 0=a)) (C 1=c)))", "(ROOT (NP (B 0=a) (C 1=c)))") == (1, 2, 1)


@pytest.mark.parametrize("root", ["TOP", "ROOT", "VROOT", "NOPARSE"])
def test_roots_to_be_deleted_are_not_counted_at_the_top_or_inside(root: str) -> None:
    inside = f"(ROOT (S ({root} (NP (A 0=a))) (B 1=b)))"
    assert brackets(f"({root} (S (NP (A 0=a)) (B 1=b)))", inside) == (2, 2, 2)


@pytest.mark.parametrize("root", ["S", "CS", ""])
def test_any_other_root_counts(root: str) -> None:
    tree = f"({root} (NP (A 0=a)) (B 1=b))"
    assert brackets(tree, tree) == (2, 2, 2)


def test_a_phrase_with_a_deleted_label_goes_but_its_words_stay() -> None:
    assert brackets("(ROOT (S (A 0=a) (PUNCT (B 1=b) (C 2=c))))", "(ROOT (S (A 0=a) (B 1=b) (C 2=c)))") == (1, 1, 1)


def test_punctuation_may_hang_anywhere() -> None:
    gold = "(ROOT (S (NP (NP (A 0=a)) (, 1=,) (NP (B 2=b))) (VP (V 3=v)) (. 4=.)))"
    predicted = "(ROOT (S (NP (NP (A 0=a) (, 1=,)) (NP (B 2=b))) (VP (V 3=v) (. 4=.))))"
    assert brackets(gold, predicted) == (5, 5, 5)


def test_a_phrase_of_punctuation_disappears_and_one_left_with_one_child_stays() -> None:
    assert brackets("(ROOT (S (NP (A 0=a)) (X (Y (, 1=,)))))", "(ROOT (S (A 0=a) (, 1=,)))") == (1, 2, 1)


@pytest.mark.parametrize(
    "word", [".", ",", ":", ";", "'", "`", '"', "``", "''", "-", "/", "&", "$", "!", "?", "...", "»"]
)
def test_these_words_are_deleted_whatever_their_tag(word: str) -> None:
    scores = score(f"(ROOT (S (NP (A 0=a) (X 1={word})) (B 2=b)))", f"(ROOT (S (NP (A 0=a)) (X 1={word}) (B 2=b)))")
    assert scores.counts.brackets == BracketCounts(2, 2, 2)
    assert scores.counts.words == 2


def test_a_bracket_as_a_word_is_deleted_and_penn_brackets_are_not() -> None:
    assert score("(ROOT (S (A 0=a) (X 1=#LRB#)))", "(ROOT (S (A 0=a) (X 1=#LRB#)))").counts.words == 1
    assert score("(ROOT (S (A 0=a) (-LRB- 1=-LRB-)))", "(ROOT (S (A 0=a) (-LRB- 1=-LRB-)))").counts.words == 2


@pytest.mark.parametrize("word", ["--", "%", "*", "....", "!!"])
def test_these_words_are_not_deleted(word: str) -> None:
    tree = f"(ROOT (S (A 0=a) (X 1={word})))"
    assert score(tree, tree).counts.words == 2


@pytest.mark.parametrize("tag", ["$,", "$.", "$(", "$[", "PUNCT", "LET", "let[]", ",", ":", "``", "''", ".", "-NONE-"])
def test_tokens_with_these_tags_are_deleted(tag: str) -> None:
    token = tag.replace("(", "[")
    tree = f"(ROOT (S (A 0=a) ({token} 1=x)))"
    assert score(tree, tree).counts.words == 1


def test_gold_tags_decide_what_is_deleted() -> None:
    gold = "(ROOT (S (NP (A 0=a) (: 1=*)) (NN 2=x)))"
    predicted = "(ROOT (S (NP (A 0=a)) (NN 1=*) (, 2=x)))"
    scores = score(gold, predicted)
    assert scores.counts.brackets == BracketCounts(2, 2, 2)
    assert (scores.counts.words, scores.counts.correct_tags) == (2, 1)


def test_labels_and_tags_are_stripped_of_functions_and_indices() -> None:
    gold = "(ROOT (S (NP-SBJ-1 (NN-x 0=a)) (VP=2 (VB=3 1=b))))"
    scores = score(gold, "(ROOT (S (NP (NN 0=a)) (VP (VB 1=b))))")
    assert scores.counts.brackets == BracketCounts(3, 3, 3)
    assert scores.pos_accuracy == 100


def test_labels_of_other_formats_are_stripped_but_never_to_the_empty_label() -> None:
    def tree(label: str, tag: str) -> Tree:
        return Tree(Constituent("ROOT", (Constituent(label, (0,)),)), (Token("a", tag),))

    assert evaluate([tree("NP-SBJ=1", "NN-x")], [tree("NP", "NN")]).all.counts.brackets == BracketCounts(1, 1, 1)
    assert evaluate([tree("-X-", "NN")], [tree("-Y-", "NN")]).all.counts.brackets == BracketCounts(0, 1, 1)
    assert evaluate([tree("NP", "-LRB-")], [tree("NP", "-RRB-")]).all.pos_accuracy == 0


def test_equal_labels_are_equal_for_phrases_and_not_for_tags() -> None:
    scores = score("(ROOT (S (PRT (RP 0=up)) (PRT 1=x)))", "(ROOT (S (ADVP (RP 0=up)) (ADVP 1=x)))")
    assert scores.counts.brackets == BracketCounts(2, 2, 2)
    assert scores.counts.correct_tags == 1


def test_equal_labels_are_equal_at_the_root_too() -> None:
    assert brackets("(PRT (NP (A 0=a)))", "(ADVP (NP (A 0=a)))") == (2, 2, 2)


def test_notes_say_where_disco_dop_has_no_well_defined_result() -> None:
    gold, predicted = parse_trees("(PRT (A 0=a))", "bracket"), parse_trees("(PRT (A 0=a))", "bracket")
    assert evaluate(gold, predicted).notes == (
        "sentence 1: EQ_LABEL applies to the root PRT; in disco-dop, the result varies",
    )
    gold, predicted = parse_trees("(S (A -LRB-))", "bracket"), parse_trees("(S (A #LRB#))", "bracket")
    assert evaluate(gold, predicted).notes == (
        "sentence 1: some words are equal only by EQ_WORD; disco-dop stops with an error there",
    )
    assert not evaluate(gold, gold).notes


def test_a_gap_of_punctuation_is_no_gap() -> None:
    tree = "(ROOT (S (NP (NN 0=a) (NN 2=b)) ($, 1=,) (V 3=c)))"
    assert score(tree, tree).discontinuous == BracketCounts()


def test_discontinuous_scores_are_about_the_sentences_that_have_gaps() -> None:
    continuous = "(ROOT (S (NP (A 0=a) (B 1=b)) (C 2=c)))"
    gold = "\n".join([continuous, GAPPED, continuous])
    predicted = "\n".join([continuous, GAPPED, "(ROOT (S (NP (A 0=a) (C 2=c)) (B 1=b)))"])
    scores = score(gold, predicted)
    assert scores.counts.discontinuous == BracketCounts(1, 1, 2)
    assert scores.counts.discontinuous_sentences == 2
    assert scores.discontinuous_exact_match == 50
    assert scores.counts.exact == 2


def test_a_bracket_is_judged_against_the_gaps_that_deletion_leaves() -> None:
    gold = "(ROOT (S (VP (A 0=a) (B 3=b)) ($, 1=,) (C 2=c)))"
    predicted = "(ROOT (S (VP (A 0=a) ($, 1=,) (B 3=b)) (C 2=c)))"
    assert score(gold, predicted).discontinuous == BracketCounts(1, 1, 1)


@pytest.mark.parametrize(
    ("gold", "predicted", "precision", "recall"),
    [
        ("(ROOT (A 0=a) (B 1=b))", "(ROOT (A 0=a) (B 1=b))", None, None),
        ("(ROOT (S (A 0=a) (B 1=b)))", "(ROOT (A 0=a) (B 1=b))", None, 0),
        ("(ROOT (A 0=a) (B 1=b))", "(ROOT (S (A 0=a) (B 1=b)))", 0, None),
        ("(ROOT (S (A 0=a) (B 1=b)))", "(ROOT (X (A 0=a) (B 1=b)))", 0, 0),
    ],
)
def test_a_division_by_zero_is_undefined(
    gold: str, predicted: str, precision: float | None, recall: float | None
) -> None:
    scores = score(gold, predicted)
    assert (scores.precision, scores.recall, scores.f1) == (precision, recall, None)


def test_a_sentence_without_brackets_is_exact() -> None:
    assert score("(ROOT (S (. 0=.)))", "(ROOT (X (. 0=.)))").exact_match == 100
    assert score("(ROOT (S (. 0=.)))", "(ROOT (X (. 0=.)))").pos_accuracy is None
    assert score("(S (. 0=.))", "(S (. 0=.))").counts.brackets == BracketCounts()


def test_scores_are_sums_over_the_corpus() -> None:
    gold = "(ROOT (NP (A 0=a) (B 1=b)))\n(ROOT (S (X (A 0=a)) (Y (B 1=b)) (Z (C 2=c))))"
    predicted = "(ROOT (VP (A 0=a) (B 1=b)))\n(ROOT (S (X (A 0=a)) (Y (B 1=b)) (C 2=c)))"
    scores = score(gold, predicted)
    assert scores.recall == 60
    assert scores.precision == 75
    assert scores.f1 == pytest.approx(2 * 60 * 75 / 135)


def test_exact_halves_round_to_even_when_printed() -> None:
    words = range(31)
    gold = "(ROOT (S " + " ".join(f"(P{i} (N {i}=w{i}))" for i in words) + "))"
    predicted = "(ROOT (S " + " ".join(f"(Q{i} (N {i}=w{i}))" for i in words) + "))"
    assert f"{score(gold, predicted).f1:6.2f}" == "  3.12"


def long_tree(words: int, label: str = "S") -> str:
    return f"(ROOT ({label} " + " ".join(f"(, {i}=,)" for i in range(words - 1)) + f" (N {words - 1}=w)))"


def test_length_counts_all_gold_tokens_and_forty_is_still_short() -> None:
    gold = parse_trees("\n".join([long_tree(40), long_tree(41)]), "discbracket")
    predicted = parse_trees("\n".join([long_tree(40, "X"), long_tree(41)]), "discbracket")
    scores = evaluate(gold, predicted)
    assert (scores.short.counts.sentences, scores.all.counts.sentences) == (1, 2)
    assert (scores.short.counts.longest, scores.all.counts.longest) == (40, 41)
    assert (scores.short.recall, scores.all.recall) == (0, 50)


def test_parameters_say_what_counts_for_length_and_where_the_cut_is() -> None:
    settings = parse_parameters("DELETE_LABEL_FOR_LENGTH ,\nCUTOFF_LEN 3")
    trees = parse_trees(long_tree(41), "discbracket")
    scores = evaluate(trees, trees, parameters=settings)
    assert scores.short.counts.longest == 1
    assert scores.cutoff_length == 3


def test_unlabelled_brackets_match_by_tokens_alone() -> None:
    gold, predicted = "(ROOT (S (NP (A 0=a)) (B 1=b)))", "(ROOT (X (Y (A 0=a)) (B 1=b)))"
    assert score(gold, predicted, "LABELED 0\nDELETE_LABEL ROOT").counts.brackets == BracketCounts(2, 2, 2)


def test_function_tags_are_judged_where_the_rest_is_right() -> None:
    gold = "(ROOT (S-X (NP-SBJ (A 0=a) (B 1=b)) (VP-PRD (C-HD 2=c))))"
    predicted = "(ROOT (S (NP-SBJ (A 0=a) (B 1=b)) (VP-ADV (C-HD 2=c))))"
    scores = score(gold, predicted)
    assert scores.counts.functions == BracketCounts(2, 4, 3)
    assert score(gold, "(ROOT (S (NP (A 0=a) (B 1=b)) (VP (C 2=c))))").function_tags is None
    wrong_tag = score(gold, "(ROOT (S (NP-SBJ (A 0=a)) (B 1=b) (VP-1-PRD=2 (X-HD 2=c))))")
    assert wrong_tag.counts.functions.predicted == 2


def test_untagged_trees_in_memory_are_scored_by_their_phrases() -> None:
    gold = parse_trees("(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))", "discbracket")
    bare = [Tree(tree.root, tuple(Token(word) for word in tree.words)) for tree in gold]
    scores = evaluate(gold, bare).all
    assert scores.f1 == 100
    assert scores.pos_accuracy == 0
    assert evaluate(bare, bare).all.pos_accuracy == 100


def test_results_come_one_sentence_at_a_time() -> None:
    tree = parse_trees(GAPPED, "discbracket")[0]

    def endless() -> Iterator[Tree]:
        while True:
            yield tree

    results = score_sentences(endless(), endless())
    assert [next(results).counts.brackets.matched for _ in range(3)] == [2, 2, 2]


def test_a_deep_tree_hits_no_recursion_limit() -> None:
    text = "(ROOT " + "(X " * 5000 + "(A 0=a)" + ")" * 5001
    assert score(text, text).counts.brackets == BracketCounts(5000, 5000, 5000)
