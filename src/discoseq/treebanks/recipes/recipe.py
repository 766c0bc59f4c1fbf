"""What a recipe is: where a distribution keeps its splits, what is done to its trees, what is known about it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from discoseq.errors import TreebankError
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.traces import MOVED_TYPES
from discoseq.trees.tree import Tree

SPLITS = ("train", "dev", "test")

Report: TypeAlias = Callable[[TreebankError], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user may choose."""

    format: str = "discbracket"
    moved: tuple[str, ...] = MOVED_TYPES  # the types of traces that are moved, where there are traces
    keeps_annotations: bool = False  # functions, lemmas, morphology, secondary edges


def every_sentence(number: int) -> bool:
    """Take the whole file."""
    return number > 0


@dataclass(frozen=True, slots=True)
class Portion:
    """The sentences of one file that are in one split."""

    path: Path
    name: str  # as the card and messages say it: the path from the source on
    format: str
    encoding: str | None = None
    includes: Callable[[int], bool] = every_sentence  # by the number of the sentence in the file, from 1


@dataclass(frozen=True, slots=True)
class Layout:
    """What of a distribution was found."""

    portions: Mapping[str, tuple[Portion, ...]]  # by split; a split of which nothing is there is left out
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by split, what was not found


@dataclass(frozen=True, slots=True)
class Step:
    """A change to every tree, and how the card puts it."""

    description: str
    apply: Callable[[Tree], Tree]


def read_portion(portion: Portion, on_bad: Report, on_mended: Report) -> Iterator[Tree]:
    """All trees of the file, none of them mended: only a corpus with known faults has its own way of reading."""
    return read_trees(portion.path, portion.format, portion.encoding, on_bad)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A known corpus."""

    name: str
    title: str
    language: str
    licence: str
    address: str  # where to get it
    expected: str  # what SOURCE has to be, as the end of a sentence
    sizes: Mapping[str, int]  # the known number of sentences of each split, for a warning where it differs
    locate: Callable[[Path], Layout]
    steps: Callable[[Settings], tuple[Step, ...]]
    read: Callable[[Portion, Report, Report], Iterator[Tree]] = read_portion
    has_traces: bool = False  # so that Settings.moved matters
    has_gaps: bool = True
