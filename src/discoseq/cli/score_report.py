"""Scores as tables and as JSON, as `discoseq evaluate` prints them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from discoseq.cli.tables import format_table
from discoseq.evaluation.breakdown import By, Row
from discoseq.evaluation.corpus_scores import CorpusScores, Scores
from discoseq.evaluation.counts import BracketCounts, SentenceResult
from discoseq.evaluation.significance import Average, Bootstrap

_UNDEFINED = "nan"  # as disco-dop and EVALB print it

JsonObject: TypeAlias = dict[str, Any]
_Figures: TypeAlias = dict[str, Callable[[CorpusScores], int | float | None]]

_BRACKETS: _Figures = {
    "brackets in gold": lambda scores: scores.counts.brackets.gold,
    "brackets predicted": lambda scores: scores.counts.brackets.predicted,
    "brackets matched": lambda scores: scores.counts.brackets.matched,
    "precision": lambda scores: scores.precision,
    "recall": lambda scores: scores.recall,
    "F1": lambda scores: scores.f1,
    "exact match": lambda scores: scores.exact_match,
    "POS accuracy": lambda scores: scores.pos_accuracy,
}
_DISCO: _Figures = {
    "sentences": lambda scores: scores.sentences,
    "longest sentence": lambda scores: scores.counts.longest,
    **_BRACKETS,
    "discontinuous brackets in gold": lambda scores: scores.discontinuous.gold,
    "discontinuous brackets predicted": lambda scores: scores.discontinuous.predicted,
    "discontinuous brackets matched": lambda scores: scores.discontinuous.matched,
    "discontinuous precision": lambda scores: scores.discontinuous.precision,
    "discontinuous recall": lambda scores: scores.discontinuous.recall,
    "discontinuous F1": lambda scores: scores.discontinuous.f1,
}
_EVALB: _Figures = {
    "sentences": lambda scores: scores.sentences,
    "error sentences, left out": lambda scores: scores.counts.errors,
    "skipped sentences, left out": lambda scores: scores.counts.skipped,
    "valid sentences": lambda scores: scores.counts.valid,
    **_BRACKETS,
    "average crossing": lambda scores: scores.average_crossing,
    "no crossing": lambda scores: scores.without_crossing,
    "2 or less crossing": lambda scores: scores.with_few_crossings,
}

_SENTENCE_HEADER = ("id", "length", "recall", "precision", "matched", "gold", "predicted", "exact", "disc. matched",
                    "disc. gold", "disc. predicted", "words", "tags")  # fmt: skip
_EVALB_SENTENCE_HEADER = ("id", "length", "status", "recall", "precision", "matched", "gold", "predicted", "crossing",
                          "words", "tags")  # fmt: skip


def dump_json(document: JsonObject) -> str:
    """As the commands with --json print it."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)


def scores_table(scores: Scores) -> str:
    """All sentences beside those up to the cut-off length."""
    figures = dict(_EVALB if scores.rules == "evalb" else _DISCO)
    if scores.all.counts.missing:
        figures["parses missing, counted as empty"] = lambda scores: scores.counts.missing
    if scores.all.counts.functions.predicted:
        figures["function tags F1"] = lambda scores: scores.function_tags
    header = (f"rules: {scores.rules}", "all", f"length <= {scores.cutoff_length}")
    rows = ([name, _cell(figure(scores.all)), _cell(figure(scores.short))] for name, figure in figures.items())
    return format_table(header, rows)


def sentences_table(results: Sequence[SentenceResult], rules: str) -> str:
    """A row for every sentence; under EVALB's rules with its columns, status 1 for errors and 2 for skipped ones."""
    if rules == "evalb":
        return format_table(_EVALB_SENTENCE_HEADER, map(_evalb_sentence_row, results))
    return format_table(_SENTENCE_HEADER, map(_sentence_row, results))


def breakdown_table(rows: Sequence[Row], by: By) -> str:
    """A row for every group of brackets."""
    extra = {By.LABEL: ["average span"], By.LENGTH: ["sentences"]}.get(by, [])
    header = [str(by), *extra, "gold", "predicted", "matched", "precision", "recall", "F1"]
    lines = []
    for row in rows:
        counts = row.counts
        special = [row.average_span] if by is By.LABEL else [row.sentences] if by is By.LENGTH else []
        values = (counts.gold, counts.predicted, counts.matched, counts.precision, counts.recall, counts.f1)
        lines.append([row.name, *map(_cell, special), *map(_cell, values)])
    return format_table(header, lines)


