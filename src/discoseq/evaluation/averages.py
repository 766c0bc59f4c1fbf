"""The mean and the spread of several runs, written as papers write them: 95.47 ± 0.06."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from discoseq.errors import EvaluationError


@dataclass(frozen=True, slots=True)
class Average:
    """A mean with the standard deviation of the sample (divided by n - 1), which one run does not have."""

    mean: float
    deviation: float | None
    runs: int

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if self.deviation is None else f"{self.mean:.2f} ± {self.deviation:.2f}"


def average_runs(values: Sequence[float]) -> Average:
    """The average of one figure over several runs."""
    if not values:
        raise EvaluationError("there is no run to average")
    return Average(fmean(values), stdev(values) if len(values) > 1 else None, len(values))
