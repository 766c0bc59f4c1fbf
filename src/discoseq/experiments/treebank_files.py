"""The train, dev and test files of a treebank in a plan: found in a folder, or prepared by a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from discoseq.errors import ConfigError, TreebankError
from discoseq.experiments.plan import Treebank
from discoseq.storage import checksum, was_interrupted
from discoseq.treebanks.files import FORMATS
from discoseq.treebanks.recipes.apply import Track, apply_recipe, recipe_named
from discoseq.treebanks.recipes.card import CARD, find_card
from discoseq.treebanks.recipes.recipe import SPLITS, Settings


@dataclass(frozen=True, slots=True)
class TreebankFiles:
    """The files by split; train and dev are always there."""

    paths: Mapping[str, Path]
    checksums: Mapping[str, str]


def find_treebank(
    name: str, treebank: Treebank, folder: Path, source: str, track: Track | None = None
) -> TreebankFiles:
    """The files of a prepared treebank; what is not there is prepared. `folder` is that of the experiment."""
    prepared = Path(treebank.prepared) if treebank.prepared else folder / "prepared" / name
    paths = _find_splits(prepared)
    if not paths or was_interrupted(prepared, CARD):
        _prepare(name, treebank, prepared, source, track)
        paths = _find_splits(prepared)
    place = f"{source}: treebanks.{name}"
    for split in ("train", "dev"):
        if split not in paths:
            raise ConfigError(f"{place}: {prepared} has no {split} part, which training needs")
    of_card = find_card(paths["train"]).get("recipe")
    if treebank.recipe and of_card not in (None, treebank.recipe):
        raise ConfigError(f"{place}: {prepared} was made by the recipe {of_card}, not {treebank.recipe}")
    return TreebankFiles(paths, {split: checksum(path) for split, path in paths.items()})


def _find_splits(folder: Path) -> dict[str, Path]:
    suffixes = [suffix for tree_format in FORMATS.values() for suffix in tree_format.suffixes]
    found: dict[str, Path] = {}
    for split in SPLITS:
        candidates = (folder / f"{split}{suffix}" for suffix in suffixes)
        path = next((path for path in candidates if path.is_file()), None)
        if path is not None:
            found[split] = path
    return found


def _prepare(name: str, treebank: Treebank, folder: Path, source: str, track: Track | None) -> None:
    place = f"{source}: treebanks.{name}"
    if not treebank.recipe:
        raise ConfigError(f"{place}: {folder} has no train and dev part, and no recipe is named to make them")
    recipe = recipe_named(treebank.recipe)
    if not treebank.source or not Path(treebank.source).exists():
        where = f"nor {treebank.source}" if treebank.source else "nor a source"
        raise ConfigError(
            f"{place}: neither {folder} {where} is there; get the corpus at {recipe.address} and name it by "
            f"--set treebanks.{name}.source=PATH"
        )
    try:
        apply_recipe(recipe, Path(treebank.source), folder, Settings(), track)
    except TreebankError as error:
        raise ConfigError(f"{place}: {error}") from None
