"""What the server answers: trees and candidates as JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pydantic import BaseModel, Field

from discoseq.decoding.decode import Candidate
from discoseq.errors import DiscoseqError
from discoseq.parser.output import confidences
from discoseq.treebanks.files import format_trees
from discoseq.trees.drawing import draw_svg, draw_tikz
from discoseq.trees.notation import one_line
from discoseq.trees.tree import Constituent, Tree
from discoseq.web.requests import Drawing, InputSentence

ALL_DRAWINGS = frozenset(Drawing)


class Problem(BaseModel):
    """Why a request was not fulfilled."""

    detail: str = Field(description="One sentence.")


class Health(BaseModel):
    """That the server answers."""

    status: str


class ModelAnswer(BaseModel):
    """A model that the server has loaded."""

    name: str
    language: str
    linearization: str
    version: str | None
    licence: str | None
    is_default: bool


class ModelsAnswer(BaseModel):
    """All models that the server has loaded."""

    models: list[ModelAnswer]


class ConstituentAnswer(BaseModel):
    """A constituent; numbers count parents before children, and the root is 0."""

    number: int
    parent: int | None
    label: str
    function: str | None
    words: list[int] = Field(description="The indices of its words.")
    blocks: list[tuple[int, int]] = Field(
        description="Start and end of every sequence of adjacent words; end exclusive."
    )
    is_discontinuous: bool
    confidence: float | None = Field(description="From 0 to 1: how far the candidates agree; null without candidates.")


class TreeAnswer(BaseModel):
    """A tree, and the drawings that were asked for."""

    words: list[str]
    tags: list[str | None]
    discbracket: str
    constituents: list[ConstituentAnswer]
    gap_degree: int
    svg: str | None = None
    tikz: str | None = None
    latex: str | None = None  # a complete document
    export: str | None = Field(default=None, description="null if export can't hold the tree")


class CandidateAnswer(BaseModel):
    """One of the best trees of a sentence."""

    rank: int
    log_probability: float
    share: float = Field(description="Of the probability that all candidates of the sentence have together.")
    tree: TreeAnswer


class SentenceAnswer(BaseModel):
    """A sentence and its trees, best first."""

    text: str | None
    words: list[str]
    candidates: list[CandidateAnswer]


class ParseAnswer(BaseModel):
    """The sentences of a request, in order."""

    model: str
    language: str
    sentences: list[SentenceAnswer]


def to_json(answer: BaseModel) -> bytes:
    """The body of an answer; drawings that nobody asked for are left out."""
    return answer.model_dump_json(exclude_unset=True).encode()


def tree_answer(tree: Tree, include: Collection[Drawing] = (), confidence: Sequence[float] | None = None) -> TreeAnswer:
    """A tree with these drawings, and for every constituent its confidence if that is known."""
    constituents = list(tree.root.walk())
    parents = parent_numbers(constituents)
    answer = TreeAnswer(
        words=list(tree.words),
        tags=list(tree.tags),
        discbracket=one_line(tree, is_indexed=True),
        constituents=[
            ConstituentAnswer(
                number=number,
                parent=parents[number],
                label=constituent.label,
                function=constituent.function,
                words=list(constituent.tokens),
                blocks=list(constituent.blocks),
                is_discontinuous=constituent.is_discontinuous,
                confidence=None if confidence is None else confidence[number],
            )
            for number, constituent in enumerate(constituents)
        ],
        gap_degree=tree.gap_degree,
    )
    if Drawing.SVG in include:
        answer.svg = draw_svg(tree)
    if Drawing.TIKZ in include:
        answer.tikz = draw_tikz(tree)
    if Drawing.LATEX in include:
        answer.latex = draw_tikz(tree, standalone=True)
    if Drawing.EXPORT in include:
        answer.export = _export(tree)
    return answer


def parent_numbers(constituents: Sequence[Constituent]) -> list[int | None]:
    """The number of the parent of every constituent, from those of a tree, parents before children."""
    numbers = {id(constituent): number for number, constituent in enumerate(constituents)}
    parents: list[int | None] = [None] * len(constituents)
    for number, constituent in enumerate(constituents):
        for child in constituent.children:
            if not isinstance(child, int):
                parents[numbers[id(child)]] = number
    return parents


def parse_answer(
    model: str,
    language: str,
    sentences: Sequence[InputSentence],
    found: Sequence[Sequence[Candidate]],
    nbest: int,
    is_compared: bool,
    include: Collection[Drawing],
) -> ParseAnswer:
    """The `nbest` first candidates of every sentence; if they are compared, all of them count for the confidences."""
    return ParseAnswer(
        model=model,
        language=language,
        sentences=[
            SentenceAnswer(
                text=sentence.text,
                words=list(sentence.words),
                candidates=[
                    _candidate(rank, candidate, candidates if is_compared else [], include)
                    for rank, candidate in enumerate(candidates[:nbest], 1)
                ],
            )
            for sentence, candidates in zip(sentences, found, strict=True)
        ],
    )


def _candidate(
    rank: int, candidate: Candidate, compared: Sequence[Candidate], include: Collection[Drawing]
) -> CandidateAnswer:
    numbers = [x for _, x in confidences(candidate.tree, compared)] if compared else None
    return CandidateAnswer(
        rank=rank,
        log_probability=candidate.log_probability,
        share=candidate.share,
        tree=tree_answer(candidate.tree, include, numbers),
    )


def _export(tree: Tree) -> str | None:
    try:
        return format_trees([tree], "export")
    except DiscoseqError:
        return None
