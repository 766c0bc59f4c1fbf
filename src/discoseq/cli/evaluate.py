"""`discoseq evaluate`: parses against gold trees."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from discoseq.cli.reading import FORMAT_NAMES, track
from discoseq.errors import EvaluationError
from discoseq.evaluation.averages import Average, average_runs
from discoseq.evaluation.breakdown import By, break_down
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.documents import (
    average_document,
    bootstrap_document,
    row_document,
    scores_document,
    sentence_document,
)
from discoseq.evaluation.files import TreeFile, score_files
from discoseq.evaluation.pairing import Missing, PairBy
from discoseq.evaluation.parameters import Parameters, default_parameters, read_parameters
from discoseq.evaluation.scores import Block, Scores
from discoseq.evaluation.scoring import Notes, summarize
from discoseq.evaluation.sentence import SentenceResult
from discoseq.evaluation.significance import Bootstrap, paired_bootstrap
from discoseq.evaluation.tables import bootstrap_table, breakdown_table, runs_table, scores_table, sentences_table
from discoseq.treebanks.streams import STANDARD_STREAM


class Rules(StrEnum):
    """The rule sets by name."""

    DISCO = "disco"
    EVALB = "evalb"


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Gold trees: a file, a folder or - for standard input.")],
    predicted: Annotated[
        list[str],
        typer.Argument(metavar="PRED...", help="Parses of the same sentences; several files are several runs."),
    ],
    rules: Annotated[
        Rules, typer.Option(help="disco: disco-dop with proper.prm; evalb: EVALB with COLLINS.prm.")
    ] = Rules.DISCO,
    params: Annotated[
        str | None, typer.Option(metavar="FILE.prm", help="Parameters in EVALB's syntax instead of the rules' own.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, percentages unrounded.")] = False,
    per_sentence: Annotated[
        bool, typer.Option("--per-sentence", help="Print the counts of every sentence too.")
    ] = False,
    by: Annotated[By | None, typer.Option(help="Break the scores down, too.")] = None,
    bootstrap: Annotated[
        str | None, typer.Option(metavar="OTHER_PRED", help="Test the difference from these parses (paired bootstrap).")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Count a gold sentence without a parse as an empty parse.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave gold sentences without a parse out, as disco-dop does.")
    ] = False,
    pair: Annotated[PairBy, typer.Option(help="Pair trees by sentence id or by their order.")] = PairBy.ID,
    gold_format: Annotated[str | None, typer.Option(help=f"If it can't be guessed: {FORMAT_NAMES}.")] = None,
    pred_format: Annotated[str | None, typer.Option(help="The same for the parses.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of all files, e.g. latin-1. Default: UTF-8.")] = None,
    pred_encoding: Annotated[str | None, typer.Option(help="Encoding of the parses, if it is another.")] = None,
) -> None:
    """Score parses against gold trees, exactly as the field's own tools do.

    Example: `discoseq evaluate test.discbracket parsed.discbracket --by gap`

    Example: `discoseq evaluate wsj23.mrg parsed.mrg --rules evalb --json`

    Example: `discoseq evaluate test.export seed1.export seed2.export seed3.export`
    """
    if allow_missing and skip_missing:
        raise typer.BadParameter("--allow-missing and --skip-missing exclude each other")
    if gold == STANDARD_STREAM and (len(predicted) > 1 or bootstrap):
        raise typer.BadParameter("GOLD is read more than once here, so it can't be standard input")
    if len(predicted) > 1 and (per_sentence or by or bootstrap):
        raise typer.BadParameter("--per-sentence, --by and --bootstrap are about one file of parses")
    run = _Run(
        rules=rules.value,
        parameters=read_parameters(params) if params else default_parameters(rules.value),
        missing=Missing.EMPTY if allow_missing else Missing.SKIP if skip_missing else Missing.ERROR,
        pair_by=pair,
        gold=TreeFile(gold, gold_format, encoding),
        predicted_format=pred_format,
        predicted_encoding=pred_encoding or encoding,
    )
    if len(predicted) > 1:
        output = _several_runs(run, predicted, as_json)
    else:
        output = _one_run(run, predicted[0], as_json, per_sentence, by, _Comparison.of(bootstrap, samples, seed))
    print(output)


@dataclass(frozen=True, slots=True)
class _Run:
    """All that is the same for every file of parses."""

    rules: str
    parameters: Parameters
    missing: Missing
    pair_by: PairBy
    gold: TreeFile
    predicted_format: str | None
    predicted_encoding: str | None

    def scores(self, path: str) -> Scores:
        """The sum over all sentences, none of which is kept."""
        notes = Notes()
        scores = summarize(self._stream(path, notes), self.rules, self.parameters, notes)
        _say(notes)
        return scores

    def results(self, path: str) -> list[SentenceResult]:
        """Every sentence."""
        notes = Notes()
        results = list(self._stream(path, notes))
        _say(notes)
        return results

    def _stream(self, path: str, notes: Notes) -> Iterator[SentenceResult]:
        predicted = TreeFile(path, self.predicted_format, self.predicted_encoding)
        results = score_files(self.gold, predicted, self.rules, self.parameters, self.missing, self.pair_by, notes.add)
        return track(results, "scoring")


def _say(notes: Notes) -> None:
    for note in notes:
        print(note, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Another file of parses to test against."""

    path: str
    samples: int
    seed: int

    @staticmethod
    def of(path: str | None, samples: int, seed: int) -> "_Comparison | None":
        return _Comparison(path, samples, seed) if path else None


