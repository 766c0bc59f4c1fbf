"""A plan of experiments: which linearizations are trained on which treebanks, with which settings and seeds.

A plan is a TOML file (docs/experiments.md). A cell of it is one training run: a treebank, a variant of the settings, a
linearization and a seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from discoseq.errors import ConfigError
from discoseq.training.config import Config, config_from_table, read_config_table
from discoseq.treebanks.recipes.recipe import SPLITS

SCORED_SPLITS = SPLITS[1:]
ALL = "all"  # treebanks, in reports


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

    linearizations: list[str] = field(default_factory=list)  # empty: those of the plan
    seeds: int = 0  # fewer than the plan has; 0: as many
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

    linearizations: list[str] = field(default_factory=list)
    seeds: int = 3  # 1, 2, ...
    splits: list[str] = field(default_factory=lambda: list(SCORED_SPLITS))
    beams: list[int] = field(default_factory=lambda: [10])  # each split is parsed with each
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
            raise ConfigError(f"the plan has no treebank, variant or linearization {name!r}: {listed(known)}")
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


def listed(names: Iterable[str]) -> str:
    """Names to choose from, as the end of a sentence."""
    return f"choose from {', '.join(sorted(names))}" if names else "there are none"


def _with_seed(config: Config, seed: int) -> Config:
    return replace(config, training=replace(config.training, seed=seed))
