"""Candidates as text: treebank formats, JSON and drawings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from discoseq.errors import ParserError
from discoseq.treebanks.brackets import write_discbracket
from discoseq.treebanks.files import FORMATS, format_of_path
from discoseq.treebanks.json_lines import constituent_json
from discoseq.trees.dictionaries import flat_fields
from discoseq.trees.drawing import draw_svg, draw_text
from discoseq.trees.tree import Constituent, Tree

if TYPE_CHECKING:  # it needs torch, and what is asked for is checked before torch is loaded
    from discoseq.decoding.decode import Candidate

PICTURES = {"text": ".txt", "svg": ".svg"}  # with their suffixes
OUTPUTS = (*FORMATS, *PICTURES)
WITH_COMMENTS = ("discbracket", "export", "export3", "alpino")  # formats that can hold scores

_DEFAULT_FORMAT = "discbracket"
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a sentence is from, so that its trees lead back to the text."""

    file: str | None  # None if the text is no file
    number: int  # of the sentence in its file, from 1
    text: str | None = None  # None in a treebank, which has only words
    start: int = 0  # of the text, in characters from the beginning of the file
    offsets: tuple[tuple[int, int], ...] = ()  # start and end of every word, likewise


@dataclass(frozen=True, slots=True)
class Result:
    """The candidates of a sentence that are written, and all those that confidences are computed from."""

    id: str
    written: list[Candidate]
    found: list[Candidate]
    origin: Origin | None = None


def check_output(format: str, has_scores: bool) -> None:
    """Refuse a format that does not exist, and one without room for scores where there are scores."""
    if format not in OUTPUTS:
        raise ParserError(f"there is no format {format!r}; the formats are {', '.join(OUTPUTS)}")
    if has_scores and format not in (*WITH_COMMENTS, "json", "text"):
        raise ParserError(f"{format} can't hold scores; use one of json, text, {', '.join(WITH_COMMENTS)}")


def format_of_output(path: str) -> str:
    """The format by the suffix of a file; a drawing as text has to be asked for by name."""
    by_suffix = format_of_path(path)
    if by_suffix is not None:
        return by_suffix.name
    return "svg" if path.endswith(".svg") else _DEFAULT_FORMAT


def output_suffix(format: str) -> str:
    """The usual suffix of a format's files."""
    return PICTURES[format] if format in PICTURES else FORMATS[format].suffixes[0]


def render(results: Iterable[Result], format: str, has_scores: bool, width: int | None = None) -> Iterator[str]:
    """The text of a file, piece by piece."""
    check_output(format, has_scores)
    if format == "json":
        return _json_lines(results, has_scores)
    trees = _trees(results, has_scores)
    if format == "text":
        return _drawings(trees, width)
    return _only_drawing(trees) if format == "svg" else FORMATS[format].write(trees)


def _trees(results: Iterable[Result], has_scores: bool) -> Iterator[Tree]:
    for result in results:
        for rank, candidate in enumerate(result.written, 1):
            name = f"{result.id}-{rank}" if len(result.written) > 1 else result.id
            comment = _scores(candidate, result.found) if has_scores and candidate.tree.tokens else None
            yield replace(candidate.tree, id=name, comment=comment)


def confidences(tree: Tree, candidates: Sequence[Candidate]) -> list[tuple[Constituent, float]]:
    """The constituents of a tree, parents before children, each with a number from 0 to 1.

    It is the summed share of all candidates that have a constituent of this label over these words.
    """
    support: defaultdict[tuple[str, int], float] = defaultdict(float)
    for candidate in candidates:
        for bracket in {(constituent.label, constituent.cover) for constituent in candidate.tree.root.walk()}:
            support[bracket] += candidate.share
    # sums of rounded shares may exceed 1 a little
    return [(x, min(1.0, support[x.label, x.cover])) for x in tree.root.walk()]


def _scores(candidate: Candidate, found: list[Candidate]) -> str:
    numbers = ",".join(f"{confidence:.3f}" for _, confidence in confidences(candidate.tree, found))
    return f"log_probability={candidate.log_probability:.4f} share={candidate.share:.4f} confidences={numbers}"


def _drawings(trees: Iterable[Tree], width: int | None) -> Iterator[str]:
    for tree in trees:
        comment = f"  {tree.comment}" if tree.comment else ""
        yield f"# {tree.id}{comment}\n{draw_text(tree, width=width)}\n"


def _only_drawing(trees: Iterator[Tree]) -> Iterator[str]:
    tree = next(trees, None)
    if next(trees, None) is not None:
        raise ParserError("svg holds one tree, and there are more; use another format and `discoseq draw`")
    if tree is not None:
        yield draw_svg(tree)


def _json_lines(results: Iterable[Result], has_scores: bool) -> Iterator[str]:
    for result in results:
        for rank, candidate in enumerate(result.written, 1):
            yield _json(result, rank, candidate, has_scores) + "\n"


def _json(result: Result, rank: int, candidate: Candidate, has_scores: bool) -> str:
    tree = replace(candidate.tree, comment=None)
    fields = {
        "id": json.dumps(result.id, ensure_ascii=False),
        "rank": str(rank),
        **_origin_fields(result.origin),
        **{name: json.dumps(value, ensure_ascii=False) for name, value in flat_fields(replace(tree, id=None)).items()},
        "tree": json.dumps("".join(write_discbracket([tree])).rstrip("\n"), ensure_ascii=False),
        "root": constituent_json(tree.root),
        "log_probability": str(round(candidate.log_probability, _DIGITS)),
    }
    if has_scores:
        fields["share"] = str(round(candidate.share, _DIGITS))
        number = {id(x): f', "confidence": {round(y, _DIGITS)}' for x, y in confidences(tree, result.found)}
        fields["root"] = constituent_json(tree.root, lambda constituent: number[id(constituent)])
    return "{" + ", ".join(f'"{name}": {text}' for name, text in fields.items()) + "}"


def _origin_fields(origin: Origin | None) -> dict[str, str]:
    if origin is None:
        return {}
    fields: dict[str, object] = {} if origin.file is None else {"file": origin.file}
    fields["number"] = origin.number
    if origin.text is not None:
        fields |= {"text": origin.text, "start": origin.start, "end": origin.start + len(origin.text)}
        fields["offsets"] = origin.offsets
    return {name: json.dumps(value, ensure_ascii=False) for name, value in fields.items()}
