"""A parse beside its gold tree: the scores, and which constituents differ."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, Field

from discoseq.evaluation import evaluate
from discoseq.evaluation.disco import DiscoRules
from discoseq.evaluation.parameters import default_parameters
from discoseq.trees.tree import Constituent, Tree
from discoseq.web.answers import TreeAnswer, tree_answer
from discoseq.web.requests import Drawing


class ComparisonAnswer(BaseModel):
    """Scores in percent by the rules of disco-dop; null where one is undefined, because nothing matches or is there."""

    f1: float | None
    precision: float | None
    recall: float | None
    discontinuous_f1: float | None
    gold: TreeAnswer
    predicted: TreeAnswer
    missing: list[int] = Field(description="Constituents of gold that the parse lacks.")
    wrong: list[int] = Field(description="Constituents of the parse that gold lacks.")


def compare(gold: Tree, predicted: Tree) -> ComparisonAnswer:
    """Score a parse; constituents that the rules leave out, such as the root, are neither missing nor wrong."""
    scores = evaluate([gold], [predicted]).all
    missing, wrong = DiscoRules(default_parameters("disco")).differences(gold, predicted, "1")
    return ComparisonAnswer(
        f1=scores.f1,
        precision=scores.precision,
        recall=scores.recall,
        discontinuous_f1=scores.discontinuous.f1,
        gold=tree_answer(gold, [Drawing.SVG]),
        predicted=tree_answer(predicted, [Drawing.SVG]),
        missing=_numbers(gold, missing),
        wrong=_numbers(predicted, wrong),
    )


def _numbers(tree: Tree, constituents: Iterable[Constituent]) -> list[int]:
    numbers = {id(constituent): number for number, constituent in enumerate(tree.root.walk())}
    return sorted(numbers[id(constituent)] for constituent in constituents)
