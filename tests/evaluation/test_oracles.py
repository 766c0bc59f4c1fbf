"""Every recorded run of disco-dop's and EVALB's own programs, where the recordings are at hand."""

import json
from functools import cache
from typing import Any

import pytest

from discoseq.errors import DiscoseqError
from discoseq.evaluation.corpus_scores import CorpusScores, score_files, summarize
from discoseq.evaluation.counts import BracketCounts, SentenceResult, Status, percentage
from discoseq.evaluation.gold_pairs import TreeFile
from discoseq.evaluation.parameters import Missing, default_parameters, read_parameters
from shared import SHARED

ORACLES = SHARED / "oracles" / "scoring"

pytestmark = pytest.mark.skipif(not ORACLES.exists(), reason="the recorded runs are not beside the checkout")


@cache
def expected() -> Any:
    return json.loads((ORACLES / "expected.json").read_text(encoding="utf-8"))


def names(tool: str, kind: str) -> list[str]:
    return list(expected()[tool][kind]) if ORACLES.exists() else []


def results_of(case: dict[str, Any], rules: str) -> list[SentenceResult]:
    encoding = case.get("encoding")
    gold = TreeFile(ORACLES / case["gold"], case.get("goldfmt", "bracket"), encoding)
    predicted = TreeFile(ORACLES / case["parse"], case.get("parsesfmt", "bracket"), encoding)
    # disco-dop leaves out sentences without a parse, and EVALB ends there: SKIP is what both do
    return list(score_files(gold, predicted, rules, missing=Missing.SKIP))


def printed(value: float | None, undefined: str = "nan") -> str:
    return undefined if value is None else f"{value:.2f}"


@pytest.mark.parametrize("rules", ["disco", "evalb"])
def test_the_parameters_in_the_package_are_those_of_the_field(rules: str) -> None:
    file = {"disco": "proper.prm", "evalb": "collins.prm"}[rules]
    assert default_parameters(rules) == read_parameters(ORACLES / "params" / file)


@pytest.mark.parametrize("name", names("disco", "cases") + names("disco", "random"))
def test_disco_dop_gives_the_same_figures(name: str) -> None:
    case = expected()["disco"]["cases"].get(name) or expected()["disco"]["random"][name]
    if "error" in case["labeled"]:
        with pytest.raises(DiscoseqError) as caught:
            results_of(case, "disco")
        assert "\n" not in str(caught.value)
        return
    results = results_of(case, "disco")
    scores = summarize(results, "disco")
    check_disco_counts(case, scores.all)
    check_disco_sentences(case, results)
    check_disco_figures(case, "all", scores.all, results)
    short = [result for result in results if result.length <= scores.cutoff_length]
    assert ("len_le_40" in case["labeled"]) == (len(short) < len(results))
    if len(short) < len(results):
        check_disco_figures(case, "len_le_40", scores.short, short)


def check_disco_counts(case: dict[str, Any], scores: CorpusScores) -> None:
    counts = scores.counts
    for mode, brackets, exact, sentences in [
        ("labeled", counts.brackets, counts.exact, counts.sentences),
        ("disconly", counts.discontinuous, counts.discontinuous_exact, counts.discontinuous_sentences),
    ]:
        assert case[mode]["counts"] == {
            "matched": brackets.matched,
            "gold": brackets.gold,
            "cand": brackets.predicted,
            "exact": exact,
            "sentences": sentences,
            "pos_total": counts.words,
            "pos_correct": counts.correct_tags,
        }


def check_disco_sentences(case: dict[str, Any], results: list[SentenceResult]) -> None:
    for mode in ("labeled", "disconly"):
        if "per_sentence" not in case[mode]:
            continue
        ours = []
        for result in results:
            counts = result.counts
            brackets = counts.brackets if mode == "labeled" else counts.discontinuous
            is_exact = brackets.matched == brackets.gold == brackets.predicted
            figures = [brackets.matched, brackets.gold, brackets.predicted, int(is_exact)]
            ours.append([result.name, result.length, *figures, counts.words, counts.correct_tags])
        assert ours == case[mode]["per_sentence"]


