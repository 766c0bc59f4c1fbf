"""Following a recipe: read the distribution, change its trees, write the splits and the card."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import discoseq
from discoseq.errors import TreebankError
from discoseq.treebanks.export import FIRST_NODE, LAST_NODE
from discoseq.treebanks.files import write_trees
from discoseq.treebanks.formats import format_named
from discoseq.treebanks.recipes.card import Card, Remark, SplitRecord, record_source, record_split
from discoseq.treebanks.recipes.recipe import SPLITS, Layout, Portion, Recipe, Settings, Step
from discoseq.treebanks.recipes.sources import not_expected
from discoseq.treebanks.recipes.staging import staged
from discoseq.treebanks.recipes.steps import DROP_ANNOTATIONS
from discoseq.treebanks.recipes.tally import Tally
from discoseq.trees.tree import Tree

CARD = "card.json"

# shows progress: trees as they come, a description and how many there will be
Track: TypeAlias = Callable[[Iterable[Tree], str, int | None], Iterable[Tree]]


def prepare(recipe: Recipe, source: Path, folder: Path, settings: Settings, track: Track | None = None) -> Card:
    """Write train, dev and test, those that the source has, and the card into the folder, all of them or none."""
    layout = recipe.locate(source)
    if not layout.portions:
        raise not_expected(source, recipe.expected)
    names = {split: split + format_named(settings.format).suffixes[0] for split in SPLITS}
    _refuse_leftovers(folder, [names[split] for split in SPLITS if split not in layout.portions])
    steps = (*recipe.steps(settings), *(() if settings.keeps_annotations else (DROP_ANNOTATIONS,)))
    passages = {split: _Passage(split, settings, steps) for split in SPLITS if split in layout.portions}
    records: dict[str, SplitRecord] = {}
    with staged(folder, CARD) as stage:
        for split, passage in passages.items():
            size = recipe.sizes.get(split)
            trees: Iterable[Tree] = passage.trees(recipe, layout.portions[split])
            write_trees(track(trees, split, size) if track else trees, stage / names[split], settings.format)
            if passage.tally.sentences:
                records[split] = record_split(stage / names[split], passage.tally, size)
            else:
                (stage / names[split]).unlink()
        if not records:
            raise not_expected(source, recipe.expected, "there is no sentence of train, dev or test in it")
        _refuse_leftovers(folder, [names[split] for split in SPLITS if split not in records])
        card = _card(recipe, layout, settings, steps, records, list(passages.values()))
        (stage / CARD).write_text(card.to_json(), "utf-8")
    return card


@dataclass(slots=True)
class _Passage:
    """The way of one split's sentences through the steps."""

    split: str
    settings: Settings
    steps: tuple[Step, ...]
    tally: Tally = field(default_factory=Tally)
    left_out: list[Remark] = field(default_factory=list)
    mended: list[Remark] = field(default_factory=list)

    def trees(self, recipe: Recipe, portions: tuple[Portion, ...]) -> Iterator[Tree]:
        for portion in portions:
            for number, tree in self._read(recipe, portion):
                for step in self.steps:
                    tree = step.apply(tree)
                reason = self._obstacle(tree)
                if reason:
                    self._note(self.left_out, f"{portion.name}, sentence {number}", reason)
                    continue
                self.tally.add(tree)
                yield self._named(tree, portion, number)

    def _read(self, recipe: Recipe, portion: Portion) -> Iterator[tuple[int, Tree]]:
        """The sentences of the split with their numbers in the file, in which bad ones count."""
        number = 0

        def leave_out(error: TreebankError) -> None:
            nonlocal number
            number += 1
            if portion.includes(number):
                self._note(self.left_out, f"{portion.name}:{error.line}", error.reason)

        def mend(error: TreebankError) -> None:
            if portion.includes(number + 1):  # it is found before its sentence is complete
                self._note(self.mended, f"{portion.name}:{error.line}", error.reason)

        for tree in recipe.read(portion, leave_out, mend):
            number += 1
            if portion.includes(number):
                yield number, tree

    def _obstacle(self, tree: Tree) -> str | None:
        """Why the tree can't be written."""
        if not tree.tokens:
            return "no word is left"
        most = LAST_NODE - FIRST_NODE + 1
        if self.settings.format == "export" and sum(1 for _ in tree.root.walk()) - 1 > most:
            return f"it has more than {most} constituents, which the export format can't number"
        return None

    def _named(self, tree: Tree, portion: Portion, number: int) -> Tree:
        """Keep the ids of a format that has them; number the others, and say where they are from if there is room."""
        if portion.format != "bracket":
            return replace(tree, comment=None)
        origin = f"{portion.name}, sentence {number}" if self.settings.format == "export" else None
        return replace(tree, id=str(self.tally.sentences), comment=origin)

    def _note(self, remarks: list[Remark], place: str, reason: str) -> None:
        remarks.append(Remark(self.split, place, reason))


def _refuse_leftovers(folder: Path, names: list[str]) -> None:
    """A split that this source lacks must not lie beside the others as if it were made with them."""
    for name in names:
        if (folder / name).exists():
            raise TreebankError(
                f"{name} is there from another run, and this source has none; take it away or choose another folder",
                str(folder),
            )


def _card(
    recipe: Recipe,
    layout: Layout,
    settings: Settings,
    steps: tuple[Step, ...],
    records: dict[str, SplitRecord],
    passages: list[_Passage],
) -> Card:
    missing = {split: list(names) for split, names in layout.missing.items()}
    for split, portions in layout.portions.items():
        if split not in records:  # the files are there, but too short
            missing.setdefault(split, []).extend(f"its sentences of {portion.name}" for portion in portions)
    return Card(
        recipe=recipe.name,
        title=recipe.title,
        language=recipe.language,
        licence=recipe.licence,
        address=recipe.address,
        discoseq=discoseq.__version__,
        source=record_source(portion for portions in layout.portions.values() for portion in portions),
        settings={
            "format": settings.format,
            "moved": list(settings.moved) if recipe.has_traces else [],
            "keeps_annotations": settings.keeps_annotations,
        },
        steps=[step.description for step in steps],
        splits=records,
        missing=missing,
        left_out=[remark for passage in passages for remark in passage.left_out],
        mended=[remark for passage in passages for remark in passage.mended],
        warnings=list(_warnings(recipe, missing, records)),
    )


def _warnings(recipe: Recipe, missing: dict[str, list[str]], records: dict[str, SplitRecord]) -> Iterator[str]:
    for split, record in records.items():
        if split not in missing and record.expected_sentences not in (None, record.sentences):
            yield f"{split} has {record.sentences:,} sentences, but {record.expected_sentences:,} are expected of it"
    if recipe.has_gaps and not any(record.discontinuous.sentences for record in records.values()):
        yield "no sentence is discontinuous; this source may have lost what makes them so"
