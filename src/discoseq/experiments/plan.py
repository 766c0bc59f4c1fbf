"""A plan of experiments: which linearizations are trained on which treebanks, with which settings and seeds.

A plan is a TOML file (docs/experiments.md). A cell of it is one training run: a treebank, a variant of the settings, a
linearization and a seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from discoseq.errors import ConfigError, DiscoseqError
from discoseq.linearizations.linearization import linearization
from discoseq.model.settings import settings_from_table
from discoseq.training.config import PLANS, Config, assign, config_from_table, read_config_table, read_toml
from discoseq.treebanks.recipes.apply import recipe_named
from discoseq.treebanks.recipes.recipe import SPLITS

_SCORED_SPLITS = SPLITS[1:]
_MOST_SEEDS, _WIDEST_BEAM = 1000, 1000
# what the plan decides for every cell
_DECIDED = {
    ("linearization",): "linearizations",
    ("data", "train"): "treebanks",
    ("data", "dev"): "treebanks",
    ("training", "seed"): "seeds",
}


@dataclass(frozen=True, slots=True)
class Treebank:
    """A treebank: its distribution and the recipe for it, or the folder that `discoseq prepare` made of it."""

    config: str = ""  # the training configuration that its cells begin with: a file, or a name
    recipe: str = ""
    source: str = ""
    prepared: str = ""  # a folder with train, dev and test; empty: one in the folder of the experiment


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings that differ, as in an ablation."""

    about: str = ""
    linearizations: list[str] = field(default_factory=list)  # empty: those of the plan
    seeds: int = 0  # 0: as many as the plan has
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Override:
    """Settings of the cells that have one of these names; an empty list is for all."""

    treebanks: list[str] = field(default_factory=list)
    linearizations: list[str] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def is_for(self, treebank: str, variant: str, name: str) -> bool:
        pairs = ((treebank, self.treebanks), (variant, self.variants), (name, self.linearizations))
        return all(not names or one in names for one, names in pairs)


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole experiment."""

    about: str = ""
    linearizations: list[str] = field(default_factory=list)
    seeds: int = 3  # 1, 2, ...
    splits: list[str] = field(default_factory=lambda: list(_SCORED_SPLITS))
    beams: list[int] = field(default_factory=lambda: [10])  # each split is parsed with each; tables show the first
    treebanks: dict[str, Treebank] = field(default_factory=dict)
    variants: dict[str, Variant] = field(default_factory=dict)  # none: one without a name
    overrides: list[Override] = field(default_factory=list)  # applied in this order
    settings: dict[str, Any] = field(default_factory=dict)  # of all cells


@dataclass(frozen=True, slots=True)
class Cell:
    """One training run; its configuration lacks the treebank files, which may have to be prepared first."""

    treebank: str
    variant: str
    linearization: str
    seed: int
    config: Config

    @property
    def name(self) -> str:
        """Also the path of its folder."""
        return "/".join(part for part in (self.treebank, self.variant, self.linearization, f"seed-{self.seed}") if part)


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """A plan, what it is called, and the settings of the user for all cells."""

    name: str
    source: str  # the file, for messages
    plan: Plan
    assignments: tuple[str, ...] = ()

    def cells(self) -> list[Cell]:
        """All cells, those of a treebank together; raises a ConfigError if the settings of one of them are wrong."""
        variants = self.plan.variants or {"": Variant()}
        return [
            replace(cell, seed=seed, config=_with_seed(cell.config, seed))
            for treebank in self.plan.treebanks
            for variant, of_variant in variants.items()
            for name in of_variant.linearizations or self.plan.linearizations
            for cell in [Cell(treebank, variant, name, 1, self._config(treebank, variant, name))]
            for seed in range(1, min(of_variant.seeds or self.plan.seeds, self.plan.seeds) + 1)
        ]

    def _config(self, treebank: str, variant: str, name: str) -> Config:
        table = read_config_table(self.plan.treebanks[treebank].config)
        for settings in self._settings(treebank, variant, name):
            merge_tables(table, settings)
        merge_tables(table, {"linearization": name})
        place = ", ".join(part for part in (treebank, variant, name) if part)
        return config_from_table(table, self.assignments, f"{self.source}: {place}")

    def _settings(self, treebank: str, variant: str, name: str) -> Iterator[Mapping[str, Any]]:
        yield self.plan.settings
        for override in self.plan.overrides:
            if override.is_for(treebank, variant, name):
                yield override.settings
        if variant in self.plan.variants:
            yield self.plan.variants[variant].settings


def read_plan(name: str | Path, assignments: Iterable[str] = (), seeds: int | None = None) -> NamedPlan:
    """Read a plan, a TOML file or one of discoseq by its name, and check it.

    `assignments` like `treebanks.negra.source=FILE` change the plan; those of a configuration, like
    `training.epochs=5`, change all its cells. Paths are relative to the file, but to the current folder in a plan that
    comes with discoseq.
    """
    path = _find(name)
    table = read_toml(path)
    keys = {one.name for one in fields(Config)}
    for_plan, for_cells = list[str](), list[str]()
    for assignment in assignments:
        (for_cells if assignment.partition("=")[0].partition(".")[0].strip() in keys else for_plan).append(assignment)
    if not path.resolve().is_relative_to(PLANS):
        _resolve_paths(table, path.parent)
    for assignment in for_plan:
        assign(table, assignment)
    if seeds is not None:
        table["seeds"] = seeds
    plan = settings_from_table(Plan, table, str(path))
    _check(plan, str(path))
    for assignment in for_cells:
        _check_assignment(assignment)
    return NamedPlan(path.stem, str(path), plan, tuple(for_cells))


def named_plans() -> dict[str, Path]:
    """The plans that come with discoseq."""
    return {path.stem: path for path in sorted(PLANS.glob("*.toml"))}


def select_cells(cells: Sequence[Cell], names: Sequence[str]) -> list[Cell]:
    """The cells with these names: of names of one kind, a cell has any; of each kind that is named, it has one."""
    kinds = [
        {cell.treebank for cell in cells},
        {cell.variant for cell in cells},
        {cell.linearization for cell in cells},
    ]
    known = set[str]().union(*kinds) - {""}
    for name in names:
        if name not in known:
            raise ConfigError(f"the plan has no treebank, variant or linearization {name!r}: {_listed(known)}")
    wanted = [kind & set(names) or kind for kind in kinds]
    return [
        cell
        for cell in cells
        if all(x in kind for x, kind in zip((cell.treebank, cell.variant, cell.linearization), wanted, strict=True))
    ]


def merge_tables(table: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Put the changes into the table, key by key."""
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(table.get(key), dict):
            merge_tables(table[key], value)
        else:
            table[key] = deepcopy(value)


