"""Which differences between linearizations, and between variants, are significant: the paired bootstrap.

The counts of a sentence are summed over the seeds that both sides have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from discoseq.evaluation.counts import BracketCounts
from discoseq.evaluation.significance import Bootstrap, paired_bootstrap
from discoseq.experiments.paper_tables import NOTHING, Runs, Table, without_empty_columns
from discoseq.experiments.results import Evaluation

DEFAULT_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two sets of runs on one treebank, and what they are called."""

    treebank: str
    context: str  # the variant or the linearization that both have
    names: tuple[str, str]
    runs: tuple[Runs, Runs]


def compare_runs(runs: Sequence[Runs], samples: int = DEFAULT_SAMPLES, seed: int = 0) -> list[Table]:
    """A table of all pairs of linearizations, and one of all variants beside the first, where there are any."""
    return [
        without_empty_columns(table)
        for kind, other, pairs in (
            ("linearizations", "variant", _pairs_of_linearizations(runs)),
            ("variants", "linearization", _pairs_of_variants(runs)),
        )
        for table in [_table(f"Differences between {kind}", other, list(pairs), samples, seed)]
        if table.rows
    ]


def _pairs_of_linearizations(runs: Sequence[Runs]) -> Iterator[_Pair]:
    for one, two in combinations(runs, 2):
        if (one.treebank, one.variant) == (two.treebank, two.variant):
            yield _Pair(one.treebank, one.variant, (one.linearization, two.linearization), (one, two))


def _pairs_of_variants(runs: Sequence[Runs]) -> Iterator[_Pair]:
    first: dict[tuple[str, str], Runs] = {}
    for one in runs:
        other = first.setdefault((one.treebank, one.linearization), one)
        if other is not one:
            yield _Pair(one.treebank, one.linearization, (one.variant, other.variant), (one, other))


def _table(title: str, context: str, pairs: Sequence[_Pair], samples: int, seed: int) -> Table:
    header = ("treebank", context, "first", "second", "split", "F1", "95 % interval", "p",
              "discontinuous F1", "95 % interval", "p")  # fmt: skip
    rows = []
    for pair in pairs:
        one, two = pair.runs
        split = next((split for split in reversed(one.splits()) if split in two.splits()), "")
        beam = next((beam for beam in one.beams(split) if beam in two.beams(split)), 0)
        found = _common(one, two, split, beam)
        if found:
            first, second = (_summed(x.counts for x in side) for side in found)
            first_gapped, second_gapped = (_summed(x.discontinuous for x in side) for side in found)
            tests = [paired_bootstrap(first, second, samples, seed)]
            if any(x.gold for x in first_gapped):
                tests.append(paired_bootstrap(first_gapped, second_gapped, samples, seed))
            figures = [cell for test in tests for cell in _cells(test)]
            figures += [NOTHING] * (6 - len(figures))
            rows.append((pair.treebank, pair.context, *pair.names, split, *figures))
    note = (
        f"first minus second, the paired bootstrap over sentences with {samples:,} samples, with the widest beam; "
        "counts are summed over seeds, and p is not corrected for the number of tests"
    )
    return Table(title, header, tuple(rows), note, name_columns=5)


def _common(one: Runs, two: Runs, split: str, beam: int) -> tuple[list[Evaluation], list[Evaluation]] | None:
    """The evaluations of the seeds that both have, on the same sentences."""
    found: tuple[list[Evaluation], list[Evaluation]] = ([], [])
    others = {result.seed: result for result in two.results}
    for result in one.results:
        other = others.get(result.seed)
        first, second = result.find(split, beam), other and other.find(split, beam)
        if other and first and second and result.data.get(split) == other.data.get(split):
            found[0].append(first)
            found[1].append(second)
    return found if found[0] else None


def _summed(runs: Iterator[Sequence[BracketCounts]]) -> list[BracketCounts]:
    return [sum(of_sentence, BracketCounts()) for of_sentence in zip(*runs, strict=True)]


def _cells(test: Bootstrap) -> Iterator[str]:
    yield f"{test.difference:+.2f}"
    yield f"{test.low:+.2f} to {test.high:+.2f}"
    yield f"{test.p_value:.4f}"
