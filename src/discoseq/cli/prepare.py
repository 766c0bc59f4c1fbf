"""`discoseq prepare`: make train, dev and test sets from a corpus distribution."""

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from discoseq.cli.continuous import ContinuousOption, ContinuousTrees
from discoseq.cli.reading import track
from discoseq.treebanks.recipes.apply import NO_SENTENCES, RECIPES, apply_recipe, recipe_named
from discoseq.treebanks.recipes.card import CARD, Card, Remark
from discoseq.treebanks.recipes.recipe import SPLITS, Recipe, Settings
from discoseq.treebanks.traces import MOVED_TYPES

_MOST_SHOWN = 3
_SECTION_RANGE = re.compile(r"(\d\d?)(?:-(\d\d?))?")


class OutputFormat(StrEnum):
    """The formats a split can be written in; for bracket, trees are made continuous."""

    DISCBRACKET = "discbracket"
    EXPORT = "export"
    BRACKET = "bracket"


def prepare(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The name of a recipe; see `--list`, which needs no arguments.")
    ] = None,
    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="The corpus distribution: a folder or a file.")
    ] = None,
    outdir: Annotated[
        Path | None, typer.Argument(metavar="OUTDIR", help="The folder to write the splits and card.json to.")
    ] = None,
    to: Annotated[OutputFormat, typer.Option(help="Format of the splits.")] = OutputFormat.DISCBRACKET,
    moved: Annotated[
        str,
        typer.Option(help="Types of traces to which moved constituents are returned (dptb, craft, masc); '' for none."),
    ] = " ".join(MOVED_TYPES),
    keep_annotations: Annotated[
        bool,
        typer.Option("--keep-annotations", help="Keep functions, lemmas and morphology if the format has them."),
    ] = False,
    continuous: ContinuousOption = None,
    sections: Annotated[
        str | None,
        typer.Option(
            help="Sections of train, dev and test for ptb and dptb, e.g. train=00,dev=01 for a trial with NLTK's "
            "sample. Default: train=02-21,dev=22,test=23."
        ),
    ] = None,
    shows_list: Annotated[
        bool, typer.Option("--list", help="List the recipes with licence, size and address.")
    ] = False,
) -> None:
    """Make the train, dev and test sets of a known corpus with the splits and changes of the literature.

    Example: `discoseq prepare negra corpora/negra-corpus.export data/negra`
    """
    if shows_list:
        print("\n\n".join(_description(recipe) for recipe in RECIPES.values()))
        return
    if name is None or source is None or outdir is None:
        raise typer.BadParameter("give NAME, SOURCE and OUTDIR, or --list")
    continuous_trees = ContinuousTrees(continuous, to.value)
    method = continuous_trees.method
    settings = Settings(
        to.value,
        _types(moved),
        keep_annotations,
        _sections(sections) if sections else None,
        method.value if method else None,
    )
    card = apply_recipe(recipe_named(name), source, outdir, settings, track)
    _report(card, outdir)
    continuous_trees.changed = card.made_continuous
    continuous_trees.report()


def _types(moved: str) -> tuple[str, ...]:
    types = tuple(moved.replace(",", " ").split())
    wrong = next((name for name in types if not (name.startswith("*") and name.endswith("*"))), None)
    if wrong is not None:
        raise typer.BadParameter(f"{wrong} is not a type of trace; a type looks like *T*", param_hint="--moved")
    return types


def _sections(text: str) -> dict[str, tuple[int, ...]]:
    """The numbers of the sections of each split, from train=02-21,dev=22,24,test=23."""
    chosen: dict[str, tuple[int, ...]] = {}
    split = ""
    for part in text.replace(",", " ").split():
        name, _, numbers = part.rpartition("=")
        split = name or split
        match = _SECTION_RANGE.fullmatch(numbers)
        if split not in SPLITS or match is None:
            raise typer.BadParameter(f"{part} is not of the form train=02-21", param_hint="--sections")
        first, last = int(match[1]), int(match[2] or match[1])
        taken = {number for others in chosen.values() for number in others}
        if last < first or taken & set(range(first, last + 1)):
            raise typer.BadParameter(f"{part} names no section, or one that is already taken", param_hint="--sections")
        chosen[split] = (*chosen.get(split, ()), *range(first, last + 1))
    return chosen


def _description(recipe: Recipe) -> str:
    sizes = " / ".join(f"{recipe.sizes[split]:,}" if split in recipe.sizes else "?" for split in SPLITS)
    lines = [
        f"{recipe.name}: {recipe.title} ({recipe.language})",
        f"sentences  {sizes} (train / dev / test)",
        f"licence    {recipe.licence}",
        f"get it at  {recipe.address}",
        f"SOURCE is  {recipe.expected}",
    ]
    return "\n    ".join(lines)


def _report(card: Card, outdir: Path) -> None:
    """Print the splits to standard output, and what is missing or was left out to standard error."""
    for split, record in card.splits.items():
        counting, ignoring = record.discontinuous, record.discontinuous_ignoring_punctuation
        print(
            f"{split:5}  {record.sentences:7,} sentences  {record.tokens:9,} tokens  discontinuous: "
            f"{counting.sentences_percent:.1f} % counting punctuation, {ignoring.sentences_percent:.1f} % ignoring it  "
            f"{outdir / record.file}"
        )
    for split, files in card.missing.items():
        if split not in card.splits:
            print(f"{split} is missing; files not found: {_enumerate(files)}", file=sys.stderr)
        else:
            print(f"{split} is incomplete; files not found: {_enumerate(files)}", file=sys.stderr)
    _show_left_out(card.left_out)
    for remark in card.mended:
        print(f"mended: {remark}; the first is kept", file=sys.stderr)
    for warning in card.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"wrote {', '.join(record.file for record in card.splits.values())} and {CARD}", file=sys.stderr)


def _show_left_out(remarks: list[Remark]) -> None:
    """Print the first sentences for each reason; the card lists them all."""
    by_reason: dict[str, list[str]] = {}
    for remark in remarks:
        by_reason.setdefault(remark.reason, []).append(remark.place)
    for reason, sentences in by_reason.items():
        noun = "file" if reason == NO_SENTENCES else "sentence"
        count = f"{len(sentences):,} {noun}{'' if len(sentences) == 1 else 's'}"
        print(f"left out: {count} ({_enumerate(sentences)}): {reason}", file=sys.stderr)


def _enumerate(names: list[str]) -> str:
    shown = "; ".join(names[:_MOST_SHOWN])
    return f"{shown}; and {len(names) - _MOST_SHOWN:,} more, see {CARD}" if len(names) > _MOST_SHOWN else shown
