"""EVALB's rules, item by item, on lines and on trees."""

from pathlib import Path

import pytest

from discoseq.errors import EvaluationError
from discoseq.evaluation.corpus_scores import Scores, evaluate, evaluate_files, score_files
from discoseq.evaluation.counts import BracketCounts, Status
from discoseq.evaluation.gold_pairs import TreeFile
from discoseq.evaluation.parameters import Missing, parse_parameters
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Constituent, Token, Tree

Score = tuple[int, int, int]


def score(
    tmp_path: Path, gold: str, predicted: str, parameters: str | None = None, missing: Missing = Missing.ERROR
) -> Scores:
    settings = parse_parameters(parameters) if parameters is not None else None
    return evaluate_files(*files(tmp_path, gold, predicted), "evalb", settings, missing)


def files(tmp_path: Path, gold: str, predicted: str) -> tuple[TreeFile, TreeFile]:
    (tmp_path / "gold.mrg").write_text(gold, encoding="utf-8")
    (tmp_path / "predicted.mrg").write_text(predicted, encoding="utf-8")
    return TreeFile(tmp_path / "gold.mrg", "bracket"), TreeFile(tmp_path / "predicted.mrg", "bracket")


def brackets(tmp_path: Path, gold: str, predicted: str) -> Score:
    scores = score(tmp_path, gold, predicted)
    assert scores.all.counts.valid == 1, scores.notes
    counts = scores.all.counts.brackets
    return counts.matched, counts.gold, counts.predicted


def test_brackets_match_by_label_and_span(tmp_path: Path) -> None:
    gold = "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN a)) (PP (IN with) (NN b))))))"
    predicted = "(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NN a)) (PP (IN with) (NN b)))))"
    assert brackets(tmp_path, gold, predicted) == (5, 6, 5)
    assert brackets(tmp_path, gold, gold.replace("(PP", "(pp")) == (5, 6, 6)


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        ("(S (TOP (NP (A a))) (B b))", "(TOP (S (NP (A a)) (B b)))", (2, 2, 2)),
        ("(ROOT (S (A a)))", "(ROOT (S (A a)))", (2, 2, 2)),
        ("(S1 (S (A a)))", "(S1 (S (A a)))", (2, 2, 2)),
        ("( (S (A a)))", "( (S (A a)))", (2, 2, 2)),
    ],
)
def test_only_top_is_no_bracket(tmp_path: Path, gold: str, predicted: str, counts: Score) -> None:
    assert brackets(tmp_path, gold, predicted) == counts


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        ("(S (NP (NP (A a))) (B b))", "(S (NP (A a)) (B b))", (2, 3, 2)),
        ("(S (NP (A a)) (B b))", "(S (NP (NP (NP (A a)))) (B b))", (2, 2, 4)),
        ("(S (VP (A a)))", "(VP (S (A a)))", (2, 2, 2)),
    ],
)
def test_matching_is_one_to_one(tmp_path: Path, gold: str, predicted: str, counts: Score) -> None:
    assert brackets(tmp_path, gold, predicted) == counts


