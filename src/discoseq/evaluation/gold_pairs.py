"""Pairing parses with gold trees, in memory and in treebank files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeAlias, cast

from discoseq.errors import EvaluationError, TreebankError
from discoseq.evaluation.evalb import EvalbRules, EvalbSentence
from discoseq.treebanks.brackets import read_bracket, read_discbracket
from discoseq.treebanks.files import Format, format_named, guess_format, read_trees
from discoseq.treebanks.streams import STANDARD_STREAM, Source, open_source
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.escapes import NONE
from discoseq.trees.tree import Tree

# the name of a sentence for messages, its gold tree, and its parse if it has one
Pair: TypeAlias = tuple[str, Tree, Tree | None]
OnNote: TypeAlias = Callable[[str], None]

_NUMBERED = ("bracket", "discbracket")  # formats whose sentence ids are line numbers


class PairBy(StrEnum):
    """How parses are paired with gold trees."""

    ID = "id"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A treebank file and how to read it; without a format, it is guessed."""

    path: str | Path
    format: str | None = None
    encoding: str | None = None

    @property
    def is_folder(self) -> bool:
        return str(self.path) != STANDARD_STREAM and Path(self.path).is_dir()

    def find_format(self, source: Source) -> Format:
        return format_named(self.format) if self.format else guess_format(source)


def pair_in_order(gold: Iterable[Tree], predicted: Iterable[Tree]) -> Iterator[Pair]:
    """Pair the first parse with the first gold tree, and so on."""
    for number, (one, two) in enumerate(zip_longest(gold, predicted), 1):
        if one is None:
            raise EvaluationError(f"sentence {number}: there is a parse but no gold tree")
        yield one.id or str(number), one, two


def pair_by_id(gold: Iterable[Tree], predicted: Iterable[Tree]) -> Iterator[Pair]:
    """Pair trees with equal ids in the order of the parses, then yield the gold trees without a parse.

    Gold trees are kept only until their parse comes, so files in the same order are read side by side.
    """
    waiting: dict[str, Tree] = {}
    rest = iter(gold)
    for tree in predicted:
        name = str(tree.id)
        while name not in waiting:
            other = next(rest, None)
            if other is None:
                raise EvaluationError(f"sentence {name}: there is a parse but no gold tree left with this id")
            if str(other.id) in waiting:
                raise EvaluationError(f"sentence {other.id}: there are two gold trees with this id")
            waiting[str(other.id)] = other
        yield name, waiting.pop(name), tree
    for tree in chain(waiting.values(), rest):
        yield str(tree.id), tree, None


def pair_files(gold: TreeFile, predicted: TreeFile, pair_by: PairBy, on_note: OnNote) -> Iterator[Pair]:
    """Pair the trees of two files, read as disco-dop reads them."""
    gold_format, gold_trees = _open_trees(gold, on_note)
    predicted_format, predicted_trees = _open_trees(predicted, on_note)
    if pair_by is PairBy.ORDER or gold_format is None or predicted_format is None:
        return pair_in_order(gold_trees, predicted_trees)  # ids are not unique over the files of a folder
    if (gold_format in _NUMBERED) != (predicted_format in _NUMBERED):
        raise EvaluationError(
            f"{gold.path} is {gold_format} and {predicted.path} is {predicted_format}, and only one of these formats "
            "has sentence ids; pair the trees by order, or convert one file"
        )
    return pair_by_id(gold_trees, predicted_trees)


def read_evalb_sentences(file: TreeFile, rules: EvalbRules) -> Iterator[EvalbSentence]:
    """Read bracket files line by line, as EVALB does, and all other files tree by tree."""
    if file.is_folder:
        yield from rules.from_trees(read_trees(file.path, file.format, file.encoding))
        return
    with open_source(file.path) as source:
        tree_format = file.find_format(source)
        if tree_format.name == "bracket":
            for number, line in enumerate(source.lines(file.encoding), 1):
                yield rules.read_line(line, f"{source.name}:{number}")
        else:
            yield from rules.from_trees(map(_tree, tree_format.read(source, file.encoding)))


def _open_trees(file: TreeFile, on_note: OnNote) -> tuple[str | None, Iterator[Tree]]:
    """The format of a file and its trees; the files of a folder may have different formats."""
    if file.is_folder:
        return None, read_trees(file.path, file.format, file.encoding)
    # The file is open as long as the generator is in use, so the format has to come from the same generator.
    items = _read_format_and_trees(file, on_note)
    return cast(Format, next(items)).name, cast(Iterator[Tree], items)


def _read_format_and_trees(file: TreeFile, on_note: OnNote) -> Iterator[Format | Tree]:
    with open_source(file.path) as source:
        tree_format = file.find_format(source)
        yield tree_format
        if tree_format.name in _NUMBERED:
            yield from _read_brackets(source, tree_format.name, file.encoding, on_note)
            return
        for item in tree_format.read(source, file.encoding):
            tree = _tree(item)
            yield tree if tree.id else replace(tree, id=Path(file.path).stem)


def _read_brackets(source: Source, format: str, encoding: str | None, on_note: OnNote) -> Iterator[Tree]:
    lines = _BracketLines(source.lines(encoding), is_line_a_tree=format == "discbracket")
    read = read_discbracket if format == "discbracket" else read_bracket
    has_noted = False
    for item in read(lines):
        tree = _tree(item)
        if not lines.has_placeholder and any(token.tag is None for token in tree.tokens):
            tree = _brackets_to_tags(tree, str(tree.id))
            if not has_noted:
                on_note(f"{source.name}: from sentence {tree.id} on, a bracket directly over words is read as a tag")
            has_noted = True
        yield tree


def _brackets_to_tags(tree: Tree, name: str) -> Tree:
    """Turn every bracket over words without tags, as in `(VP 0=is 2=rich)`, into their tag, as disco-dop does."""
    draft = Draft.of(tree)
    for node, children in enumerate(draft.children()):
        untagged = [child for child in children if child >= 0 and tree.tokens[child].tag is None]
        if not untagged:
            continue
        constituent = -1 - node
        if constituent == ROOT or len(untagged) < len(children):
            raise EvaluationError(
                f"sentence {name}: the word {tree.tokens[untagged[0]].word!r} has no tag, so it is not clear whether "
                f"{draft.labels[node] or 'the bracket over it'} is a constituent or a tag"
            )
        for child in untagged:
            draft.tokens[child] = replace(draft.tokens[child], tag=draft.labels[node], function=draft.functions[node])
            draft.attach(child, draft.parent(constituent))
    return draft.freeze(tree.id, tree.comment)


class _BracketLines:
    """The lines of a bracket file, checked for blank lines and for the placeholder of missing tags."""

    def __init__(self, lines: Iterable[str], is_line_a_tree: bool) -> None:
        self._lines = lines
        self._is_line_a_tree = is_line_a_tree
        self.has_placeholder = False  # if missing tags are marked, a bracket directly over words is a constituent

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines, 1):
            if self._is_line_a_tree and line.isspace():
                raise TreebankError("the line is blank, but trees are paired by line number; remove it", line=number)
            self.has_placeholder = self.has_placeholder or f"({NONE} " in line
            yield line


def _tree(item: Tree | TreebankError) -> Tree:
    if isinstance(item, TreebankError):
        raise item
    return item
