"""`discoseq evaluate`: score parses against gold trees."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated

import typer

from discoseq.cli.reading import FORMAT_NAMES, track
from discoseq.cli.score_report import (
    JsonObject,
    bootstrap_json,
    bootstrap_table,
    breakdown_of_runs_table,
    breakdown_table,
    dump_json,
    row_json,
    runs_table,
    scores_json,
    scores_table,
    sentence_json,
    sentences_table,
)
from discoseq.errors import EvaluationError
from discoseq.evaluation.breakdown import Breakdown, By, Groups, Row, add_groups, check_bins
from discoseq.evaluation.corpus_scores import CorpusScores, Notes, Scores, score_files, summarize
from discoseq.evaluation.counts import BracketCounts, SentenceResult
from discoseq.evaluation.gold_pairs import PairBy, TreeFile
from discoseq.evaluation.parameters import Missing, Parameters, default_parameters, read_parameters
from discoseq.evaluation.significance import Bootstrap, average_defined, paired_bootstrap
from discoseq.treebanks.streams import STANDARD_STREAM

# the scores that are averaged over several runs
_FIGURES: dict[str, Callable[[CorpusScores], float | None]] = {
    "precision": lambda scores: scores.precision,
    "recall": lambda scores: scores.recall,
    "f1": lambda scores: scores.f1,
    "exact_match": lambda scores: scores.exact_match,
    "pos_accuracy": lambda scores: scores.pos_accuracy,
    "discontinuous_f1": lambda scores: scores.discontinuous.f1,
}


class Rules(StrEnum):
    """The scoring rules."""

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
        str | None,
        typer.Option(help="A parameter file in EVALB's syntax. Default: proper.prm or COLLINS.prm, as the rules are."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; percentages are not rounded.")
    ] = False,
    per_sentence: Annotated[
        bool, typer.Option("--per-sentence", help="Also print the counts of every sentence.")
    ] = False,
    by: Annotated[
        By | None,
        typer.Option(
            help="Also print the scores by label, sentence length, span length or gap degree. Default: do not."
        ),
    ] = None,
    bins: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="The greatest length in each bin of --by span or length, the last aside, as 5,10,20. Default: 1 to "
            "10, 15, 20, 30 and 40 for spans; 10, 20, 30 and so on for sentences.",
        ),
    ] = None,
    only_discontinuous: Annotated[
        bool, typer.Option("--discontinuous", help="With --by: of discontinuous constituents alone.")
    ] = False,
    bootstrap: Annotated[
        str | None,
        typer.Option(help="Also test the difference to these parses (paired bootstrap). Default: do not."),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Number of bootstrap samples.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score a gold sentence without a parse as an empty parse.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out gold sentences without a parse, as disco-dop does.")
    ] = False,
    pair: Annotated[PairBy, typer.Option(help="Pair trees by sentence id or by their order.")] = PairBy.ID,
    gold_format: Annotated[str | None, typer.Option(help=f"Format of GOLD: {FORMAT_NAMES}. Default: detected.")] = None,
    pred_format: Annotated[str | None, typer.Option(help="Format of the parses. Default: detected.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of all files, e.g. latin-1. Default: UTF-8.")] = None,
    pred_encoding: Annotated[
        str | None, typer.Option(help="Encoding of the parses. Default: that of --encoding.")
    ] = None,
) -> None:
    """Score parses against gold trees, with the same results as disco-dop and EVALB.

    Example: `discoseq evaluate test.discbracket parsed.discbracket --by gap`

    Example: `discoseq evaluate wsj23.mrg parsed.mrg --rules evalb --json`

    Example: `discoseq evaluate test.export seed1.export seed2.export seed3.export`

    Example: `discoseq evaluate dev.export top-down.export in-order.export --by span --bins 5,10,20 --discontinuous`
    """
    if allow_missing and skip_missing:
        raise typer.BadParameter("--allow-missing and --skip-missing can't be used together")
    if gold == STANDARD_STREAM and (len(predicted) > 1 or bootstrap):
        raise typer.BadParameter("GOLD can't be standard input here, because it is read more than once")
    if len(predicted) > 1 and (per_sentence or bootstrap):
        raise typer.BadParameter("--per-sentence and --bootstrap need a single PRED file")
    breakdown = _breakdown(by, bins, only_discontinuous)
    evaluation = _Evaluation(
        rules=rules.value,
        parameters=read_parameters(params) if params else default_parameters(rules.value),
        missing=Missing.EMPTY if allow_missing else Missing.SKIP if skip_missing else Missing.ERROR,
        pair_by=pair,
        gold=TreeFile(gold, gold_format, encoding),
        predicted_format=pred_format,
        predicted_encoding=pred_encoding or encoding,
    )
    if len(predicted) > 1:
        output = _several_runs(evaluation, predicted, as_json, breakdown)
    else:
        comparison = _Comparison(bootstrap, samples, seed) if bootstrap else None
        output = _one_run(evaluation, predicted[0], as_json, per_sentence, breakdown, comparison)
    print(output)


def _breakdown(by: By | None, bins: str | None, only_discontinuous: bool) -> Breakdown | None:
    if by is None:
        if bins is not None or only_discontinuous:
            raise typer.BadParameter("--bins and --discontinuous need --by")
        return None
    try:
        numbers = tuple(map(int, bins.split(","))) if bins else ()
        check_bins(numbers, by)
    except ValueError:
        raise typer.BadParameter(f"{bins} is not of the form 5,10,20", param_hint="--bins") from None
    except EvaluationError as error:
        raise typer.BadParameter(str(error), param_hint="--bins") from None
    return Breakdown(by, numbers, only_discontinuous)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The gold trees and the settings, which are the same for every file of parses."""

    rules: str
    parameters: Parameters
    missing: Missing
    pair_by: PairBy
    gold: TreeFile
    predicted_format: str | None
    predicted_encoding: str | None

    def scores(self, path: str) -> Scores:
        """The scores of a file of parses; its sentences are not kept in memory."""
        notes = Notes()
        scores = summarize(self._stream(path, notes), self.rules, self.parameters, notes)
        _print_notes(notes)
        return scores

    def results(self, path: str) -> list[SentenceResult]:
        """The results of all sentences of a file of parses."""
        notes = Notes()
        results = list(self._stream(path, notes))
        _print_notes(notes)
        return results

    def _stream(self, path: str, notes: Notes) -> Iterator[SentenceResult]:
        predicted = TreeFile(path, self.predicted_format, self.predicted_encoding)
        results = score_files(self.gold, predicted, self.rules, self.parameters, self.missing, self.pair_by, notes.add)
        return track(results, "scoring")


