"""The results of a cell as a JSON file: what was trained, how long it took, and the counts of its parses.

The counts of every sentence and of every group of brackets are kept, so that a report needs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from discoseq.errors import EvaluationError, os_reason
from discoseq.evaluation.breakdown import By, Group, Groups
from discoseq.evaluation.counts import BracketCounts
from discoseq.linearizations.sizes import Size
from discoseq.storage import atomic_file

WHOLE = "results.json"  # all cells of an experiment
CELLS = "results"  # the folder with a file for each
_VERSION = 1

Breakdowns: TypeAlias = dict[By, Groups]


@dataclass(frozen=True, slots=True)
class TrainingFigures:
    """What a run learnt from, and what it cost."""

    epochs: int
    updates: int
    parameters: int
    seconds: float  # of updates, without parsing dev
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One split parsed with one beam."""

    split: str
    beam: int
    rules: str
    seconds: float  # of parsing, without loading and without the vectors of a frozen language model
    cpu_seconds: float
    repaired: int  # sequences that were no trees
    f1: float | None
    exact_match: float | None
    counts: Sequence[BracketCounts]  # of each sentence
    discontinuous: Sequence[BracketCounts]
    groups: Breakdowns
    discontinuous_groups: Breakdowns

    @property
    def discontinuous_f1(self) -> float | None:
        """As F1, 0 if nothing matches, and undefined if gold has nothing to match."""
        total = sum(self.discontinuous, BracketCounts())
        return None if not total.gold else total.f1 or 0.0


@dataclass(frozen=True, slots=True)
class CellResult:
    """All that is known about a cell."""

    plan: str
    treebank: str
    recipe: str
    variant: str
    linearization: str
    seed: int
    config: dict[str, Any]
    data: dict[str, str]  # checksums by split
    versions: dict[str, str]
    size: Size  # of the action sequences of train
    training: TrainingFigures
    evaluations: tuple[Evaluation, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.treebank, self.variant, self.linearization, self.seed

    def find(self, split: str, beam: int) -> Evaluation | None:
        return next((x for x in self.evaluations if (x.split, x.beam) == (split, beam)), None)

    def missing(self, splits: Iterable[str], beams: Sequence[int]) -> list[tuple[str, int]]:
        """What has not been parsed of these splits with these beams."""
        return [(split, beam) for split in splits for beam in beams if self.find(split, beam) is None]

    def with_evaluation(self, evaluation: Evaluation) -> CellResult:
        others = tuple(x for x in self.evaluations if (x.split, x.beam) != (evaluation.split, evaluation.beam))
        return replace(self, evaluations=(*others, evaluation))


def cell_path(folder: Path, name: str) -> Path:
    """The file of a cell in the folder of an experiment."""
    return folder / CELLS / f"{name.replace('/', '.')}.json"


def write_results(path: Path, results: Sequence[CellResult]) -> None:
    """Write one cell or several, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"format": "discoseq results", "version": _VERSION, "cells": [_to_json(one) for one in results]}
    with atomic_file(path) as partial:
        partial.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


def read_results(path: Path) -> list[CellResult]:
    """Read a file of results, or that of an experiment in its folder."""
    if path.is_dir():
        path /= WHOLE
        if not path.exists():
            raise EvaluationError(f"{path}: no such file; `discoseq experiment` writes it when the first cell is done")
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["version"] != _VERSION:
            raise EvaluationError(f"{path}: another version of discoseq wrote these results")
        return [_from_json(table) for table in document["cells"]]
    except OSError as error:
        raise EvaluationError(f"{path}: {os_reason(error)}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise EvaluationError(f"{path}: these are no results of discoseq experiment ({what})") from None


def _to_json(result: CellResult) -> dict[str, Any]:
    return {
        **{name: getattr(result, name) for name in _PLAIN},
        "size": asdict(result.size),
        "training": asdict(result.training),
        "evaluations": [_evaluation_to_json(one) for one in result.evaluations],
    }


_PLAIN = ("plan", "treebank", "recipe", "variant", "linearization", "seed", "config", "data", "versions")
_PLAIN_EVALUATION = ("split", "beam", "rules", "seconds", "cpu_seconds", "repaired", "f1", "exact_match")


def _from_json(table: Mapping[str, Any]) -> CellResult:
    return CellResult(
        **{name: table[name] for name in _PLAIN},
        size=Size(**table["size"]),
        training=TrainingFigures(**table["training"]),
        evaluations=tuple(map(_evaluation_from_json, table["evaluations"])),
    )


def _evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    return {
        **{name: getattr(evaluation, name) for name in _PLAIN_EVALUATION},
        "counts": [_numbers(x) for x in evaluation.counts],
        "discontinuous": [_numbers(x) for x in evaluation.discontinuous],
        "groups": _groups_to_json(evaluation.groups),
        "discontinuous_groups": _groups_to_json(evaluation.discontinuous_groups),
    }


def _evaluation_from_json(table: Mapping[str, Any]) -> Evaluation:
    return Evaluation(
        **{name: table[name] for name in _PLAIN_EVALUATION},
        counts=[BracketCounts(*numbers) for numbers in table["counts"]],
        discontinuous=[BracketCounts(*numbers) for numbers in table["discontinuous"]],
        groups=_groups_from_json(table["groups"]),
        discontinuous_groups=_groups_from_json(table["discontinuous_groups"]),
    )


def _numbers(counts: BracketCounts) -> list[int]:
    return [counts.matched, counts.gold, counts.predicted]


def _groups_to_json(breakdowns: Breakdowns) -> dict[str, dict[str, list[int]]]:
    return {
        by.value: {str(kind): [*_numbers(x.counts), x.tokens, x.sentences] for kind, x in groups.items()}
        for by, groups in breakdowns.items()
    }


def _groups_from_json(table: Mapping[str, Mapping[str, list[int]]]) -> Breakdowns:
    return {
        By(name): {
            kind if name == By.LABEL else int(kind): Group(BracketCounts(*numbers[:3]), *numbers[3:])
            for kind, numbers in groups.items()
        }
        for name, groups in table.items()
    }
