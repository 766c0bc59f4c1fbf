"""disco-dop's rules where parse and gold differ in their tokens, and where a parse is missing."""

import pytest

from discoseq.errors import EvaluationError
from discoseq.evaluation.corpus_scores import CorpusScores, evaluate
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.parameters import Missing
from discoseq.treebanks.files import parse_trees

GAPPED = "(ROOT (S (VP (PDS 0=das) (VVINF 3=tun)) (VMFIN 1=muss) (PIS 2=man)) ($. 4=.))"


def score(gold: str, predicted: str, missing: Missing = Missing.ERROR) -> CorpusScores:
    one, two = parse_trees(gold, "discbracket"), parse_trees(predicted, "discbracket")
    return evaluate(one, two, missing=missing).all


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("(ROOT (S (A 0=a) (, 1=,) (B 2=b) (. 3=.)))", "(ROOT (S (A 0=a) (B 1=b)))"),
        ("(ROOT (S (NP (-NONE- 0=*)) (A 1=a) (B 2=b)))", "(ROOT (S (A 0=a) (B 1=b)))"),
        ("(ROOT (S (NP (-NONE- 0=*)) (A 1=a) (B 2=b)))", "(ROOT (S (-NONE- 0=*) (A 1=a) (B 2=b)))"),
    ],
)
def test_a_parse_may_lack_tokens_that_are_deleted_anyway(gold: str, predicted: str) -> None:
    scores = score(gold, predicted)
    assert scores.counts.brackets == BracketCounts(1, 1, 1)
    assert (scores.counts.words, scores.counts.correct_tags) == (2, 2)
    assert scores.counts.longest == len(parse_trees(gold, "discbracket")[0].tokens)


def test_gaps_are_those_of_gold_when_the_parse_lacks_tokens() -> None:
    gold = "(ROOT (S (VP (A 0=a) (B 3=b)) ($, 1=,) (C 2=c)))"
    predicted = "(ROOT (S (VP (A 0=a) (B 2=b)) (C 1=c)))"
    assert score(gold, predicted).discontinuous == BracketCounts(1, 1, 1)


@pytest.mark.parametrize(
    ("gold", "predicted", "reason"),
    [
        ("(S (A 0=a) (B 1=b))", "(S (A 0=a) (B 1=c))", "sentence 1: token 2 is 'b' in gold and 'c' in the parse"),
        ("(S (A 0=a) (B 1=b))", "(S (A 0=a))", r"sentence 1: the parse lacks the word 'b' \(gold token 2\)"),
        (
            "(S (A 0=a))",
            "(S (A 0=a) (, 1=,))",
            r"the word ',' \(token 2 of the parse\) can't be aligned",
        ),
        ("(S (A 0=a))\n(S (A 0=a))", "(S (A 0=a))", "sentence 2: there is a gold tree but no parse"),
        ("(S (A 0=a))", "(S (A 0=a))\n(S (A 0=a))", "sentence 2: there is a parse but no gold tree"),
    ],
)
def test_an_error_names_the_sentence_and_the_difference(gold: str, predicted: str, reason: str) -> None:
    with pytest.raises(EvaluationError, match=reason):
        score(gold, predicted)


def test_equal_words_are_equal_before_they_are_deleted_too() -> None:
    scores = score("(S (A 0=a) (-LRB- 1=-LRB-))", "(S (A 0=a) (-LRB- 1=#LRB#))")
    assert (scores.counts.words, scores.counts.correct_tags) == (2, 2)


def test_missing_parses_count_as_empty_or_not_at_all() -> None:
    gold = "(ROOT (S (A 0=a) (B 1=b)))\n" + GAPPED
    empty = score(gold, "(ROOT (S (A 0=a) (B 1=b)))", missing=Missing.EMPTY)
    assert empty.counts.brackets == BracketCounts(1, 3, 1)
    assert empty.counts.discontinuous == BracketCounts(0, 1, 0)
    assert (empty.counts.sentences, empty.counts.missing, empty.counts.exact) == (2, 1, 1)
    assert (empty.counts.words, empty.counts.correct_tags) == (6, 2)
    skipped = score(gold, "(ROOT (S (A 0=a) (B 1=b)))", missing=Missing.SKIP)
    assert (skipped.recall, skipped.counts.sentences, skipped.counts.missing) == (100, 1, 0)


@pytest.mark.parametrize(("missing", "note"), [(Missing.EMPTY, "counted as empty"), (Missing.SKIP, "left out")])
def test_the_notes_say_what_was_missing(missing: Missing, note: str) -> None:
    tree = parse_trees("(ROOT (S (A 0=a)))", "discbracket")
    assert evaluate(tree * 2, tree, missing=missing).notes == (f"no parse for sentence 1: {note}",)
    many = evaluate(tree * 6, tree, missing=missing).notes
    assert many == (f"no parse for 5 sentences (1, 1, 1 and 2 more): {note}",)
