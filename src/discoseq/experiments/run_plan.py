"""Running a plan: prepare, train, parse and score, cell by cell; what is done is not done again.

The folder of an experiment has a training run for each cell (`runs/`), a file of results for each (`results/`) and one
for all (`results.json`). A cell is done when its file has all the splits and beams of the plan.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from accelerate import PartialState

import discoseq
from discoseq.errors import ConfigError, TrainingError
from discoseq.experiments.parsing import Split, has_frozen_encoder, parse_split
from discoseq.experiments.plan import Cell, NamedPlan
from discoseq.experiments.results import WHOLE, CellResult, TrainingFigures, cell_path, read_results, write_results
from discoseq.experiments.treebank_files import TreebankFiles, find_treebank
from discoseq.linearizations.sizes import Size, measure_sizes
from discoseq.model.directory import load_model
from discoseq.model.network import Model
from discoseq.training.checkpoints import newest_checkpoint
from discoseq.training.config import Config
from discoseq.training.events import Embedding, Event, Finished, Noted, Stage
from discoseq.training.record import RUN, compare_run, different_settings, find_inputs, read_metrics, versions
from discoseq.training.run import start_run, with_short_paths
from discoseq.training.setup import check_language_model, check_run_settings, complete_settings
from discoseq.training.vector_cache import FrozenEncoder, load_frozen_encoder
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.recipes.apply import Track
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree

_BY_CONTENTS = ("data.train", "data.dev")  # settings that are compared by checksums


@dataclass(frozen=True, slots=True)
class CellStarted:
    """A cell begins, or goes on."""

    cell: Cell
    number: int  # from 1
    total: int


@dataclass(frozen=True, slots=True)
class CellDone:
    """A cell is done; `is_new` if it was not before."""

    cell: Cell
    result: CellResult
    is_new: bool


@dataclass(frozen=True, slots=True)
class CellFailed:
    """The training of a cell can't go on; the other cells do."""

    cell: Cell
    reason: str


ExperimentEvent: TypeAlias = Event | CellStarted | CellDone | CellFailed


def run_plan(
    named: NamedPlan, cells: Sequence[Cell], folder: Path, is_redone: bool = False, track: Track | None = None
) -> Iterator[ExperimentEvent]:
    """Do what is left of these cells; with `is_redone`, cells that were done with other settings are done again.

    All of them are checked before the first is begun.
    """
    treebanks = dict.fromkeys(cell.treebank for cell in cells)
    files = {}
    for name in treebanks:
        yield Stage(f"looking for {name}")
        files[name] = find_treebank(name, named.plan.treebanks[name], folder, named.source, track)
        missing = [split for split in named.plan.splits if split not in files[name].paths]
        if len(missing) == len(named.plan.splits):
            raise ConfigError(
                f"{named.source}: {name} has no {' and no '.join(missing)} part, so nothing can be parsed"
            )
        for split in missing:
            yield Noted(f"{name} has no {split} part, so nothing is parsed there")
    experiment = _Experiment(named, folder, files)
    planned = [experiment.place(cell) for cell in cells]
    outdated = {one.run for one in planned if experiment.is_outdated(one, is_redone)}
    for number, one in enumerate(planned, 1):
        if one.run in outdated:
            one.remove()
        yield from experiment.run(one, number, len(planned))
    experiment.write_whole()


@dataclass(frozen=True, slots=True)
class _PlannedCell:
    """A cell, its configuration with the files of the treebank, and where it is written."""

    cell: Cell
    config: Config
    run: Path  # the folder of the training run
    path: Path  # the file of results

    def finished(self) -> CellResult | None:
        """What has been written so far."""
        return read_results(self.path)[0] if self.path.exists() else None

    def remove(self) -> None:
        """Forget the results first, which say that there is a run."""
        self.path.unlink(missing_ok=True)
        shutil.rmtree(self.run, ignore_errors=True)


