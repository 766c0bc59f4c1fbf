"""Evaluation: disco-dop's and EVALB's scoring rules, breakdowns, significance tests, averages of runs."""

from discoseq.errors import EvaluationError
from discoseq.evaluation.breakdown import By, Row, break_down
from discoseq.evaluation.corpus_scores import (
    CorpusScores,
    Scores,
    evaluate,
    evaluate_files,
    score_files,
    score_sentences,
    summarize,
)
from discoseq.evaluation.counts import BracketCounts, Counts, SentenceResult, Status
from discoseq.evaluation.gold_pairs import PairBy, TreeFile
from discoseq.evaluation.parameters import Missing, Parameters, default_parameters, parse_parameters, read_parameters
from discoseq.evaluation.significance import Average, Bootstrap, average_runs, paired_bootstrap

__all__ = [
    "Average",
    "Bootstrap",
    "BracketCounts",
    "By",
    "CorpusScores",
    "Counts",
    "EvaluationError",
    "Missing",
    "PairBy",
    "Parameters",
    "Row",
    "Scores",
    "SentenceResult",
    "Status",
    "TreeFile",
    "average_runs",
    "break_down",
    "default_parameters",
    "evaluate",
    "evaluate_files",
    "paired_bootstrap",
    "parse_parameters",
    "read_parameters",
    "score_files",
    "score_sentences",
    "summarize",
]