def breakdown_of_runs_table(names: Sequence[str], runs: Sequence[Sequence[Row]], groups: Sequence[str], by: By) -> str:
    """A row for every group of brackets that any run has, with the F1 of each run."""
    found = [{row.name: row.counts for row in of_run} for of_run in runs]
    lines = []
    for group in groups:
        counts = [of_run.get(group, BracketCounts()) for of_run in found]
        lines.append([group, _cell(max(x.gold for x in counts)), *(_cell(x.f1) for x in counts)])
    return format_table([str(by), "gold", *names], lines) + "\n(the F1 of each run)"


def bootstrap_table(tests: Mapping[str, Bootstrap], other: str) -> str:
    """A row for every score that was tested."""
    header = [f"against {other}", "F1", "other F1", "difference", "low", "high", "p"]
    rows = []
    for name, test in tests.items():
        values = (test.first, test.second, test.difference, test.low, test.high)
        rows.append([name, *map(_cell, values), f"{test.p_value:.4f}"])
    first = next(iter(tests.values()))
    interval = f"{100 * first.confidence:g}% interval"
    return (
        f"{format_table(header, rows)}\n"
        f"({first.samples:,} paired samples; low and high bound the {interval}, p is two-sided)"
    )


def runs_table(
    names: Sequence[str], runs: Sequence[Mapping[str, float | None]], averages: Mapping[str, Average | None]
) -> str:
    """The scores of several runs and their averages."""
    rows = [[name, *(_cell(run[x]) for x in averages)] for name, run in zip(names, runs, strict=True)]
    rows.append(["average", *(_UNDEFINED if average is None else str(average) for average in averages.values())])
    return f"{format_table(['run', *averages], rows)}\n(± is the standard deviation of the sample, divided by n - 1)"


def scores_json(scores: Scores) -> JsonObject:
    """All sentences, and those up to the cut-off length (under `len40` if that is 40)."""
    short = f"len{scores.cutoff_length}"
    return {"rules": scores.rules, "all": _corpus_json(scores.all), short: _corpus_json(scores.short)}


def sentence_json(result: SentenceResult) -> JsonObject:
    counts = result.counts
    return {
        "id": result.name,
        "length": result.length,
        "status": int(result.status),
        **asdict(counts.brackets),
        "exact": bool(counts.exact),
        "words": counts.words,
        "correct_tags": counts.correct_tags,
        "crossing": counts.crossing,
        "missing": bool(counts.missing),
        "discontinuous": asdict(counts.discontinuous),
    }


def row_json(row: Row) -> JsonObject:
    extra = {"average_span": row.average_span, "sentences": row.sentences}
    known = {name: value for name, value in extra.items() if value is not None}
    return {"name": row.name, **_brackets_json(row.counts), **known}


def bootstrap_json(test: Bootstrap) -> JsonObject:
    return {
        "f1": test.first,
        "other_f1": test.second,
        "difference": test.difference,
        "low": test.low,
        "high": test.high,
        "confidence": test.confidence,
        "p_value": test.p_value,
        "samples": test.samples,
    }


def _cell(value: int | float | None) -> str:
    if value is None:
        return _UNDEFINED
    return str(value) if isinstance(value, int) else f"{value:.2f}"


def _sentence_row(result: SentenceResult) -> list[str]:
    brackets, discontinuous = result.counts.brackets, result.counts.discontinuous
    values = (
        *(result.length, brackets.recall, brackets.precision, brackets.matched, brackets.gold, brackets.predicted),
        *(result.counts.exact, discontinuous.matched, discontinuous.gold, discontinuous.predicted),
        *(result.counts.words, result.counts.correct_tags),
    )
    return [result.name, *map(_cell, values)]


def _evalb_sentence_row(result: SentenceResult) -> list[str]:
    brackets, counts = result.counts.brackets, result.counts
    values = (
        *(result.length, int(result.status), brackets.recall, brackets.precision),
        *(brackets.matched, brackets.gold, brackets.predicted, counts.crossing, counts.words, counts.correct_tags),
    )
    return [result.name, *map(_cell, values)]


def _corpus_json(scores: CorpusScores) -> JsonObject:
    return {
        "sentences": scores.sentences,
        **asdict(scores.counts.brackets),
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
        "exact_match": scores.exact_match,
        "pos_accuracy": scores.pos_accuracy,
        "errors": scores.counts.errors,
        "skipped": scores.counts.skipped,
        "discontinuous": _brackets_json(scores.discontinuous),
    }


def _brackets_json(counts: BracketCounts) -> JsonObject:
    return {**asdict(counts), "precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
