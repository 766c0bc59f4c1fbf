"""What a recipe is: the files of each split, the changes to the trees, and the facts about the corpus."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from discoseq.errors import TreebankError
from discoseq.treebanks.files import read_trees
from discoseq.treebanks.traces import MOVED_TYPES, resolve_traces
from discoseq.trees.draft import Draft
from discoseq.trees.punctuation import attach_to_neighbours, move
from discoseq.trees.transforms import add_root, drop_functions
from discoseq.trees.tree import Tree

SPLITS = ("train", "dev", "test")

Report: TypeAlias = Callable[[TreebankError], None]
Sections: TypeAlias = Mapping[str, tuple[int, ...]]  # the numbers of the sections of each split


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the user."""

    format: str = "discbracket"
    moved: tuple[str, ...] = MOVED_TYPES  # the types of traces that are resolved, if the corpus has traces
    keeps_annotations: bool = False  # functions, lemmas, morphology, secondary edges
    sections: Sections | None = None  # None: those of the literature
    continuous: str | None = None  # how discontinuous trees are made continuous; None: they are not


def every_sentence(number: int) -> bool:
    """Take the whole file."""
    return number > 0


@dataclass(frozen=True, slots=True)
class Portion:
    """The sentences of one file that are in one split."""

    path: Path
    name: str  # the path relative to the source, for the card and messages
    format: str
    encoding: str | None = None
    includes: Callable[[int], bool] = every_sentence  # by the number of the sentence in the file, from 1


@dataclass(frozen=True, slots=True)
class Distribution:
    """The files of a corpus that were found, and those that were not."""

    portions: Mapping[str, tuple[Portion, ...]]  # by split; a split without files is left out
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # file names by split


@dataclass(frozen=True, slots=True)
class Transform:
    """A change to every tree, and its description for the card."""

    description: str
    apply: Callable[[Tree], Tree]
    makes_continuous: bool = False  # the trees that it changes are counted


def read_portion(portion: Portion, on_bad: Report, on_mended: Report) -> Iterator[Tree]:
    """All trees of the file; only corpora with known errors have a reader of their own, which mends trees."""
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
    sizes: Mapping[str, int]  # sentences by split, for a warning if the number differs
    locate: Callable[[Path], Distribution]
    steps: Callable[[Settings], tuple[Transform, ...]]
    read: Callable[[Portion, Report, Report], Iterator[Tree]] = read_portion
    locate_sections: Callable[[Path, Sections], Distribution] | None = None  # for corpora in numbered sections
    has_traces: bool = False  # so that Settings.moved matters
    has_gaps: bool = True
    rules: str = "disco"  # by which parses of the corpus are scored in the literature


def give_root(label: str) -> Transform:
    return Transform(f"every tree has a root {label}", lambda tree: add_root(tree, label))


def drop_tagged(tags: Collection[str]) -> Transform:
    """Leave out tokens that are not words, by their tags."""

    def apply(tree: Tree) -> Tree:
        dropped = {i for i, token in enumerate(tree.tokens) if token.tag in tags}
        if not dropped:
            return tree
        draft = Draft.of(tree)
        draft.remove_tokens(dropped)
        return draft.freeze(tree.id, tree.comment)

    return Transform(f"tokens tagged {' or '.join(tags)} are left out", apply)


def return_to_traces(moved: tuple[str, ...]) -> Transform:
    description = "empty elements and indices are left out"
    if moved:
        description = f"co-indexed material is returned to its trace ({', '.join(moved)}); other {description}"
    return Transform(description, lambda tree: resolve_traces(tree, moved))


def change_words(description: str, change: Callable[[str], str]) -> Transform:
    def apply(tree: Tree) -> Tree:
        if all(change(word) == word for word in tree.words):
            return tree
        tokens = tuple(replace(token, word=change(token.word)) for token in tree.tokens)
        return replace(tree, tokens=tokens)

    return Transform(description, apply)


def _drop_annotations(tree: Tree) -> Tree:
    bare = drop_functions(tree)
    if all(token.lemma is None and token.morphology is None for token in bare.tokens):
        return bare
    return replace(bare, tokens=tuple(replace(token, lemma=None, morphology=None) for token in bare.tokens))


MOVE_PUNCTUATION = Transform("punctuation under the root is moved as by `discodop treetransforms --punct=move`", move)
ATTACH_ROOT_CHILDREN = Transform(
    "children of the root inside the sentence are attached as by treetools' root_attach", attach_to_neighbours
)
DROP_ANNOTATIONS = Transform("functions, lemmas, morphology and secondary edges are left out", _drop_annotations)
