"""Is a difference significant? The paired bootstrap, and the mean and standard deviation of several runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeAlias

from discoseq.errors import EvaluationError
from discoseq.evaluation.counts import BracketCounts

if TYPE_CHECKING:  # only the bootstrap needs NumPy, and importing it takes as long as a small evaluation
    import numpy as np
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

_MOST_CELLS = 4_000_000  # samples x sentences that are drawn at once, to bound memory


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The F1 of two parsers in percent, and the confidence interval and p-value of the difference."""

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


@dataclass(frozen=True, slots=True)
class Average:
    """A mean with the standard deviation of the sample (divided by n - 1), which is None for one run."""

    mean: float
    deviation: float | None
    runs: int

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.deviation is None else f"{self.mean:.2f} ± {self.deviation:.2f}"


def paired_bootstrap(
    first: Sequence[BracketCounts],
    second: Sequence[BracketCounts],
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Bootstrap:
    """Compare two parsers by the counts of the same sentences in the same order.

    A sample draws as many sentences as there are, with replacement, the same ones for both parsers (Efron & Tibshirani
    1993; Berg-Kirkpatrick, Burkett & Klein 2012). The p-value is the share of samples whose difference is at least as
    far from the observed difference as that is from zero; the observed sample is counted, so it is never 0. The
    interval is one of percentiles. An F1 without brackets is 0.
    """
    if len(first) != len(second):
        raise EvaluationError(
            f"the bootstrap needs pairs of sentences, but there are {len(first)} and {len(second)} sentences"
        )
    if not first or samples < 1:
        raise EvaluationError("the bootstrap needs at least one sentence and one sample")
    if not 0 < confidence < 1:
        raise EvaluationError(f"confidence must be between 0 and 1, not {confidence}")
    import numpy as np

    table = np.array([_columns(one) + _columns(two) for one, two in zip(first, second, strict=True)], dtype=np.int64)
    observed_first, observed_second = _f1_of_both(table.sum(axis=0))
    observed = observed_first - observed_second
    differences = _draw(table, samples, np.random.default_rng(seed))
    # the tolerance is for samples with exactly the observed difference
    at_least_as_far = int(np.count_nonzero(np.abs(differences - observed) >= abs(observed) - 1e-9))
    tail = 50 * (1 - confidence)
    low, high = np.percentile(differences, [tail, 100 - tail])
    return Bootstrap(
        float(observed_first),
        float(observed_second),
        float(low),
        float(high),
        (at_least_as_far + 1) / (samples + 1),
        samples,
        confidence,
    )


def average_runs(values: Sequence[float]) -> Average:
    """The average of one score over several runs."""
    if not values:
        raise EvaluationError("there are no runs to average")
    return Average(fmean(values), stdev(values) if len(values) > 1 else None, len(values))


def average_defined(values: Iterable[float | None]) -> Average | None:
    """The same of a score that may be undefined; None if it is in one of the runs, or if there are none."""
    found = list(values)
    defined = [value for value in found if value is not None]
    return average_runs(defined) if defined and len(defined) == len(found) else None


def _columns(counts: BracketCounts) -> tuple[int, int]:
    """The numerator and the denominator of F1, 2 matched / (gold + predicted)."""
    return 2 * counts.matched, counts.gold + counts.predicted


def _draw(table: Ints, samples: int, random: np.random.Generator) -> Floats:
    """The difference of F1 in each sample; the table is (sentences, 4)."""
    import numpy as np

    sentences = len(table)
    size = max(1, _MOST_CELLS // sentences)
    differences = np.empty(samples)  # (samples,)
    for start in range(0, samples, size):
        end = min(samples, start + size)
        chosen = random.integers(sentences, size=(end - start, sentences))
        sums = np.stack([table[:, column][chosen].sum(axis=1) for column in range(4)], axis=-1)  # (size, 4)
        first, second = _f1_of_both(sums)
        differences[start:end] = first - second
    return differences


def _f1_of_both(sums: Ints) -> tuple[Floats, Floats]:
    """From (..., 4) sums to two arrays of F1 in percent."""
    import numpy as np

    first, second = (
        100 * np.divide(sums[..., i], sums[..., i + 1], out=np.zeros(sums.shape[:-1]), where=sums[..., i + 1] > 0)
        for i in (0, 2)
    )
    return first, second