def _with_seed(config: Config, seed: int) -> Config:
    return replace(config, training=replace(config.training, seed=seed))


def _find(name: str | Path) -> Path:
    if Path(name).is_file():
        return Path(name)
    plans = named_plans()
    if str(name) not in plans:
        raise ConfigError(f"{name}: no such file, and none of the plans {', '.join(plans)}")
    return plans[str(name)]


def _resolve_paths(table: dict[str, Any], folder: Path) -> None:
    treebanks = table.get("treebanks")
    for treebank in treebanks.values() if isinstance(treebanks, dict) else ():
        if isinstance(treebank, dict):
            for key in ("config", "source", "prepared"):
                path = treebank.get(key)
                # the name of a configuration is no path
                if isinstance(path, str) and path and (key != "config" or (folder / path).is_file()):
                    treebank[key] = str(folder / path)


def _check(plan: Plan, source: str) -> None:
    """Find mistakes before anything else is done, and say where they are."""
    for key, is_empty in (("treebanks", not plan.treebanks), ("splits", not plan.splits), ("beams", not plan.beams)):
        if is_empty:
            raise ConfigError(f"{source}: {key} is empty")
    for number, key in (
        (plan.seeds, "seeds"),
        *((x.seeds or 1, f"variants.{k}.seeds") for k, x in plan.variants.items()),
    ):
        if not 1 <= number <= _MOST_SEEDS:
            raise ConfigError(f"{source}: {key} must be from 1 to {_MOST_SEEDS}, not {number}")
    if wrong := next((beam for beam in plan.beams if not 1 <= beam <= _WIDEST_BEAM), None):
        raise ConfigError(f"{source}: beams must be from 1 to {_WIDEST_BEAM}, not {wrong}")
    _check_names(plan.splits, _SCORED_SPLITS, source, "splits")
    for name, treebank in plan.treebanks.items():
        _check_name(name, source, "treebanks")
        if not treebank.config:
            raise ConfigError(f"{source}: treebanks.{name}.config is missing: name a training configuration")
        if treebank.recipe:
            _explain(lambda recipe=treebank.recipe: recipe_named(recipe), source, f"treebanks.{name}.recipe")
    _check_settings(plan.settings, source, "settings")
    lists = [(plan.linearizations, "linearizations")]
    for name, variant in plan.variants.items():
        _check_name(name, source, "variants")
        _check_settings(variant.settings, source, f"variants.{name}.settings")
        lists.append((variant.linearizations, f"variants.{name}.linearizations"))
        if not (variant.linearizations or plan.linearizations):
            raise ConfigError(f"{source}: linearizations is empty, and so is variants.{name}.linearizations")
    if not plan.variants and not plan.linearizations:
        raise ConfigError(f"{source}: linearizations is empty")
    for names, place in lists:
        for one in names:
            _explain(lambda one=one: linearization(one), source, place)
    known = {one for names, _ in lists for one in names}
    if both := (set(plan.treebanks) & set(plan.variants)) | (known & {*plan.treebanks, *plan.variants}):
        raise ConfigError(f"{source}: {both.pop()} is the name of two things; give one of them another name")
    for number, override in enumerate(plan.overrides, 1):
        place = f"overrides[{number}]"
        _check_settings(override.settings, source, f"{place}.settings")
        _check_names(override.treebanks, plan.treebanks, source, f"{place}.treebanks")
        _check_names(override.linearizations, known, source, f"{place}.linearizations")
        _check_names(override.variants, plan.variants, source, f"{place}.variants")


def _check_settings(settings: dict[str, Any], source: str, place: str) -> None:
    """The same check as of a configuration, with the place in the plan."""
    settings_from_table(Config, settings, source, f"{place}.")
    for path, decided_by in _DECIDED.items():
        found: Any = settings
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        if found is not None:
            raise ConfigError(f"{source}: {place}.{'.'.join(path)} is decided by {decided_by} in a plan")


def _check_assignment(assignment: str) -> None:
    table: dict[str, Any] = {}
    assign(table, assignment)
    _check_settings(table, f"--set {assignment}", "settings")


def _check_name(name: str, source: str, place: str) -> None:
    if not name or name.startswith(".") or not all(x.isalnum() or x in "-_+." for x in name):
        raise ConfigError(f"{source}: {place}.{name}: a name has letters, digits and - _ + . and no others")


def _check_names(names: Iterable[str], known: Iterable[str], source: str, place: str) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: {place}: there is no {name!r}: {_listed(known)}")


def _listed(names: Iterable[str]) -> str:
    return f"choose from {', '.join(sorted(names))}" if names else "there are none"


def _explain(check: Any, source: str, place: str) -> None:
    try:
        check()
    except DiscoseqError as error:
        raise ConfigError(f"{source}: {place}: {error}") from None
