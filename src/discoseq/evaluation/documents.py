"""Scores as plain dictionaries and lists, ready for JSON; None is what JSON calls null."""

from typing import Any

from discoseq.evaluation.averages import Average
from discoseq.evaluation.breakdown import Row
from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.scores import Block, Scores
from discoseq.evaluation.sentence import SentenceResult
from discoseq.evaluation.significance import Bootstrap

Document = dict[str, Any]


def scores_document(scores: Scores) -> Document:
    """The rules, all sentences, and those up to the cut-off length (under `len40` where that is 40)."""
    return {
        "rules": scores.rules,
        "all": block_document(scores.all),
        f"len{scores.cutoff_length}": block_document(scores.short),
    }


def block_document(block: Block) -> Document:
    return {
        "sentences": block.counts.sentences,
        "matched": block.counts.brackets.matched,
        "gold": block.counts.brackets.gold,
        "predicted": block.counts.brackets.predicted,
        "precision": block.precision,
        "recall": block.recall,
        "f1": block.f1,
        "exact_match": block.exact_match,
        "pos_accuracy": block.pos_accuracy,
        "errors": block.counts.errors,
        "skipped": block.counts.skipped,
        "discontinuous": brackets_document(block.discontinuous),
    }


def brackets_document(counts: BracketCounts) -> Document:
    return {
        "matched": counts.matched,
        "gold": counts.gold,
        "predicted": counts.predicted,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def sentence_document(result: SentenceResult) -> Document:
    counts = result.counts
    return {
        "id": result.name,
        "length": result.length,
        "status": int(result.status),
        "matched": counts.brackets.matched,
        "gold": counts.brackets.gold,
        "predicted": counts.brackets.predicted,
        "exact": bool(counts.exact),
        "words": counts.words,
        "correct_tags": counts.correct_tags,
        "crossing": counts.crossing,
        "missing": bool(counts.missing),
        "discontinuous": {
            "matched": counts.discontinuous.matched,
            "gold": counts.discontinuous.gold,
            "predicted": counts.discontinuous.predicted,
        },
    }


def row_document(row: Row) -> Document:
    document: Document = {"name": row.name, **brackets_document(row.counts)}
    if row.average_span is not None:
        document["average_span"] = row.average_span
    if row.sentences is not None:
        document["sentences"] = row.sentences
    return document


def bootstrap_document(bootstrap: Bootstrap) -> Document:
    return {
        "f1": bootstrap.first,
        "other_f1": bootstrap.second,
        "difference": bootstrap.difference,
        "low": bootstrap.low,
        "high": bootstrap.high,
        "confidence": bootstrap.confidence,
        "p_value": bootstrap.p_value,
        "samples": bootstrap.samples,
    }


def average_document(average: Average | None) -> Document | None:
    if average is None:
        return None
    return {"mean": average.mean, "deviation": average.deviation, "runs": average.runs}
