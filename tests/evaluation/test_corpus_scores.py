"""What holds for all trees, under both rule sets."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discoseq.evaluation.corpus_scores import Scores, evaluate, score_sentences, summarize
from discoseq.evaluation.counts import Counts
from discoseq.evaluation.parameters import RULES, default_parameters
from discoseq.trees.draft import Draft
from discoseq.trees.tree import Tree
from tree_strategies import LABELS, trees

Pair = tuple[Tree, Tree]


@st.composite
def pairs(draw: st.DrawFn, continuous: bool) -> Pair:
    """A tree and a wrong idea of it: phrases lost and relabelled and, where gaps are allowed, words elsewhere."""
    gold = draw(trees(continuous=continuous))
    draft = Draft.of(gold)
    for number in range(1, len(draft.labels)):
        fate = draw(st.sampled_from(["kept", "kept", "kept", "relabelled", "lost"]))
        if fate == "relabelled":
            draft.labels[number] = draw(st.sampled_from(LABELS))
        if fate == "lost":
            for child in draft.children()[number]:
                draft.attach(child, draft.parent(-1 - number))
    for token in range(len(gold.tokens)):
        if not continuous and draw(st.integers(0, 4)) == 0:
            draft.attach(token, draw(st.integers(-len(draft.labels), -1)))
    return gold, draft.freeze()


def corpora(rules: str) -> st.SearchStrategy[list[Pair]]:
    return st.lists(pairs(continuous=rules == "evalb"), min_size=1, max_size=4)


def score(corpus: list[Pair], rules: str) -> Scores:
    return evaluate([gold for gold, _ in corpus], [predicted for _, predicted in corpus], rules)


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_a_tree_equals_itself(rules: str, data: st.DataObject) -> None:
    tree = data.draw(trees(continuous=rules == "evalb"))
    scores = evaluate([tree], [tree], rules).all
    if scores.counts.brackets.gold:
        assert scores.precision == scores.recall == scores.f1 == 100
    if scores.discontinuous.gold:
        assert scores.discontinuous.f1 == scores.discontinuous_exact_match == 100
    if scores.counts.valid:
        assert scores.exact_match == 100
    if scores.counts.words:
        assert scores.pos_accuracy == 100


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_swapping_gold_and_parse_swaps_precision_and_recall(rules: str, data: st.DataObject) -> None:
    corpus = data.draw(corpora(rules))
    one = score(corpus, rules).all
    two = score([(predicted, gold) for gold, predicted in corpus], rules).all
    assert (one.precision, one.recall) == (two.recall, two.precision)
    assert one.f1 == pytest.approx(two.f1)
    gaps, swapped = one.discontinuous, two.discontinuous
    assert (gaps.precision, gaps.recall, gaps.f1) == (swapped.recall, swapped.precision, swapped.f1)
    assert (one.exact_match, one.pos_accuracy) == (two.exact_match, two.pos_accuracy)


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_order_of_sentences_does_not_matter(rules: str, data: st.DataObject, seed: int) -> None:
    corpus = data.draw(corpora(rules))
    shuffled = random.Random(seed).sample(corpus, len(corpus))
    assert score(corpus, rules) == score(shuffled, rules)


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_the_counts_of_a_concatenation_are_the_sum_of_the_counts(rules: str, data: st.DataObject) -> None:
    one, two = data.draw(corpora(rules)), data.draw(corpora(rules))
    both = score(one + two, rules)
    assert both.all.counts == score(one, rules).all.counts + score(two, rules).all.counts
    results = list(score_sentences([gold for gold, _ in one], [predicted for _, predicted in one], rules))
    assert sum((result.counts for result in results), Counts()) == score(one, rules).all.counts
    assert summarize(results, rules) == score(one, rules)


@given(corpus=st.lists(pairs(continuous=True), min_size=1, max_size=4))
def test_both_rule_sets_agree_on_continuous_trees_that_agree_on_punctuation(corpus: list[Pair]) -> None:
    parameters = default_parameters("evalb")
    gold, predicted = zip(*corpus, strict=True)
    evalb = evaluate(gold, predicted, "evalb", parameters).all
    if evalb.counts.skipped:
        return  # disco-dop has no notion of it
    disco = evaluate(gold, predicted, "disco", parameters).all
    assert evalb.counts.brackets == disco.counts.brackets
    assert (evalb.counts.exact, evalb.pos_accuracy) == (disco.counts.exact, disco.pos_accuracy)


@given(corpus=corpora("disco"))
def test_matches_are_never_more_than_either_side_has(corpus: list[Pair]) -> None:
    counts = score(corpus, "disco").all.counts
    for brackets in (counts.brackets, counts.discontinuous):
        assert 0 <= brackets.matched <= min(brackets.gold, brackets.predicted)
    assert counts.discontinuous.gold <= counts.brackets.gold
    assert counts.discontinuous.matched <= counts.brackets.matched


@given(corpus=corpora("disco"))
def test_wrong_tags_in_the_parse_change_nothing_but_accuracy(corpus: list[Pair]) -> None:
    def retagged(tree: Tree) -> Tree:
        return replace(tree, tokens=tuple(replace(token, tag="XX") for token in tree.tokens))

    right = score(corpus, "disco").all
    wrong = score([(gold, retagged(predicted)) for gold, predicted in corpus], "disco").all
    assert replace(wrong.counts, correct_tags=right.counts.correct_tags) == right.counts
    assert wrong.counts.correct_tags == 0
