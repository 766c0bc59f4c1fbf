"""Applying a recipe: read a corpus distribution, transform its trees, write the splits and the card."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import discoseq
from discoseq.errors import NoTreesError, TreebankError, os_reason
from discoseq.storage import atomic_files
from discoseq.treebanks.export import MAX_CONSTITUENTS, constituent_count
from discoseq.treebanks.files import format_named, write_trees
from discoseq.treebanks.recipes.card import CARD, Card, Remark, SplitRecord, Tally, record_source, record_split
from discoseq.treebanks.recipes.german import NEGRA, TIGER, TIGER_HALL_NIVRE
from discoseq.treebanks.recipes.open_corpora import ALPINO, ALPINO_SUITES, CRAFT, MASC, PCC
from discoseq.treebanks.recipes.penn import DPTB, PTB
from discoseq.treebanks.recipes.recipe import (
    DROP_ANNOTATIONS,
    SPLITS,
    Distribution,
    Portion,
    Recipe,
    Settings,
    Transform,
)
from discoseq.treebanks.recipes.sources import not_expected
from discoseq.trees.tree import Tree

NO_SENTENCES = "the file has no sentences"
RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in [PTB, DPTB, NEGRA, TIGER, TIGER_HALL_NIVRE, CRAFT, MASC, ALPINO, ALPINO_SUITES, PCC]
}

# shows progress: takes the trees, a description and the expected number of trees
Track: TypeAlias = Callable[[Iterable[Tree], str, int | None], Iterable[Tree]]


def recipe_named(name: str) -> Recipe:
    """The recipe of that name; the error for an unknown name lists all recipes."""
    if name not in RECIPES:
        raise TreebankError(f"there is no recipe {name!r}; the recipes are {', '.join(RECIPES)}")
    return RECIPES[name]


def apply_recipe(recipe: Recipe, source: Path, folder: Path, settings: Settings, track: Track | None = None) -> Card:
    """Write the splits that the source has, and the card, into the folder; on an error nothing is written."""
    found = _locate(recipe, source, settings)
    if not found.portions:
        raise not_expected(source, recipe.expected)
    names = {split: split + format_named(settings.format).suffixes[0] for split in SPLITS}
    _refuse_leftovers(folder, [names[split] for split in SPLITS if split not in found.portions])
    steps = (*recipe.steps(settings), *_last_steps(settings))
    readers = {split: _SplitReader(split, settings, steps) for split in SPLITS if split in found.portions}
    records: dict[str, SplitRecord] = {}
    try:
        with atomic_files(folder, last=CARD) as partial:
            for split, reader in readers.items():
                trees: Iterable[Tree] = reader.trees(recipe, found.portions[split])
                size = recipe.sizes.get(split) if settings.sections is None else None
                path = partial / names[split]
                write_trees(track(trees, split, size) if track else trees, path, settings.format)
                if reader.tally.sentences:
                    records[split] = record_split(path, reader.tally, size)
                else:
                    path.unlink()
            if not records:
                raise not_expected(source, recipe.expected, "it has no sentences of train, dev or test")
            _refuse_leftovers(folder, [names[split] for split in SPLITS if split not in records])
            card = _card(recipe, found, settings, steps, records, list(readers.values()))
            (partial / CARD).write_text(card.to_json(), "utf-8")
    except OSError as error:
        raise TreebankError(f"can't write there ({os_reason(error)})", str(folder)) from None
    return card


def _locate(recipe: Recipe, source: Path, settings: Settings) -> Distribution:
    if settings.sections is None:
        return recipe.locate(source)
    if recipe.locate_sections is None:
        with_sections = " and ".join(name for name, other in RECIPES.items() if other.locate_sections is not None)
        raise TreebankError(f"{recipe.name} has no numbered sections; --sections is for {with_sections}")
    return recipe.locate_sections(source, settings.sections)


@dataclass(slots=True)
class _SplitReader:
    """Reads the trees of one split, transforms them, counts them and notes which are left out."""

    split: str
    settings: Settings
    steps: tuple[Transform, ...]
    tally: Tally = field(default_factory=Tally)
    left_out: list[Remark] = field(default_factory=list)
    mended: list[Remark] = field(default_factory=list)
    made_continuous: int = 0

    def trees(self, recipe: Recipe, portions: tuple[Portion, ...]) -> Iterator[Tree]:
        for portion in portions:
            for number, tree in self._read(recipe, portion):
                was_discontinuous = False
                for step in self.steps:
                    if step.makes_continuous:
                        was_discontinuous = tree.is_discontinuous
                    tree = step.apply(tree)
                reason = self._why_left_out(tree)
                if reason:
                    self._note(self.left_out, f"{portion.name}, sentence {number}", reason)
                    continue
                self.tally.add(tree)
                self.made_continuous += was_discontinuous
                yield self._named(tree, portion, number)

    def _read(self, recipe: Recipe, portion: Portion) -> Iterator[tuple[int, Tree]]:
        """The sentences of the split with their numbers in the file; sentences that can't be read count."""
        number = 0

        def leave_out(error: TreebankError) -> None:
            nonlocal number
            number += 1
            if portion.includes(number):
                self._note(self.left_out, f"{portion.name}:{error.line}", error.reason)

        def mend(error: TreebankError) -> None:
            if portion.includes(number + 1):  # the error comes before its sentence is complete
                self._note(self.mended, f"{portion.name}:{error.line}", error.reason)

        try:
            for tree in recipe.read(portion, leave_out, mend):
                number += 1
                if portion.includes(number):
                    yield number, tree
        except NoTreesError:
            self._note(self.left_out, portion.name, NO_SENTENCES)

    def _why_left_out(self, tree: Tree) -> str | None:
        """The reason why the tree can't be written, if there is one."""
        if not tree.tokens:
            return "no word is left"
        if self.settings.format == "export" and constituent_count(tree) > MAX_CONSTITUENTS:
            return f"it has more than {MAX_CONSTITUENTS} constituents, which the export format can't number"
        return None

    def _named(self, tree: Tree, portion: Portion, number: int) -> Tree:
        """Keep the ids of formats that have ids; number other sentences and, in export, note their origin."""
        if portion.format != "bracket":
            return replace(tree, comment=None)
        origin = f"{portion.name}, sentence {number}" if self.settings.format == "export" else None
        return replace(tree, id=str(self.tally.sentences), comment=origin)

    def _note(self, remarks: list[Remark], sentence: str, reason: str) -> None:
        remarks.append(Remark(self.split, sentence, reason))


