"""Comparing trees: disco-dop's and EVALB's rules over one core, breakdowns, significance, averages of runs."""

from discoseq.errors import EvaluationError
from discoseq.evaluation.averages import Average, average_runs
from discoseq.evaluation.breakdown import By, Row, break_down
from discoseq.evaluation.counts import BracketCounts, Counts
from discoseq.evaluation.files import TreeFile, evaluate_files, score_files
from discoseq.evaluation.pairing import Missing, PairBy
from discoseq.evaluation.parameters import Parameters, default_parameters, parse_parameters, read_parameters
from discoseq.evaluation.scores import Block, Scores
from discoseq.evaluation.scoring import evaluate, score_sentences, summarize
from discoseq.evaluation.sentence import SentenceResult, Status
from discoseq.evaluation.significance import Bootstrap, paired_bootstrap

__all__ = [
    "Average",
    "Block",
    "Bootstrap",
    "BracketCounts",
    "By",
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
