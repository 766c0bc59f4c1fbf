"""Scoring treebank files of any format, and EVALB's line by line reading of bracket files."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from discoseq.errors import EvaluationError, TreebankError
from discoseq.evaluation.bare_words import has_bare_words, with_tags_for_phrases
from discoseq.evaluation.evalb import EvalbRules
from discoseq.evaluation.evalb_sentence import EvalbSentence
from discoseq.evaluation.pairing import Missing, PairBy, pair_by_id, pair_in_order
from discoseq.evaluation.parameters import Parameters
from discoseq.evaluation.scores import Scores
from discoseq.evaluation.scoring import Notes, Tell, score_pairs, settings_for, summarize
from discoseq.evaluation.sentence import SentenceResult
from discoseq.treebanks.brackets import read_bracket, read_discbracket
from discoseq.treebanks.escapes import NONE
from discoseq.treebanks.files import Format, format_named, guess_format, read_trees
from discoseq.treebanks.streams import STANDARD_STREAM, Source, open_source
from discoseq.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of trees and how to read it; the format is guessed where it is not said."""

    path: str | Path
    format: str | None = None
    encoding: str | None = None


def evaluate_files(
    gold: TreeFile,
    predicted: TreeFile,
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    pair_by: PairBy = PairBy.ID,
) -> Scores:
    """Score a file of parses against a file of gold trees."""
    notes = Notes()
    results = score_files(gold, predicted, rules, parameters, missing, pair_by, notes.add)
    return summarize(results, rules, parameters, notes)


def score_files(
    gold: TreeFile,
    predicted: TreeFile,
    rules: str = "disco",
    parameters: Parameters | None = None,
    missing: Missing = Missing.ERROR,
    pair_by: PairBy = PairBy.ID,
    tell: Tell = lambda note: None,
) -> Iterator[SentenceResult]:
    """The results of every sentence, one at a time."""
    settings = settings_for(rules, parameters)
    if str(gold.path) == str(predicted.path) == STANDARD_STREAM:
        raise EvaluationError("gold and parse can't both be standard input")
    if rules == "evalb":
        if settings.deleted_words:
            tell("EVALB does not know DELETE_WORD, so it has no effect")
        evalb = EvalbRules(settings)
        return evalb.score_all(_evalb_sentences(gold, evalb), _evalb_sentences(predicted, evalb), missing, tell)
    gold_format, gold_trees = _open_trees(gold, tell)
    predicted_format, predicted_trees = _open_trees(predicted, tell)
    if pair_by is PairBy.ORDER or gold_format is None or predicted_format is None:
        pairs = pair_in_order(gold_trees, predicted_trees)  # the files of a folder may each begin with sentence 1
    elif (gold_format in _NUMBERED) != (predicted_format in _NUMBERED):
        raise EvaluationError(
            f"sentence 1: {gold.path} is {gold_format} and {predicted.path} is {predicted_format}, and only one of "
            "these formats has sentence ids to pair by; pair by order, or convert one file"
        )
    else:
        pairs = pair_by_id(gold_trees, predicted_trees)
    return score_pairs(pairs, settings, missing, tell)


_NUMBERED = ("bracket", "discbracket")  # formats whose ids are line numbers


def _open_trees(file: TreeFile, tell: Tell) -> tuple[str | None, Iterator[Tree]]:
    """The format of a file and its trees as disco-dop would see them; a folder has no one format."""
    if _is_folder(file):
        return None, read_trees(file.path, file.format, file.encoding)
    # The file stays open as long as its trees are wanted, so the format has to come out of the same generator.
    readings = _read_trees(file, tell)
    return cast(Format, next(readings)).name, cast(Iterator[Tree], readings)


def _read_trees(file: TreeFile, tell: Tell) -> Iterator[Format | Tree]:
    with open_source(file.path) as source:
        reader = _reader(file, source)
        yield reader
        if reader.name in _NUMBERED:
            yield from _read_brackets(source, reader.name, file.encoding, tell)
            return
        for reading in reader.read(source, file.encoding):
            tree = _tree(reading)
            yield tree if tree.id else replace(tree, id=Path(file.path).stem)


def _read_brackets(source: Source, format: str, encoding: str | None, tell: Tell) -> Iterator[Tree]:
    lines = _WatchedLines(source.lines(encoding), is_line_a_tree=format == "discbracket")
    read = read_discbracket if format == "discbracket" else read_bracket
    has_told = False
    for reading in read(lines):
        tree = _tree(reading)
        if not lines.has_placeholder and has_bare_words(tree):
            tree = with_tags_for_phrases(tree, str(tree.id))
            if not has_told:
                tell(f"{source.name}: from sentence {tree.id} on, a bracket straight over words is taken for a tag")
            has_told = True
        yield tree


def _evalb_sentences(file: TreeFile, rules: EvalbRules) -> Iterator[EvalbSentence]:
    """Bracket files line by line, as EVALB reads them; the trees of any other file."""
    if _is_folder(file):
        yield from rules.views(read_trees(file.path, file.format, file.encoding))
        return
    with open_source(file.path) as source:
        reader = _reader(file, source)
        if reader.name == "bracket":
            for number, line in enumerate(source.lines(file.encoding), 1):
                yield rules.read(line, f"{source.name}:{number}")
        else:
            yield from rules.views(map(_tree, reader.read(source, file.encoding)))


class _WatchedLines:
    """The lines of a file on their way to its reader, looked at for what the reader does not tell."""

    def __init__(self, lines: Iterable[str], is_line_a_tree: bool) -> None:
        self._lines = lines
        self._is_line_a_tree = is_line_a_tree
        self.has_placeholder = False  # whether words without a tag are marked as such, so that none is bare

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines, 1):
            if self._is_line_a_tree and line.isspace():
                raise TreebankError(
                    "a blank line stands where a tree should, so line numbers no longer pair", line=number
                )
            self.has_placeholder = self.has_placeholder or f"({NONE} " in line
            yield line


def _reader(file: TreeFile, source: Source) -> Format:
    return format_named(file.format) if file.format else guess_format(source)


def _is_folder(file: TreeFile) -> bool:
    return str(file.path) != STANDARD_STREAM and Path(file.path).is_dir()


def _tree(reading: Tree | TreebankError) -> Tree:
    if isinstance(reading, TreebankError):
        raise reading
    return reading