class _Experiment:
    """The folder of an experiment, and what cells share."""

    def __init__(self, named: NamedPlan, folder: Path, files: dict[str, TreebankFiles]) -> None:
        self.named = named
        self.folder = folder
        self.files = files
        self.checked: set[tuple[str, str]] = set()  # language models
        self.encoder: FrozenEncoder | None = None  # held, so that it is loaded once for all cells
        self.trees = cache(self._read)
        self.size = cache(self._measure)

    def place(self, cell: Cell) -> _PlannedCell:
        paths = self.files[cell.treebank].paths
        data = replace(cell.config.data, train=[str(paths["train"])], dev=[str(paths["dev"])])
        config = replace(cell.config, data=data)
        return _PlannedCell(cell, config, self.folder / "runs" / cell.name, cell_path(self.folder, cell.name))

    def is_outdated(self, planned: _PlannedCell, is_redone: bool) -> bool:
        """Whether the cell was begun or done otherwise; an error unless it is redone, and if it can't be trained."""
        check_run_settings(planned.config)
        model = planned.config.model
        if (model.pretrained, model.pretrained_layers) not in self.checked:
            check_language_model(planned.config)
            self.checked.add((model.pretrained, model.pretrained_layers))
        try:
            result = planned.finished()
            if result is not None:
                self._compare(result, planned)
            elif (planned.run / RUN).exists():
                compare_run(planned.run, planned.config, find_inputs(planned.config))
        except ConfigError as error:
            if not is_redone:
                raise ConfigError(f"{error}, or do such cells again by --redo") from None
            return True
        return False

    def _compare(self, result: CellResult, planned: _PlannedCell) -> None:
        wrong = different_from(result, planned.config)
        checksums = self.files[planned.cell.treebank].checksums
        wrong += [f"{name} has other contents" for name, x in result.data.items() if checksums.get(name, x) != x]
        was, now = result.versions["discoseq"], discoseq.__version__
        wrong += [f"discoseq was {was} and is {now}"] if was != now else []
        if wrong:
            advice = "undo this, or start another experiment in another folder"
            raise ConfigError(f"{planned.path}: this cell was done otherwise: {'; '.join(wrong)}; {advice}")

    def run(self, planned: _PlannedCell, number: int, total: int) -> Iterator[ExperimentEvent]:
        """Train, unless that is done, then parse what has not been parsed."""
        cell, result = planned.cell, planned.finished()
        if result is not None and not self._missing(cell, result):
            yield CellDone(cell, result, is_new=False)
            return
        yield CellStarted(cell, number, total)
        try:
            model = yield from self._train(planned)
        except TrainingError as error:
            yield CellFailed(cell, str(error))
            return
        result = yield from self._parse(planned, model or load_model(planned.run / "model"), result)
        self.write_whole()
        for name in ("checkpoints", "best"):  # the model is all that is needed from now on
            shutil.rmtree(planned.run / name, ignore_errors=True)
        yield CellDone(cell, result, is_new=True)

    def write_whole(self) -> None:
        """All cells of the plan that are done with the present settings, also those that were not chosen this time.

        Another process may finish a cell meanwhile, so this is repeated until the files are those that were read.
        """
        cells = {cell_path(self.folder, cell.name): cell for cell in self.named.cells()}
        before, now = None, _times(cells)
        while now != before:
            found = [(read_results(path)[0], cells[path]) for path in now]
            results = [result for result, cell in found if not different_from(result, cell.config)]
            write_results(self.folder / WHOLE, results)
            before, now = now, _times(cells)

    def _train(self, planned: _PlannedCell) -> Generator[Event, None, Model | None]:
        """The finished model, or None if it had been finished before."""
        if has_frozen_encoder(planned.config):
            yield Stage(f"loading {planned.config.model.pretrained}")
            self.encoder = load_frozen_encoder(complete_settings(planned.config.model))
        if (planned.run / "model").is_dir():
            return None
        checkpoints = planned.run / "checkpoints"
        is_resumed = newest_checkpoint(checkpoints) is not None
        if not is_resumed:  # it may have been killed while it wrote the first one
            shutil.rmtree(checkpoints, ignore_errors=True)
        for event in start_run(planned.config, planned.run, is_resumed):
            if isinstance(event, Finished):  # its scores are those of the trees that are parsed next
                return event.model
            yield event
        raise AssertionError("a run ends with this event")

    def _parse(
        self, planned: _PlannedCell, model: Model, result: CellResult | None
    ) -> Generator[Stage | Embedding, None, CellResult]:
        cell = planned.cell
        model.network.to(PartialState().device)
        if result is None:
            result = self._new_result(planned, _count_parameters(model, planned.config))
        for split, beam in self._missing(cell, result):
            gold = Split(split, self.trees(cell.treebank, split))
            evaluation = yield from parse_split(model, planned.config, gold, beam, planned.run)
            result = result.with_evaluation(evaluation)
            write_results(planned.path, [result])
        return result

    def _missing(self, cell: Cell, result: CellResult) -> list[tuple[str, int]]:
        splits = [split for split in self.named.plan.splits if split in self.files[cell.treebank].paths]
        return result.missing(splits, self.named.plan.beams)

    def _new_result(self, planned: _PlannedCell, parameters: int) -> CellResult:
        cell, last = planned.cell, read_metrics(planned.run)[-1]
        figures = TrainingFigures(
            epochs=last["epoch"],
            updates=last["step"],
            parameters=parameters,
            seconds=last["seconds"],
            cpu_seconds=last["cpu_seconds"],
        )
        return CellResult(
            plan=self.named.name,
            treebank=cell.treebank,
            recipe=self.named.plan.treebanks[cell.treebank].recipe,
            variant=cell.variant,
            linearization=cell.linearization,
            seed=cell.seed,
            config=_comparable(planned.config),
            data=dict(self.files[cell.treebank].checksums),
            versions=versions(),
            size=self.size(cell.treebank, cell.linearization),
            training=figures,
        )

    def _read(self, treebank: str, split: str) -> list[Tree]:
        return list(map(drop_functions, read_trees(self.files[treebank].paths[split])))

    def _measure(self, treebank: str, name: str) -> Size:
        return measure_sizes(map(drop_functions, read_trees(self.files[treebank].paths["train"])), [name])[0]


def different_from(result: CellResult, config: Config) -> list[str]:
    """What differs between the settings of a result and these, without the treebank files."""
    return [text for _, text in different_settings(result.config, _comparable(config), _BY_CONTENTS)]


def _times(paths: Iterable[Path]) -> dict[Path, int]:
    """When the files that exist were written."""
    return {path: path.stat().st_mtime_ns for path in paths if path.exists()}


def _count_parameters(model: Model, config: Config) -> int:
    """Without those of a frozen language model, which a model from its directory brings along."""
    language_model = model.network.features.language_model if has_frozen_encoder(config) else None
    frozen = sum(x.numel() for x in language_model.parameters()) if language_model is not None else 0
    return sum(x.numel() for x in model.network.parameters()) - frozen


def _comparable(config: Config) -> dict[str, Any]:
    return with_short_paths(asdict(config))
