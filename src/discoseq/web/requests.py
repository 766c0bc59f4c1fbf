"""What clients send: checked for its form here, and for its size before any work begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from io import StringIO
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from starlette.exceptions import HTTPException

from discoseq.parser.parser import DEFAULT_BEAM
from discoseq.text.sentences import read_sentences, split_sentences
from discoseq.text.tokenization import Language, tokenize
from discoseq.trees.tree import Tree
from discoseq.web.limits import Limits

_TOO_LARGE = 413
_INDEX = re.compile(r"\s([0-9]{1,6})=")  # of a leaf in discbracket


def _check_characters(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("a half of a surrogate pair is no character")
    return text


Text = Annotated[str, AfterValidator(_check_characters)]
Word = Annotated[Text, Field(min_length=1)]
Discbracket = Annotated[Text, Field(json_schema_extra={"format": "discbracket"})]
ModelName = Annotated[Text, Field(description="One of `/api/models`; by default the first of them.")]
Beam = Annotated[int, Field(ge=1, le=50, description="How widely to search; 1 is fastest.")]


class Format(StrEnum):
    """The form of an answer."""

    JSON = "json"
    DISCBRACKET = "discbracket"
    EXPORT = "export"
    SVG = "svg"


class Drawing(StrEnum):
    """What a tree in JSON can have besides."""

    SVG = "svg"
    TIKZ = "tikz"
    LATEX = "latex"
    EXPORT = "export"


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _exactly_one(*names: str) -> ConfigDict:
    """What the schema says of fields of which a request has one; `_check_one` checks it."""
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"oneOf": [{"required": [x]} for x in names]})


def _check_one(request: BaseModel, names: Sequence[str]) -> None:
    given = [name for name in names if name in request.model_fields_set]
    if len(given) != 1:
        found = f"has {' and '.join(given)}" if given else "has none of them"
        raise ValueError(f"a request has exactly one of {', '.join(names)}; this one {found}")


_TEXTS = ("text", "sentences", "tokens")


class ParseRequest(_Request):
    """Text to parse: a raw text, raw sentences, or the words of sentences."""

    model_config = _exactly_one(*_TEXTS)

    text: Text = Field(default="", description="Raw text; it is split into sentences and words.")
    sentences: list[Text] = Field(default=[], description="Raw sentences; each is split into words.")
    tokens: list[list[Word]] = Field(default=[], description="The words of every sentence.")
    model: ModelName = ""
    beam: Beam = DEFAULT_BEAM
    nbest: int = Field(default=1, ge=1, le=20, description="Trees of every sentence.")
    scores: bool = Field(
        default=False, description="Compare as many candidates as the beam holds, for shares and confidences."
    )
    format: Format = Field(default=Format.JSON, strict=False)
    include: list[Annotated[Drawing, Field(strict=False)]] = Field(
        default=[], description="More of every tree, in JSON."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_one(self, _TEXTS)
        if self.include and self.format is not Format.JSON:
            raise ValueError(f"include is for json, not for {self.format}")
        return self


_ONE_SENTENCE = ("text", "tokens", "discbracket")


class StepsRequest(_Request):
    """One sentence to parse, or a tree whose derivation is wanted."""

    model_config = _exactly_one(*_ONE_SENTENCE)

    text: Text = Field(default="", description="One raw sentence.")
    tokens: list[Word] = Field(default=[], description="The words of the sentence.")
    discbracket: Discbracket = Field(default="", description="A tree: the derivation by which training would build it.")
    model: ModelName = ""
    beam: Beam = DEFAULT_BEAM

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_one(self, _ONE_SENTENCE)
        return self


class DrawRequest(_Request):
    """A tree to draw."""

    discbracket: Discbracket = Field(examples=["(S (VP 0=Das 3=tun) 1=muss 2=man)"])


class CompareRequest(_Request):
    """A gold tree and a parse of the same words."""

    gold: Discbracket = Field(description="The gold tree in discbracket.")
    predicted: Discbracket = Field(description="The parse in discbracket.")


@dataclass(frozen=True, slots=True)
class InputSentence:
    """A sentence to parse, and the text it is from if that was given."""

    text: str | None
    words: tuple[str, ...]


def read_input(request: ParseRequest, rules: Language, limits: Limits) -> list[InputSentence]:
    """The sentences of a request; what is too large is refused before all of it is looked at."""
    if "text" in request.model_fields_set:
        read = (InputSentence(x.text, tuple(y.text for y in x.words)) for x in read_sentences(_lines(request), rules))
        return _checked(read, limits, "the text has no words")
    if "sentences" in request.model_fields_set:
        _check_count(len(request.sentences), limits)
        split = (InputSentence(text, _words(text, rules)) for text in request.sentences)
        return _checked(split, limits, "there are no sentences")
    _check_count(len(request.tokens), limits)
    return _checked((InputSentence(None, tuple(x)) for x in request.tokens), limits, "there are no sentences")


def read_sentence(request: StepsRequest, rules: Language, limits: Limits) -> InputSentence:
    """The one sentence of a request."""
    if "tokens" in request.model_fields_set:
        sentence = InputSentence(None, tuple(request.tokens))
    else:
        count = len(split_sentences(request.text, rules))
        if count > 1:
            raise HTTPException(422, f"the text seems to have {count} sentences; send one, or its words as tokens")
        sentence = InputSentence(request.text, _words(request.text, rules))
    return _checked([sentence], replace(limits, words=limits.step_words), "")[0]


def read_tree(text: str, limits: Limits, name: str) -> Tree:
    """A tree in brackets; what it costs to read is seen from the text, because it grows faster than the tree."""
    if text.count("(") > limits.brackets:
        raise HTTPException(_TOO_LARGE, f"{name} has more than {limits.brackets:,} brackets, which is the limit")
    too_many_words = HTTPException(_TOO_LARGE, f"{name} has more than {limits.words:,} words, which is the limit")
    # a piece of text is a word or belongs to a bracket: `(`, its label, `)`
    has_too_many_pieces = len(text.split()) > 3 * limits.brackets + limits.words
    if has_too_many_pieces or any(int(number) >= limits.words for number in _INDEX.findall(text)):
        raise too_many_words
    tree = Tree.fromstring(text)
    if len(tree.tokens) > limits.words:
        raise too_many_words
    return tree


def first_error(errors: Sequence[Any]) -> str:
    """One sentence for what pydantic says of a request."""
    error = errors[0]
    place = ".".join(str(part) for part in error["loc"] if part != "body")
    what = str(error["msg"]).removeprefix("Value error, ")
    return f"{place}: {what}" if place else what


def _lines(request: ParseRequest) -> StringIO:
    return StringIO(request.text)


def _words(text: str, rules: Language) -> tuple[str, ...]:
    return tuple(word.text for word in tokenize(text, rules))


def _check_count(count: int, limits: Limits) -> None:
    if count > limits.sentences:
        raise HTTPException(_TOO_LARGE, f"the request has more than {limits.sentences:,} sentences, which is the limit")


def _checked(sentences: Iterable[InputSentence], limits: Limits, when_empty: str) -> list[InputSentence]:
    found: list[InputSentence] = []
    for number, sentence in enumerate(sentences, 1):
        _check_count(number, limits)
        if not sentence.words:
            raise HTTPException(422, f"sentence {number} has no words")
        if len(sentence.words) > limits.words:
            raise HTTPException(
                _TOO_LARGE, f"sentence {number} has more than {limits.words:,} words, which is the limit"
            )
        if any(len(word) > limits.word_characters for word in sentence.words):
            most = f"{limits.word_characters:,} characters, which is the limit"
            raise HTTPException(_TOO_LARGE, f"a word of sentence {number} has more than {most}")
        found.append(sentence)
    if not found:
        raise HTTPException(422, when_empty)
    return found
