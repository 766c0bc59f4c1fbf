"""Scores as text: plain tables that look the same on a terminal, in a pipe and in a log."""

from collections.abc import Sequence

from discoseq.evaluation.averages import Average
from discoseq.evaluation.breakdown import By, Row
from discoseq.evaluation.scores import Block, Scores
from discoseq.evaluation.sentence import SentenceResult
from discoseq.evaluation.significance import Bootstrap

UNDEFINED = "nan"  # what both of the field's tools print


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be, the first flush left, the others flush right; the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def scores_table(scores: Scores) -> str:
    """All sentences beside those up to the cut-off length."""
    blocks = [scores.all, scores.short]
    rows = [[f"rules: {scores.rules}", "all", f"length <= {scores.cutoff_length}"]]
    is_evalb = scores.rules == "evalb"
    figures = _evalb_figures if is_evalb else _disco_figures
    columns = [dict(figures(block)) for block in blocks]
    rows += [[name, *(column[name] for column in columns)] for name in columns[0]]
    if scores.all.counts.missing:
        counts = [f"{block.counts.missing:d}" for block in blocks]
        rows.append(["parses missing, counted as empty", *counts])
    if scores.all.counts.functions.predicted:
        rows.append(["function tags F1", *(number(block.function_tags) for block in blocks)])
    return table(rows)


def number(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.2f}"


def sentences_table(results: Sequence[SentenceResult], rules: str) -> str:
    """A line for every sentence; under EVALB's rules its columns, status 1 for an error and 2 for a skipped one."""
    if rules == "evalb":
        rows = [
            [
                "id",
                "length",
                "status",
                "recall",
                "precision",
                "matched",
                "gold",
                "predicted",
                "crossing",
                "words",
                "tags",
            ]
        ]
    else:
        rows = [["id", "length", "recall", "precision", "matched", "gold", "predicted", "exact", "disc. matched"]]
        rows[0] += ["disc. gold", "disc. predicted", "words", "tags"]
    for result in results:
        counts = result.counts
        brackets = counts.brackets
        scores = [number(brackets.recall), number(brackets.precision)]
        matches = [str(brackets.matched), str(brackets.gold), str(brackets.predicted)]
        words = [str(counts.words), str(counts.correct_tags)]
        if rules == "evalb":
            status = str(int(result.status))
            rows.append([result.name, str(result.length), status, *scores, *matches, str(counts.crossing), *words])
        else:
            gapped = counts.discontinuous
            gaps = [str(gapped.matched), str(gapped.gold), str(gapped.predicted)]
            rows.append([result.name, str(result.length), *scores, *matches, str(counts.exact), *gaps, *words])
    return table(rows)


def breakdown_table(rows: Sequence[Row], by: By) -> str:
    """The rows of a breakdown with their counts and scores."""
    extra = {By.LABEL: ["average span"], By.LENGTH: ["sentences"]}.get(by, [])
    lines = [[str(by), *extra, "gold", "predicted", "matched", "precision", "recall", "F1"]]
    for row in rows:
        counts = row.counts
        special = [number(row.average_span)] if by is By.LABEL else [str(row.sentences)] if by is By.LENGTH else []
        numbers = [str(counts.gold), str(counts.predicted), str(counts.matched)]
        lines.append([row.name, *special, *numbers, *map(number, (counts.precision, counts.recall, counts.f1))])
    return table(lines)


def bootstrap_table(comparisons: dict[str, Bootstrap], other: str) -> str:
    """What the paired bootstrap says of each figure."""
    rows = [[f"against {other}", "F1", "other F1", "difference", "low", "high", "p"]]
    for name, result in comparisons.items():
        values = (result.first, result.second, result.difference, result.low, result.high)
        rows.append([name, *map(number, values), f"{result.p_value:.4f}"])
    first = next(iter(comparisons.values()))
    interval = f"{100 * first.confidence:g}% interval"
    return f"{table(rows)}\n({first.samples:,} paired samples; low and high bound the {interval}, p is two-sided)"


def runs_table(
    names: Sequence[str], runs: Sequence[dict[str, float | None]], averages: dict[str, Average | None]
) -> str:
    """The figures of several runs and their average."""
    figures = list(averages)
    rows = [
        ["run", *figures],
        *([name, *(number(run[x]) for x in figures)] for name, run in zip(names, runs, strict=True)),
    ]
    rows.append(["average", *(UNDEFINED if averages[x] is None else str(averages[x]) for x in figures)])
    return f"{table(rows)}\n(± is the standard deviation of the sample, divided by n - 1)"


def _disco_figures(block: Block) -> list[tuple[str, str]]:
    gapped = block.discontinuous
    return [
        ("sentences", str(block.counts.sentences)),
        ("longest sentence", str(block.counts.longest)),
        *_brackets(block),
        ("precision", number(block.precision)),
        ("recall", number(block.recall)),
        ("F1", number(block.f1)),
        ("exact match", number(block.exact_match)),
        ("POS accuracy", number(block.pos_accuracy)),
        ("discontinuous brackets in gold", str(gapped.gold)),
        ("discontinuous brackets predicted", str(gapped.predicted)),
        ("discontinuous brackets matched", str(gapped.matched)),
        ("discontinuous precision", number(gapped.precision)),
        ("discontinuous recall", number(gapped.recall)),
        ("discontinuous F1", number(gapped.f1)),
    ]


def _evalb_figures(block: Block) -> list[tuple[str, str]]:
    return [
        ("sentences", str(block.counts.sentences)),
        ("error sentences, left out", str(block.counts.errors)),
        ("skipped sentences, left out", str(block.counts.skipped)),
        ("valid sentences", str(block.counts.valid)),
        *_brackets(block),
        ("precision", number(block.precision)),
        ("recall", number(block.recall)),
        ("F1", number(block.f1)),
        ("exact match", number(block.exact_match)),
        ("POS accuracy", number(block.pos_accuracy)),
        ("average crossing", number(block.average_crossing)),
        ("no crossing", number(block.without_crossing)),
        ("2 or less crossing", number(block.with_few_crossings)),
    ]


def _brackets(block: Block) -> list[tuple[str, str]]:
    counts = block.counts.brackets
    return [
        ("brackets in gold", str(counts.gold)),
        ("brackets predicted", str(counts.predicted)),
        ("brackets matched", str(counts.matched)),
    ]
