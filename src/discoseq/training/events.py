"""What a run reports while it is running; the command line shows it, tests read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from discoseq.evaluation import CorpusScores
from discoseq.model.network import Model


@dataclass(frozen=True, slots=True)
class Stage:
    """Work that may take minutes, such as reading a file; the first event of a stage has nothing done."""

    name: str  # what is being done, as a sentence begins: "reading train.mrg"
    done: int = 0
    total: int | None = None  # None if it is not known


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that a user should know and that does not stop the run."""

    text: str


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vectors of a frozen language model are being computed; the first event has none done."""

    path: Path  # of the file in the cache folder
    size: int  # of the file, in bytes
    done: int  # words
    words: int


@dataclass(frozen=True, slots=True)
class Started:
    """What the run works on."""

    train_sentences: int
    dev_sentences: int
    silver_sentences: int
    too_long: int  # trees left out because their action sequences are too long
    unknown: int  # trees left out because the model to initialise from does not have their actions
    actions: int
    parameters: int
    epoch: int  # the first to be done, counted from 1
    epochs: int


@dataclass(frozen=True, slots=True)
class StepDone:
    """One update."""

    epoch: int  # counted from 1
    step: int
    progress: float  # of the whole run, 0 to 1
    loss: float  # a target
    targets: int
    learning_rate: float


@dataclass(frozen=True, slots=True)
class EpochDone:
    """One pass over the training data, and dev parsed greedily where it was due."""

    epoch: int
    step: int
    loss: float
    learning_rate: float
    seconds: float  # of training so far, parsing dev aside
    targets_per_second: float
    cpu_seconds: float = 0.0  # as `seconds`, but of the processor, all threads together
    is_scored: bool = False
    f1: float | None = None  # None also where it is undefined
    discontinuous_f1: float | None = None
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The final model and its figures on dev."""

    model: Model
    language: str  # by whose rules it will tokenize raw text
    averaged_epochs: tuple[int, ...]
    beam: int
    scores: CorpusScores
    seconds: float


Event: TypeAlias = Stage | Noted | Embedding | Started | StepDone | EpochDone | Finished
