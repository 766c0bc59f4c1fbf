"""Is one parser better than another on these sentences, or was it luck? The paired bootstrap.

Sentences are drawn with replacement, the same ones for both parsers, as often as there are sentences, and both are
scored on the draw (Efron & Tibshirani 1993; Berg-Kirkpatrick, Burkett & Klein 2012).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import BracketCounts

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

_MOST_CELLS = 4_000_000  # of a block of draws, to bound memory


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The F1 of two parsers in percent, and what drawing again makes of the difference."""

    first: float
    second: float
    low: float  # the confidence interval of first - second
    high: float
    p_value: float  # two-sided
    samples: int
    confidence: float

    @property
    def difference(self) -> float:
        return self.first - self.second


def paired_bootstrap(
    first: Sequence[BracketCounts],
    second: Sequence[BracketCounts],
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Bootstrap:
    """Compare two parsers by the counts of each sentence, given in the same order.

    The p-value is the share of draws in which the difference strays from the one observed by at least as much as the
    one observed strays from zero (the draws counted with the observed one among them, so it is never 0). The interval
    is that of percentiles. An F1 without any bracket is taken for 0.
    """
    if len(first) != len(second):
        raise EvaluationError(f"the bootstrap is over pairs, but there are {len(first)} and {len(second)} sentences")
    if not first or samples < 1:
        raise EvaluationError("the bootstrap needs at least one sentence and one sample")
    if not 0 < confidence < 1:
        raise EvaluationError(f"the confidence of an interval lies between 0 and 1, which {confidence} does not")
    table = np.array([_columns(one) + _columns(two) for one, two in zip(first, second, strict=True)], dtype=np.int64)
    observed_first, observed_second = _f1_of_both(table.sum(axis=0))
    observed = observed_first - observed_second
    differences = _draw(table, samples, np.random.default_rng(seed))
    # a draw that repeats the sample exactly should not depend on the last digit of a float
    strays = int(np.count_nonzero(np.abs(differences - observed) >= abs(observed) - 1e-9))
    edge = 50 * (1 - confidence)
    low, high = np.percentile(differences, [edge, 100 - edge])
    return Bootstrap(
        float(observed_first),
        float(observed_second),
        float(low),
        float(high),
        (strays + 1) / (samples + 1),
        samples,
        confidence,
    )


def _columns(counts: BracketCounts) -> tuple[int, int]:
    """Twice the numerator and the denominator of F1, as sums over sentences."""
    return 2 * counts.matched, counts.gold + counts.predicted


def _draw(table: Ints, samples: int, random: np.random.Generator) -> Floats:
    """The difference of F1 in each sample; the table is (sentences, 4)."""
    sentences = len(table)
    block = max(1, _MOST_CELLS // sentences)
    differences = np.empty(samples)  # (samples,)
    for start in range(0, samples, block):
        end = min(samples, start + block)
        chosen = random.integers(sentences, size=(end - start, sentences))
        sums = np.stack([table[:, column][chosen].sum(axis=1) for column in range(4)], axis=-1)  # (block, 4)
        first, second = _f1_of_both(sums)
        differences[start:end] = first - second
    return differences


def _f1_of_both(sums: Ints) -> tuple[Floats, Floats]:
    """From (..., 4) sums to two arrays of F1 in percent."""
    first, second = (
        100 * np.divide(sums[..., i], sums[..., i + 1], out=np.zeros(sums.shape[:-1]), where=sums[..., i + 1] > 0)
        for i in (0, 2)
    )
    return first, second
