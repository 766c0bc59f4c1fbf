"""The paper's Tables 3 to 7 for the cells that were run, with the published figures beside them, and two more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from discoseq.errors import EvaluationError
from discoseq.evaluation.significance import Average, average_defined, average_runs
from discoseq.experiments.published import BEAM, published_score, published_size, published_speed
from discoseq.experiments.results import CellResult, Evaluation
from discoseq.linearizations.linearization import linearization

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a header and rows of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    name_columns: int = 1  # the first columns have names, the others figures


@dataclass(frozen=True, slots=True)
class Runs:
    """The cells that differ in their seeds only."""

    treebank: str
    recipe: str
    variant: str
    linearization: str
    results: tuple[CellResult, ...]

    @property
    def is_continuous(self) -> bool:
        return not linearization(self.linearization).reordering.can_reorder

    def evaluations(self, split: str, beam: int) -> list[Evaluation]:
        found = (result.find(split, beam) for result in self.results)
        return [one for one in found if one is not None]

    def splits(self) -> list[str]:
        present = {one.split for result in self.results for one in result.evaluations}
        return [split for split in ("dev", "test") if split in present]

    def beams(self, split: str) -> list[int]:
        """The widest first."""
        found = (one for result in self.results for one in result.evaluations if one.split == split)
        return sorted({one.beam for one in found}, reverse=True)


def group_runs(results: Iterable[CellResult]) -> list[Runs]:
    """Cells by everything but the seed, in the order in which they come."""
    grouped: dict[tuple[str, str, str], dict[int, CellResult]] = {}
    for result in results:
        seeds = grouped.setdefault((result.treebank, result.variant, result.linearization), {})
        name = ", ".join(str(part) for part in result.key if part)
        if seeds.setdefault(result.seed, result) != result:
            raise EvaluationError(f"there are two different results of {name}; report them one by one")
        first = next(iter(seeds.values()))
        if _conditions(first) != _conditions(result):
            raise EvaluationError(
                f"{name} was run with other settings or data than seed {first.seed}; redo one of them"
            )
    return [
        Runs(treebank, first.recipe, variant, name, tuple(seeds.values()))
        for (treebank, variant, name), seeds in grouped.items()
        for first in [next(iter(seeds.values()))]
    ]


def _conditions(result: CellResult) -> list[object]:
    """What seeds have in common."""
    training = {name: value for name, value in result.config.get("training", {}).items() if name != "seed"}
    return [result.data, training, *(result.config.get(name) for name in ("model", "search"))]


def make_tables(runs: Sequence[Runs]) -> list[Table]:
    """All tables that have rows."""
    continuous = [one for one in runs if one.is_continuous]
    others = [one for one in runs if not one.is_continuous]
    tables = [
        *(
            _accuracy(continuous, split, f"Table 3, {split}: F1 of continuous linearizations")
            for split in ("dev", "test")
        ),
        _accuracy(others, "dev", "Table 4: F1 on dev"),
        _accuracy(others, "test", "Table 5: F1 and discontinuous F1 on test"),
        _speeds(runs),
        _sizes(runs),
        _trainings(runs),
    ]
    return [without_empty_columns(table) for table in tables if table.rows]


def _accuracy(runs: Sequence[Runs], split: str, title: str) -> Table:
    header = ("treebank", "variant", "linearization", "beam", "seeds", "F1", "paper", "difference",
              "discontinuous F1", "paper", "difference", "exact match")  # fmt: skip
    rows = []
    for one in runs:
        for beam in one.beams(split):
            found = one.evaluations(split, beam)
            published = published_score(one.recipe, split, one.linearization) if beam == BEAM else None
            f1 = average_defined(x.f1 for x in found)
            discontinuous = None if one.is_continuous else average_defined(x.discontinuous_f1 for x in found)
            names = (one.treebank, one.variant, one.linearization, str(beam), str(len(found)))
            of_all = _beside(f1, published.f1 if published else None)
            of_gapped = _beside(discontinuous, published.discontinuous_f1 if published else None)
            rows.append((*names, *of_all, *of_gapped, _figure(average_defined(x.exact_match for x in found))))
    note = "mean ± standard deviation over seeds, divided by n - 1"
    return Table(title, header, tuple(rows), note, name_columns=3)


def _beside(ours: Average | None, theirs: Average | None) -> tuple[str, str, str]:
    """Our figure, the published one, and the difference."""
    difference = NOTHING if ours is None or theirs is None else f"{ours.mean - theirs.mean:+.2f}"
    return _figure(ours), _figure(theirs), difference


def _speeds(runs: Sequence[Runs]) -> Table:
    header = ("treebank", "variant", "linearization", "split", "beam", "sentences a second", "paper", "ours / paper",
              "sentences a CPU-second")  # fmt: skip
    rows = []
    last = [(one, split) for one in runs for split in one.splits()[-1:]]  # test, where there is one
    for one, split in last:
        for beam in one.beams(split):
            found = one.evaluations(split, beam)
            paper = published_speed(one.recipe, one.linearization) if beam == BEAM else None
            rate = average_runs([len(x.counts) / max(x.seconds, 1e-9) for x in found])
            of_processor = average_runs([len(x.counts) / max(x.cpu_seconds, 1e-9) for x in found])
            compared = (NOTHING, NOTHING) if paper is None else (str(paper), f"{rate.mean / paper:.2f}")
            names = (one.treebank, one.variant, one.linearization, split)
            rows.append((*names, str(beam), _rate(rate), *compared, _rate(of_processor)))
    note = "without loading, and without the vectors of a frozen language model, which are computed once"
    if any(published_speed(one.recipe, one.linearization) for one in runs):
        note += "; the paper's were measured with a GPU"
    return Table("Table 6: speed", header, tuple(rows), note, name_columns=4)


def _sizes(runs: Sequence[Runs]) -> Table:
    header = (
        "treebank",
        "linearization",
        "vocabulary",
        "paper",
        "difference",
        "longest",
        "paper",
        "difference",
        "mean",
    )
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in runs:
        size, paper = one.results[0].size, published_size(one.recipe, one.linearization)
        pairs = [
            (size.vocabulary, paper.vocabulary if paper else None),
            (size.longest, paper.longest if paper else None),
        ]
        cells = [
            cell
            for ours, theirs in pairs
            for cell in (str(ours), *((NOTHING, NOTHING) if theirs is None else (str(theirs), f"{ours - theirs:+d}")))
        ]
        rows[one.treebank, one.linearization] = (one.treebank, one.linearization, *cells, f"{size.mean:.1f}")
    title = "Table 7: actions in the vocabulary, and in the longest sequence of train"
    return Table(title, header, tuple(rows.values()), name_columns=2)


def _trainings(runs: Sequence[Runs]) -> Table:
    header = ("treebank", "variant", "linearization", "epochs", "updates", "parameters", "CPU-minutes", "repaired, %")
    rows = []
    for one in runs:
        figures = [result.training for result in one.results]
        minutes = average_runs([x.cpu_seconds / 60 for x in figures])
        names = (one.treebank, one.variant, one.linearization)
        numbers = (figures[0].epochs, figures[0].updates, figures[0].parameters)
        rows.append((*names, *(f"{x:,}" for x in numbers), _rate(minutes), _repaired(one)))
    note = (
        "CPU-minutes of updates, without parsing dev; repaired: sequences that were no trees, of all that were parsed "
        "with the widest beam"
    )
    return Table("Training", header, tuple(rows), note, name_columns=3)


def _repaired(runs: Runs) -> str:
    found = [one for split in runs.splits() for one in runs.evaluations(split, runs.beams(split)[0])]
    sentences = sum(len(one.counts) for one in found)
    return f"{100 * sum(one.repaired for one in found) / sentences:.1f}" if sentences else NOTHING


def _figure(average: Average | None) -> str:
    return NOTHING if average is None else str(average)


def _rate(average: Average) -> str:
    return f"{average.mean:.1f}" if average.deviation is None else f"{average.mean:.1f} ± {average.deviation:.1f}"


def without_empty_columns(table: Table) -> Table:
    """Without columns that say nothing in any row, such as the variant where there is but one."""
    is_kept = [any(cell not in ("", NOTHING) for cell in column) for column in zip(*table.rows, strict=True)]

    def keep(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cell for cell, kept in zip(row, is_kept, strict=True) if kept)

    names = sum(is_kept[: table.name_columns])
    return replace(table, header=keep(table.header), rows=tuple(map(keep, table.rows)), name_columns=names)
