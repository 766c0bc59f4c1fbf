"""Plans of experiments as TOML files, checked before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from discoseq.errors import ConfigError, DiscoseqError
from discoseq.experiments.plan import ALL, SCORED_SPLITS, NamedPlan, Plan, listed
from discoseq.linearizations.linearization import linearization
from discoseq.model.settings import settings_from_table
from discoseq.training.config import PLANS, Config, assign, read_toml
from discoseq.treebanks.recipes.apply import recipe_named

_MOST_SEEDS, _WIDEST_BEAM = 1000, 1000
# what the plan decides for every cell
_DECIDED = {
    ("linearization",): "linearizations",
    ("data", "train"): "treebanks",
    ("data", "dev"): "treebanks",
    ("training", "seed"): "seeds",
}


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
    plan = settings_from_table(Plan, table, str(path))
    _check(plan, str(path))
    if seeds is not None:
        _check_number(seeds, _MOST_SEEDS, str(path), "seeds")
        plan = replace(plan, seeds=seeds)
    for assignment in for_cells:
        _check_assignment(assignment)
    return NamedPlan(path.stem, str(path), plan, tuple(for_cells))


def named_plans() -> dict[str, Path]:
    """The plans that come with discoseq."""
    return {path.stem: path for path in sorted(PLANS.glob("*.toml"))}


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
    _check_number(plan.seeds, _MOST_SEEDS, source, "seeds")
    for beam in plan.beams:
        _check_number(beam, _WIDEST_BEAM, source, "beams")
    _check_repetitions(plan.beams, source, "beams")
    _check_repetitions(plan.splits, source, "splits")
    _check_names(plan.splits, SCORED_SPLITS, source, "splits")
    _check_settings(plan.settings, source, "settings")
    for name, treebank in plan.treebanks.items():
        _check_name(name, source, "treebanks")
        if not treebank.config:
            raise ConfigError(f"{source}: treebanks.{name}.config is missing: name a training configuration")
        if treebank.recipe:
            _explain(recipe_named, treebank.recipe, source, f"treebanks.{name}.recipe")
    for name, variant in plan.variants.items():
        _check_name(name, source, "variants")
        _check_number(variant.seeds or 1, plan.seeds, source, f"variants.{name}.seeds")
        _check_settings(variant.settings, source, f"variants.{name}.settings")
    known = _check_linearizations(plan, source)
    for number, override in enumerate(plan.overrides, 1):
        place = f"overrides[{number}]"
        _check_settings(override.settings, source, f"{place}.settings")
        _check_names(override.treebanks, plan.treebanks, source, f"{place}.treebanks")
        _check_names(override.linearizations, known, source, f"{place}.linearizations")
        _check_names(override.variants, plan.variants, source, f"{place}.variants")


def _check_linearizations(plan: Plan, source: str) -> set[str]:
    """All that the plan has; none of them may be the name of something else."""
    lists = {"linearizations": plan.linearizations}
    lists |= {f"variants.{name}.linearizations": variant.linearizations for name, variant in plan.variants.items()}
    for place, names in lists.items():
        _check_repetitions(names, source, place)
        for name in names:
            _explain(linearization, name, source, place)
    if not plan.linearizations and not (plan.variants and all(x.linearizations for x in plan.variants.values())):
        raise ConfigError(f"{source}: linearizations is empty")
    known = {name for names in lists.values() for name in names}
    if both := (set(plan.treebanks) & set(plan.variants)) | (known & {*plan.treebanks, *plan.variants}):
        raise ConfigError(f"{source}: {min(both)} is the name of two things; give one of them another name")
    return known


def _check_settings(settings: dict[str, Any], source: str, place: str) -> None:
    """The same check as of a configuration, with the place in the plan."""
    prefix = f"{place}." if place else ""
    settings_from_table(Config, settings, source, prefix)
    for path, decided_by in _DECIDED.items():
        found: Any = settings
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        if found is not None:
            raise ConfigError(f"{source}: {prefix}{'.'.join(path)} is decided by {decided_by} in a plan")


def _check_assignment(assignment: str) -> None:
    table: dict[str, Any] = {}
    assign(table, assignment)
    _check_settings(table, f"--set {assignment}", "")


def _check_number(number: int, most: int, source: str, place: str) -> None:
    if not 1 <= number <= most:
        raise ConfigError(f"{source}: {place} must be from 1 to {most}, not {number}")


def _check_repetitions(values: Sequence[object], source: str, place: str) -> None:
    for value in values:
        if values.count(value) > 1:
            raise ConfigError(f"{source}: {place} has {value} twice")


def _check_name(name: str, source: str, place: str) -> None:
    """Names are parts of the names of files, where dots separate them."""
    if not name or not all(x.isalnum() or x in "-_+" for x in name):
        raise ConfigError(f"{source}: {place}.{name}: a name has letters, digits and - _ + and no others")
    if name == ALL:
        raise ConfigError(f"{source}: {place}.{name}: this name is taken: reports have figures of all treebanks")


def _check_names(names: Iterable[str], known: Iterable[str], source: str, place: str) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"{source}: {place}: there is no {name!r}: {listed(known)}")


def _explain(check: Callable[[str], object], name: str, source: str, place: str) -> None:
    try:
        check(name)
    except DiscoseqError as error:
        raise ConfigError(f"{source}: {place}: {error}") from None