def _last_steps(settings: Settings) -> Iterator[Transform]:
    """What the user asked for; functions tell heads, so they are dropped after trees are made continuous."""
    method = settings.continuous
    if method is not None:
        description = f"discontinuous trees are made continuous (method: {method})"
        yield Transform(description, lambda tree: tree.continuous(method), makes_continuous=True)
    if not settings.keeps_annotations:
        yield DROP_ANNOTATIONS


def _refuse_leftovers(folder: Path, names: list[str]) -> None:
    """An old file of a split that this source lacks would look as if it had been made with the others."""
    for name in names:
        if (folder / name).exists():
            raise TreebankError(
                f"{name} is from another run, and this source has no such split; delete it or choose another folder",
                str(folder),
            )


def _card(
    recipe: Recipe,
    found: Distribution,
    settings: Settings,
    steps: tuple[Transform, ...],
    records: dict[str, SplitRecord],
    readers: list[_SplitReader],
) -> Card:
    missing = {split: list(names) for split, names in found.missing.items()}
    for split, portions in found.portions.items():
        if split not in records:  # the files exist, but are too short
            missing.setdefault(split, []).extend(f"its sentences of {portion.name}" for portion in portions)
    return Card(
        recipe=recipe.name,
        title=recipe.title,
        language=recipe.language,
        rules=recipe.rules,
        licence=recipe.licence,
        address=recipe.address,
        discoseq=discoseq.__version__,
        source=record_source(portion for portions in found.portions.values() for portion in portions),
        settings={
            "format": settings.format,
            "moved": list(settings.moved) if recipe.has_traces else [],
            "keeps_annotations": settings.keeps_annotations,
            "continuous": settings.continuous or "no",
            **({} if settings.sections is None else {"sections": [*map(_spell, settings.sections.items())]}),
        },
        steps=[step.description for step in steps],
        splits=records,
        missing=missing,
        left_out=[remark for reader in readers for remark in reader.left_out],
        mended=[remark for reader in readers for remark in reader.mended],
        made_continuous=sum(reader.made_continuous for reader in readers),
        warnings=list(_warnings(recipe, settings, missing, records)),
    )


def _spell(sections: tuple[str, tuple[int, ...]]) -> str:
    return f"{sections[0]}={'+'.join(f'{number:02}' for number in sections[1])}"


def _warnings(
    recipe: Recipe, settings: Settings, missing: dict[str, list[str]], records: dict[str, SplitRecord]
) -> Iterator[str]:
    for split, record in records.items():
        if split not in missing and record.expected_sentences not in (None, record.sentences):
            yield f"{split} has {record.sentences:,} sentences; {record.expected_sentences:,} were expected"
    has_gaps = recipe.has_gaps and settings.continuous is None
    if has_gaps and not any(record.discontinuous.sentences for record in records.values()):
        yield "no sentence is discontinuous; this source may be a continuous version of the corpus"