def test_labels_are_stripped_from_the_first_separator_even_to_the_empty_label(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(S (NP-SBJ-1 (A a)) (VP=2 (B b)))", "(S (NP (A a)) (VP (B b)))") == (3, 3, 3)
    assert brackets(tmp_path, "(S (-X- (A a)))", "(S (=Y (A a)))") == (2, 2, 2)


def test_a_deleted_label_is_recognized_after_stripping(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(TOP-x (S (A a)))", "(S (A a))") == (1, 1, 1)


def test_equal_labels_are_equal_for_phrases_and_for_tags(tmp_path: Path) -> None:
    scores = score(tmp_path, "(S (ADVP (PRT a)))", "(S (PRT (ADVP a)))")
    assert scores.all.counts.brackets == BracketCounts(2, 2, 2)
    assert scores.all.pos_accuracy == 100


def test_tags_are_not_stripped(tmp_path: Path) -> None:
    counts = score(tmp_path, "(S (A-x a) (B=1 b) (C c))", "(S (A-y a) (B b) (C c))").all.counts
    assert (counts.words, counts.correct_tags) == (3, 1)


def test_phrases_left_without_words_disappear(tmp_path: Path) -> None:
    gold = "(TOP (S (NP-SBJ (-NONE- *)) (VP (B b) (SBAR (-NONE- 0) (S (-NONE- *T*-1))) (PRN (: --)))))"
    assert brackets(tmp_path, gold, "(TOP (S (VP (B b))))") == (2, 2, 2)


def test_length_is_that_of_gold_with_punctuation_and_without_traces(tmp_path: Path) -> None:
    (result,) = score_files(*files(tmp_path, "(S (, ,) (A a) (-NONE- *))", "(S (A a))"), "evalb")
    assert result.length == 2


def test_sentences_over_forty_words_are_not_short(tmp_path: Path) -> None:
    short = "(S " + "(N w) " * 40 + "(-NONE- *))\n"
    long = "(S " + "(N w) " * 40 + "(. .))\n"
    scores = score(tmp_path, short + long, short + long.replace("(S", "(X"))
    assert (scores.all.counts.sentences, scores.short.counts.sentences) == (2, 1)
    assert (scores.all.recall, scores.short.recall) == (50, 100)


def test_punctuation_attached_elsewhere_has_no_effect(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(S (NP (A a) (, ,)) (B b) (. ?))", "(TOP (S (NP (A a)) (, ,) (B b)) (. ?))") == (2, 2, 2)


def test_dollars_and_brackets_are_words(tmp_path: Path) -> None:
    scores = score(tmp_path, "(S ($ $) (-LRB- -LRB-) (CC &) (NN %))", "(S ($ $) (-LRB- -LRB-) (CC &) (NN %))")
    assert scores.all.counts.words == 4


@pytest.mark.parametrize(
    ("gold", "predicted", "note"),
    [
        ("(S (A a) (, ,))", "(S (A a) (NN ,))", "gold has 1 words after deletion, but the parse has 2"),
        ("(S (A a) (B b))", "(S (A a) (. b))", "gold has 2 words after deletion, but the parse has 1"),
        ("(S (A a) (, ,) (B b))", "(S (A a) (X ,) (. b))", "the gold word 'b' is ',' in the parse"),
        ("(S (A a))", "(S (A A))", "the gold word 'a' is 'A' in the parse"),
        ("", "(S (A a))", "gold has 0 words after deletion, but the parse has 1"),
        ("(S (A a)", "(S (A a))", "a bracket is not closed"),
        ("(S (A a))", "(S (A a)))", "a closing bracket has no opening bracket"),
    ],
)
def test_an_error_sentence_is_reported_and_left_out_of_every_total(
    tmp_path: Path, gold: str, predicted: str, note: str
) -> None:
    scores = score(tmp_path, f"{gold}\n(S (B b))\n", f"{predicted}\n(S (B b))\n")
    assert scores.notes == (f"sentence 1: {note}",)
    counts = scores.all.counts
    assert (counts.sentences, counts.errors, counts.skipped, counts.valid) == (2, 1, 0, 1)
    assert (counts.brackets, counts.words, counts.exact) == (BracketCounts(1, 1, 1), 1, 1)


@pytest.mark.parametrize("parse", ["", "   ", "(())", "()", "(S (. .))", "(X)"])
@pytest.mark.parametrize("gold", ["(S (NP (A a)) (VP (B b)))", "", "(S (. .))"])
def test_a_parse_without_words_is_skipped_and_costs_nothing(tmp_path: Path, gold: str, parse: str) -> None:
    scores = score(tmp_path, f"{gold}\n(S (B b))\n", f"{parse}\n(S (B b))\n")
    counts = scores.all.counts
    assert (counts.sentences, counts.errors, counts.skipped, counts.valid) == (2, 0, 1, 1)
    assert scores.all.recall == 100
    assert scores.notes == ()


def test_a_line_may_hold_several_trees(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(TOP (S (A a))) (TOP (S (B b)))", "(TOP (S (A a)) (S (B b)))") == (2, 2, 2)


def test_blanks_inside_brackets_do_not_matter(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(TOP  (S   (NP (A  a) ) (VP\t(B b )) ) )", "(TOP (S (NP (A a)) (VP (B b))))") == (
        3,
        3,
        3,
    )


def test_a_terminal_may_have_an_empty_word(tmp_path: Path) -> None:
    scores = score(tmp_path, "(S (A a) (X ))", "(S (A a) (X ))")
    assert scores.all.counts.words == 2


def test_a_bracket_without_anything_in_it_is_not_counted(tmp_path: Path) -> None:
    assert brackets(tmp_path, "(S (A a) (X))", "(S (A a))") == (1, 1, 1)


def test_eleven_errors_are_tolerated_and_the_twelfth_ends_the_run(tmp_path: Path) -> None:
    good, wrong = "(S (A a))\n", "(S (A b))\n"
    assert score(tmp_path, good * 12, wrong * 11 + good).all.counts.errors == 11
    with pytest.raises(EvaluationError, match=r"sentence 12: .* error 12, and scoring stops because MAX_ERROR is 10"):
        score(tmp_path, good * 12, wrong * 12)
    assert score(tmp_path, good * 30, wrong * 30, "MAX_ERROR 10000").all.counts.errors == 30


def test_the_first_of_many_errors_are_noted(tmp_path: Path) -> None:
    notes = score(tmp_path, "(S (A a))\n" * 30, "(S (A b))\n" * 30, "MAX_ERROR 10000").notes
    assert len(notes) == 21
    assert notes[-1] == "and 10 more notes"


@pytest.mark.parametrize("line", ["foo", "(S (A a)) b", "(S (A a b))", "(S a (B b))"])
def test_text_outside_brackets_is_an_error_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(EvaluationError, match=r"predicted\.mrg:2: unexpected text '(\w|foo)'"):
        score(tmp_path, "(S (A a))\n(S (A a))", f"(S (A a))\n{line}")


@pytest.mark.parametrize(("gold", "predicted", "side"), [(2, 1, "parse"), (1, 2, "gold tree")])
def test_surplus_lines_are_reported_and_the_others_scored(tmp_path: Path, gold: int, predicted: int, side: str) -> None:
    scores = score(tmp_path, "(S (A a))\n" * gold, "(S (A a))\n" * predicted)
    assert scores.all.counts.sentences == 1
    assert scores.notes == (f"sentence 2: there is no {side}, so scoring ends with the sentence before",)


def test_missing_parses_can_count_as_empty(tmp_path: Path) -> None:
    gold = "(S (NP (A a)) (B b))\n(S (A a))\n(S (NP (A a)) (B b))\n"
    scores = score(tmp_path, gold, "(())\n(S (A a))\n", missing=Missing.EMPTY)
    counts = scores.all.counts
    assert (counts.sentences, counts.skipped, counts.missing) == (3, 0, 2)
    assert counts.brackets == BracketCounts(1, 5, 1)
    assert (counts.words, counts.correct_tags, counts.exact) == (5, 1, 1)


def test_a_missing_parse_of_a_blank_line_is_skipped(tmp_path: Path) -> None:
    counts = score(tmp_path, "(S (A a))\n\n(S (A a))\n", "(S (A a))\n", missing=Missing.EMPTY).all.counts
    assert (counts.sentences, counts.skipped, counts.missing) == (3, 1, 1)


def test_an_empty_side_scores_zero_and_f1_is_undefined(tmp_path: Path) -> None:
    for gold, predicted in [("(S (A a))", "(TOP (A a))"), ("(TOP (A a))", "(S (A a))"), ("(S (A a))", "(X (A a))")]:
        scores = score(tmp_path, gold, predicted).all
        assert (scores.precision, scores.recall, scores.f1, scores.exact_match) == (0, 0, None, 0)
    nothing = score(tmp_path, "(S (A a))\n", "\n").all
    assert (nothing.recall, nothing.f1, nothing.exact_match, nothing.pos_accuracy) == (0, None, 0, 0)


def test_no_brackets_on_either_side_is_a_complete_match(tmp_path: Path) -> None:
    assert score(tmp_path, "(TOP (A a))", "(TOP (A a))").all.exact_match == 100


def test_a_parse_bracket_crosses_at_most_once(tmp_path: Path) -> None:
    gold = "(S (X (A a) (B b)) (Y (C c) (D d)) (Z (E e) (F f)))"
    counts = score(tmp_path, gold, "(S (A a) (Q (B b) (C c)) (R (D d) (E e)) (F f))").all.counts
    assert (counts.crossing, counts.without_crossing, counts.with_few_crossings) == (2, 0, 1)
    wide = score(tmp_path, gold, "(S (A a) (Q (B b) (C c) (D d) (E e)) (F f))").all
    assert (wide.counts.crossing, wide.average_crossing) == (1, 1)
    assert score(tmp_path, gold, gold).all.without_crossing == 100


def test_exact_halves_round_to_even_when_printed(tmp_path: Path) -> None:
    gold = "(S " + " ".join(f"(P{i} (N w))" for i in range(31)) + ")"
    assert f"{score(tmp_path, gold, gold.replace('(P', '(Q')).all.f1:6.2f}" == "  3.12"


def test_equal_words_come_from_the_parameters(tmp_path: Path) -> None:
    assert score(tmp_path, "(S (A a))", "(S (A b))", "EQ_WORD a b").all.counts.valid == 1


def test_unlabelled_brackets_match_by_span_alone(tmp_path: Path) -> None:
    assert score(tmp_path, "(S (A a))", "(X (A a))", "LABELED 0").all.recall == 100


def test_deleted_words_have_no_effect(tmp_path: Path) -> None:
    scores = score(tmp_path, "(S (A a))", "(S (A a))", "DELETE_WORD a")
    assert scores.all.counts.words == 1
    assert scores.notes == ("EVALB does not support DELETE_WORD, so it has no effect",)


CASES = [
    ("(TOP (S (NP-SBJ (-NONE- *)) (VP (V v) (, ,) (NP=2 (N-x n)))))", "(TOP (S (VP (V v) (NP (N n)))))"),
    ("(S (PRT (A a)) (. .))", "(TOP (S (ADVP (B a)) (. .)))"),
    ("(S (A a) (B b) (X (C c) (D d)))", "(S (A a) (Y (B b) (C c)) (D d))"),
    ("( (S (-X- (A a)) (B b)))", "( (S (A a) (B b)))"),
    ("(S (A a) (, ,))", "(S (A a) (B ,))"),
    ("(S (A a))", "(S (. a))"),
    ("(S ($[ x) (A a))", "(S ($[ x) (A a))"),
]


@pytest.mark.parametrize(("gold", "predicted"), CASES)
def test_trees_and_lines_score_alike(tmp_path: Path, gold: str, predicted: str) -> None:
    from_lines = score(tmp_path, gold, predicted)
    from_trees = evaluate(parse_trees(gold, "bracket"), parse_trees(predicted, "bracket"), "evalb")
    assert from_trees == from_lines


def test_a_discontinuous_tree_is_refused_by_its_sentence(tmp_path: Path) -> None:
    gapped = Tree(Constituent("S", (Constituent("VP", (0, 2)), 1)), (Token("a", "A"), Token("b", "B"), Token("c", "C")))
    with pytest.raises(EvaluationError, match="sentence 1: VP is discontinuous, which EVALB does not support"):
        evaluate([gapped], [gapped], "evalb")


def test_other_formats_are_scored_as_long_as_they_are_continuous(tmp_path: Path) -> None:
    (tmp_path / "gold.discbracket").write_text("(TOP (S (NP (A 0=a)) (B 1=b)))\n", encoding="utf-8")
    (tmp_path / "predicted.mrg").write_text("(TOP (S (NP (A a)) (B b)))\n", encoding="utf-8")
    scores = evaluate_files(TreeFile(tmp_path / "gold.discbracket"), TreeFile(tmp_path / "predicted.mrg"), "evalb")
    assert scores.all.counts.brackets == BracketCounts(2, 2, 2)


def test_the_status_of_a_sentence_is_evalb_s_number(tmp_path: Path) -> None:
    gold, predicted = "(S (A a))\n" * 3, "(S (A a))\n(S (A b))\n\n"
    results = list(score_files(*files(tmp_path, gold, predicted), "evalb"))
    assert [result.status for result in results] == [Status.VALID, Status.ERROR, Status.SKIPPED]
    assert [int(result.status) for result in results] == [0, 1, 2]


def test_a_deep_line_hits_no_recursion_limit(tmp_path: Path) -> None:
    text = "(X " * 5000 + "(A a)" + ")" * 5000
    assert brackets(tmp_path, text, text) == (5000, 5000, 5000)
    assert evaluate(parse_trees(text, "bracket"), parse_trees(text, "bracket"), "evalb").all.f1 == 100


# as in EVALB's new.prm: an apostrophe is deleted as a quotation mark, and kept as a possessive
QUOTES = "DELETE_LABEL TOP\nDELETE_LABEL ''\nDELETE_LABEL ``\nQUOTE_LABEL ''\nQUOTE_LABEL ``\nQUOTE_LABEL POS\n"
POSSESSIVE = "(TOP (S (NP (NP (NNS boys) (POS ')) (NNS toys)) (VP (VBD broke))))"
MISTAGGED = "(TOP (S (NP (NP (NNS boys)) ('' ') (NNS toys)) (VP (VBD broke))))"


@pytest.mark.parametrize(
    ("gold", "predicted", "counts"),
    [
        (POSSESSIVE, MISTAGGED, (3, 4, 4)),  # the lower NP is boys ' in one and boys in the other
        (MISTAGGED, POSSESSIVE, (3, 4, 4)),
        (POSSESSIVE, POSSESSIVE.replace("POS", "''"), (4, 4, 4)),
        (POSSESSIVE.replace("POS '", "POS /"), POSSESSIVE.replace("POS '", "`` /"), (4, 4, 4)),
        # a phrase of the deleted quote alone comes back, too
        ("(S (A a) (X ('' ')))", "(S (A a) (X (POS ')))", (2, 2, 2)),
    ],
)
def test_quotes_that_one_side_deletes_are_put_back(tmp_path: Path, gold: str, predicted: str, counts: Score) -> None:
    from_lines = score(tmp_path, gold, predicted, QUOTES)
    assert from_lines.all.counts.valid == 1
    assert from_lines.all.counts.brackets == BracketCounts(*counts)
    one, two = (parse_trees(text, "bracket") for text in (gold, predicted))
    assert evaluate(one, two, "evalb", parse_parameters(QUOTES)) == from_lines
    assert score(tmp_path, gold, predicted, QUOTES.replace("QUOTE_LABEL", "# QUOTE_LABEL")).all.counts.errors == 1


def test_of_two_quotes_each_is_put_back(tmp_path: Path) -> None:
    gold = "(S (NP (A a) (POS ')) (NP (B b) (POS ')) (C c))"
    predicted = "(S (NP (A a) ('' ')) (NP (B b) ('' ')) (C c))"
    scores = score(tmp_path, gold, predicted, QUOTES)
    assert scores.all.counts.brackets == BracketCounts(3, 3, 3)
    assert (scores.all.counts.words, scores.all.counts.correct_tags) == (5, 3)


def test_quotes_are_put_back_only_if_the_lengths_differ(tmp_path: Path) -> None:
    # as in EVALB: equal numbers of words are compared as they are
    gold = "(S (A a) (POS ') ('' \"))"
    predicted = "(S (A a) ('' ') (POS \"))"
    assert score(tmp_path, gold, predicted, QUOTES).notes == ("sentence 1: the gold word \"'\" is '\"' in the parse",)


def test_other_words_are_never_put_back(tmp_path: Path) -> None:
    assert score(tmp_path, "(S (A a) (POS 's))", "(S (A a) ('' 's))", QUOTES).all.counts.errors == 1


def test_under_the_rules_of_disco_dop_quotes_need_not_be_put_back(tmp_path: Path) -> None:
    scores = evaluate_files(*files(tmp_path, POSSESSIVE, MISTAGGED), "disco", parse_parameters(QUOTES))
    assert scores.notes == ("disco-dop deletes tokens by their gold tags alone, so QUOTE_LABEL has no effect",)
    assert scores.all.counts.brackets == BracketCounts(3, 4, 4)