def check_disco_figures(case: dict[str, Any], column: str, scores: CorpusScores, results: list[SentenceResult]) -> None:
    counts = scores.counts
    for mode, brackets, exact_match, functions, sentences in [
        ("labeled", counts.brackets, scores.exact_match, counts.functions, counts.sentences),
        (
            "disconly",
            counts.discontinuous,
            scores.discontinuous_exact_match,
            counts.discontinuous_functions,
            counts.discontinuous_sentences,
        ),
    ]:
        gold_distinct, predicted_distinct = distinct(results, mode == "disconly")
        ours = {
            "sentences": sentences,
            "longest": counts.longest,
            "gold_brackets_distinct": gold_distinct,
            "cand_brackets_distinct": predicted_distinct,
            "gold_disc": counts.discontinuous.gold,
            "cand_disc": counts.discontinuous.predicted,
            "recall": printed(brackets.recall),
            "precision": printed(brackets.precision),
            "f1": printed(brackets.f1),
            "exact_match": printed(exact_match, "0DIV!"),
            "pos_accuracy": printed(scores.pos_accuracy, "0DIV!"),
        }
        if functions.predicted:
            ours["function_tags"] = printed(functions.f1)
        assert ours == case[mode][column]


def distinct(results: list[SentenceResult], is_gapped: bool) -> tuple[int, int]:
    def count(brackets: Any, kept: int) -> int:
        return sum(1 for _, cover in set(brackets) if not is_gapped or has_gap(cover, kept))

    return (
        sum(count(result.gold_brackets, result.kept) for result in results),
        sum(count(result.predicted_brackets, result.kept) for result in results),
    )


def has_gap(cover: int, kept: int) -> bool:
    """By renumbering, which the rules themselves avoid."""
    positions = [i for i in range(kept.bit_length()) if kept >> i & 1]
    covered = [number for number, position in enumerate(positions) if cover >> position & 1]
    return covered[-1] - covered[0] + 1 != len(covered)


@pytest.mark.parametrize("name", names("evalb", "cases") + names("evalb", "random"))
def test_evalb_gives_the_same_figures(name: str) -> None:
    case = expected()["evalb"]["cases"].get(name) or expected()["evalb"]["random"][name]
    if case["exit"]:
        with pytest.raises(DiscoseqError) as caught:
            results_of(case, "evalb")
        assert "\n" not in str(caught.value)
        return
    results = results_of(case, "evalb")
    scores = summarize(results, "evalb")
    for column, corpus in [("all", scores.all), ("len_le_40", scores.short)]:
        assert case[column] == evalb_figures(corpus)
    ours = [evalb_row(result) for result in results]
    # the figures of a sentence that does not count are not looked at: EVALB may print what it found before it gave up
    theirs = [row if row[2] == Status.VALID else row[:3] for row in case["per_sentence"]]
    assert ours == theirs


def evalb_figures(scores: CorpusScores) -> dict[str, Any]:
    counts = scores.counts
    return {
        "sentences": counts.sentences,
        "errors": counts.errors,
        "skipped": counts.skipped,
        "valid": counts.valid,
        "recall": printed(scores.recall),
        "precision": printed(scores.precision),
        "f1": printed(scores.f1),
        "complete_match": printed(scores.exact_match),
        "average_crossing": printed(scores.average_crossing),
        "no_crossing": printed(scores.without_crossing),
        "le2_crossing": printed(scores.with_few_crossings),
        "tagging_accuracy": printed(scores.pos_accuracy),
    }


def evalb_row(result: SentenceResult) -> list[Any]:
    if result.status is not Status.VALID:
        return [int(result.name), result.length, int(result.status)]
    counts = result.counts
    brackets: BracketCounts = counts.brackets
    return [
        int(result.name),
        result.length,
        int(result.status),
        printed(brackets.recall, "0.00"),
        printed(brackets.precision, "0.00"),
        brackets.matched,
        brackets.gold,
        brackets.predicted,
        counts.crossing,
        counts.words,
        counts.correct_tags,
        printed(percentage(counts.correct_tags, counts.words), "0.00"),
    ]