def _print_notes(notes: Notes) -> None:
    for note in notes:
        print(note, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The file of parses to compare with, and the settings of the bootstrap."""

    path: str
    samples: int
    seed: int


def _one_run(
    evaluation: _Evaluation,
    path: str,
    as_json: bool,
    per_sentence: bool,
    breakdown: Breakdown | None,
    comparison: _Comparison | None,
) -> str:
    needs_sentences = per_sentence or breakdown is not None or comparison is not None
    results = evaluation.results(path) if needs_sentences else []
    scores = summarize(results, evaluation.rules, evaluation.parameters) if needs_sentences else evaluation.scores(path)
    rows = breakdown.rows(breakdown.groups(results)) if breakdown else []
    tests = _compare(evaluation, results, comparison) if comparison else {}
    if not as_json:
        parts = [sentences_table(results, evaluation.rules)] if per_sentence else []
        parts.append(scores_table(scores))
        parts += [breakdown_table(rows, breakdown.by)] if breakdown else []
        parts += [bootstrap_table(tests, comparison.path)] if comparison else []
        return "\n\n".join(parts)
    document = scores_json(scores)
    if evaluation.missing is Missing.EMPTY:
        document["missing"] = scores.all.counts.missing
    if per_sentence:
        document["per_sentence"] = [sentence_json(result) for result in results]
    if breakdown:
        document["by"] = _rows_json(breakdown, rows)
    if comparison:
        figures = {name: bootstrap_json(test) for name, test in tests.items()}
        document["bootstrap"] = {"other": comparison.path, "seed": comparison.seed, **figures}
    return dump_json(document)


def _compare(evaluation: _Evaluation, results: list[SentenceResult], comparison: _Comparison) -> dict[str, Bootstrap]:
    others = {result.name: result for result in evaluation.results(comparison.path)}
    if others.keys() != {result.name for result in results}:
        raise EvaluationError(f"{comparison.path} does not have the same sentences, which the paired bootstrap needs")

    def test(counts_of: Callable[[SentenceResult], BracketCounts]) -> Bootstrap:
        first = [counts_of(result) for result in results]
        second = [counts_of(others[result.name]) for result in results]
        return paired_bootstrap(first, second, comparison.samples, comparison.seed)

    tests = {"labelled": test(lambda result: result.counts.brackets)}
    if evaluation.rules == Rules.DISCO:
        tests["discontinuous"] = test(lambda result: result.counts.discontinuous)
    return tests


def _several_runs(evaluation: _Evaluation, paths: list[str], as_json: bool, breakdown: Breakdown | None) -> str:
    runs, groups = list[Scores](), list[Groups]()
    for path in paths:
        if breakdown is None:
            runs.append(evaluation.scores(path))
        else:
            results = evaluation.results(path)
            runs.append(summarize(results, evaluation.rules, evaluation.parameters))
            groups.append(breakdown.groups(results))
    figures = [{name: figure(scores.all) for name, figure in _FIGURES.items()} for scores in runs]
    averages = {name: average_defined(values[name] for values in figures) for name in _FIGURES}
    if not as_json:
        tables = [runs_table(paths, figures, averages)]
        if breakdown:
            names = [row.name for row in breakdown.rows(add_groups(groups))]
            tables.append(breakdown_of_runs_table(paths, [*map(breakdown.rows, groups)], names, breakdown.by))
        return "\n\n".join(tables)
    documents = [{"file": path, **scores_json(scores)} for path, scores in zip(paths, runs, strict=True)]
    if breakdown:
        for document, of_run in zip(documents, groups, strict=True):
            document["by"] = _rows_json(breakdown, breakdown.rows(of_run))
    return dump_json(
        {
            "rules": evaluation.rules,
            "runs": documents,
            "average": {name: average and asdict(average) for name, average in averages.items()},
        }
    )


def _rows_json(breakdown: Breakdown, rows: list[Row]) -> JsonObject:
    return {breakdown.by.value: [row_json(row) for row in rows]}
