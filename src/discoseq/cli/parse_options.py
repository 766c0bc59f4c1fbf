"""The options of subcommands that parse text: how it is read, and how widely the trees are searched."""

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from discoseq.cli.reading import FORMAT_NAMES
from discoseq.text.sentences import LineBreaks
from discoseq.treebanks.streams import Undecodable

DEFAULT_MODEL = "en"

TokenizedOption: TypeAlias = Annotated[
    bool, typer.Option("--tokenized", help="A line is a sentence, its words separated by spaces or tabs.")
]
SentencesOption: TypeAlias = Annotated[bool, typer.Option("--sentences", help="A line is a sentence, of raw text.")]
WordsFromOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--from", help=f"Parse the words of a treebank, and keep its tags: {FORMAT_NAMES}. Default: text."),
]
LanguageOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Language whose rules tokenize raw text. Default: that of the model.")
]
LineBreaksOption: TypeAlias = Annotated[
    LineBreaks | None,
    typer.Option(help="What a line break in raw text is. Default: guess, a space except around headings and lists."),
]
AbbreviationsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(help="A file of abbreviations after which no sentence ends, one a line. Default: the language's."),
]
UndecodableOption: TypeAlias = Annotated[
    Undecodable | None,
    typer.Option(
        help="A line of text with bytes that are not in the encoding. stop: it is an error; replace: the bytes are "
        "read as U+FFFD; skip: it is read as an empty line. Default: stop."
    ),
]
BeamOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="How widely to search; 1 is fastest. Default: 10.")
]


class ScoreName(StrEnum):
    """The scores of `search.beam`, for an option."""

    SUM = "sum"
    MEAN = "mean"
    JOINT = "joint"


ScoreOption: TypeAlias = Annotated[
    ScoreName | None,
    typer.Option(
        help="What the best tree has most of: the sum of the log-probabilities of its actions, their mean, or jointly "
        "the sum and what the encoder says of the tree. Default: that of the model.",
    ),
]
ThreadsOption: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Threads of each process; more pay for large models.")
]
DeviceOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Where the network runs, e.g. cuda. Default: the CPU.")
]