def _one_run(
    run: _Run, path: str, as_json: bool, per_sentence: bool, by: By | None, comparison: _Comparison | None
) -> str:
    is_kept = per_sentence or by is not None or comparison is not None
    results = run.results(path) if is_kept else []
    scores = summarize(results, run.rules, run.parameters) if is_kept else run.scores(path)
    rows = break_down(results, by) if by else []
    tests = _compare(run, results, comparison) if comparison else {}
    if not as_json:
        parts = [sentences_table(results, run.rules)] if per_sentence else []
        parts.append(scores_table(scores))
        parts += [breakdown_table(rows, by)] if by else []
        parts += [bootstrap_table(tests, comparison.path)] if comparison else []
        return "\n\n".join(parts)
    document = scores_document(scores)
    if run.missing is Missing.EMPTY:
        document["missing"] = scores.all.counts.missing
    if per_sentence:
        document["per_sentence"] = [sentence_document(result) for result in results]
    if by:
        document["by"] = {by.value: [row_document(row) for row in rows]}
    if comparison:
        figures = {name: bootstrap_document(test) for name, test in tests.items()}
        document["bootstrap"] = {"other": comparison.path, "seed": comparison.seed, **figures}
    return _json(document)


def _compare(run: _Run, results: list[SentenceResult], comparison: _Comparison) -> dict[str, Bootstrap]:
    others = {result.name: result for result in run.results(comparison.path)}
    if others.keys() != {result.name for result in results}:
        raise EvaluationError(f"{comparison.path} does not have the same sentences, so pairs can't be drawn")

    def test(counts_of: Callable[[SentenceResult], BracketCounts]) -> Bootstrap:
        first = [counts_of(result) for result in results]
        second = [counts_of(others[result.name]) for result in results]
        return paired_bootstrap(first, second, comparison.samples, comparison.seed)

    tests = {"labelled": test(lambda result: result.counts.brackets)}
    if run.rules == Rules.DISCO:
        tests["discontinuous"] = test(lambda result: result.counts.discontinuous)
    return tests


# what several runs are averaged over
_FIGURES: dict[str, Callable[[Block], float | None]] = {
    "precision": lambda block: block.precision,
    "recall": lambda block: block.recall,
    "f1": lambda block: block.f1,
    "exact_match": lambda block: block.exact_match,
    "pos_accuracy": lambda block: block.pos_accuracy,
    "discontinuous_f1": lambda block: block.discontinuous.f1,
}


def _several_runs(run: _Run, paths: list[str], as_json: bool) -> str:
    runs = [run.scores(path) for path in paths]
    figures = [{name: figure(scores.all) for name, figure in _FIGURES.items()} for scores in runs]
    averages = {name: _average([values[name] for values in figures]) for name in _FIGURES}
    if not as_json:
        return runs_table(paths, figures, averages)
    return _json(
        {
            "rules": run.rules,
            "runs": [{"file": path, **scores_document(scores)} for path, scores in zip(paths, runs, strict=True)],
            "average": {name: average_document(average) for name, average in averages.items()},
        }
    )


def _average(values: list[float | None]) -> Average | None:
    defined = [value for value in values if value is not None]
    return average_runs(defined) if len(defined) == len(values) else None


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
