"""Configurations of training runs: TOML files with settings from the command line on top."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from discoseq.errors import ConfigError
from discoseq.evaluation.parameters import RULES
from discoseq.linearizations.linearization import linearization
from discoseq.linearizations.machine import CONSTRAINTS, EXACT, WEAK
from discoseq.model.settings import ModelSettings, settings_from_table
from discoseq.search.beam import DEFAULT_SCORE, Score

CONFIGS = Path(__file__).resolve().parents[1] / "configs"  # those that come with discoseq, and have names
PLANS = CONFIGS / "experiments"  # these are plans of experiments, not configurations
DEFAULT_CONFIG = "small"

_CHOICES = {
    "data.traces": ("refuse", "drop"),
    "training.batch_order": ("length", "words"),
    "training.schedule": ("inverse-sqrt", "linear"),
    "training.smoothed_over": ("allowed", "vocabulary"),
    "training.pretrained_training": ("frozen", "fine-tuned", "lora"),
    "training.dev_rules": ("", *RULES),
    "search.constraints": CONSTRAINTS,
    "search.score": get_args(Score),
    "training.precision": ("no", "bf16", "fp16"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "data.silver_share": (0.01, 0.99),
    "data.augmented": (0, 100),
    "training.seed": (0, 2**32 - 1),
    "training.epochs": (1, 100_000),
    "training.batch_tokens": (1, 10_000_000),
    "training.learning_rate": (1e-9, 100),
    "training.warmup_steps": (0, 10**9),
    "training.pretrained_learning_rate": (0, 100),
    "training.clip_norm": (0, 10**9),
    "training.label_smoothing": (0, 1),
    "training.tag_weight": (0, 1000),
    "training.ancestor_weight": (0, 1000),
    "training.first_scored_epoch": (1, 10**9),
    "training.averaged": (1, 1000),
}


@dataclass(frozen=True, slots=True)
class DataSettings:
    """Treebank files of any format; several are read one after the other."""

    train: list[str] = field(default_factory=list)
    dev: list[str] = field(default_factory=list)  # empty: every tenth tree of train
    # how often an epoch contains each file of train: a number a file, or one for all; empty: once
    repeats: list[int] = field(default_factory=list)
    silver: list[str] = field(default_factory=list)  # files of trees with weights, by `discoseq label`
    silver_share: float = 0.5  # of the actions of every batch
    augmented: int = 0  # copies of every training tree with constituents replaced (see augmentation.py)
    encoding: str = ""  # of the files; empty: UTF-8 or, for XML, the declared one
    skip_bad: bool = False  # sentences that can't be read are left out and counted
    traces: str = "refuse"  # a treebank with empty elements; "drop": they are removed and counted


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the network is fitted; the defaults are the paper's."""

    seed: int = 1
    initialise_from: str = (
        ""  # directory of a model whose weights and vocabularies are the start; empty: random weights
    )
    # directory of a model whose vocabularies are used, for an ensemble with it; empty: those of the training trees
    vocabularies_from: str = ""
    epochs: int = 80
    batch_tokens: int = 3584  # with padding: sentences times the longer of words and actions
    batch_order: str = "length"  # sentences are sorted by the longer of words and actions, or by "words", as in fairseq
    learning_rate: float = 5e-4
    schedule: str = "inverse-sqrt"  # or "linear": down to zero at the last epoch
    warmup_steps: int = 4000
    pretrained_training: str = "frozen"  # the language model: "frozen", "fine-tuned", or "lora" for adapters
    pretrained_learning_rate: float = 5e-5  # of a language model that is trained
    pretrained_stored: bool = False  # the finished model contains a frozen language model, with a trimmed vocabulary
    clip_norm: float = 0.0  # 0: gradients are not clipped
    label_smoothing: float = 0.01
    masked_loss: bool = True  # actions that are not allowed get no probability; False: the network must learn it
    smoothed_over: str = (
        "allowed"  # actions among which it is spread; or the whole "vocabulary", as in the paper's code
    )
    tag_weight: float = 0.0  # of the auxiliary loss of a head that predicts tags; 0: no such head
    ancestor_weight: float = 0.0  # of a head that predicts the labels of parent and grandparent; 0: no such head
    precision: str = "no"  # mixed precision: "bf16" or "fp16"
    first_scored_epoch: int = 41  # dev is parsed greedily after every epoch from this one on
    dev_rules: str = ""  # "disco" or "evalb": by which dev is scored; empty: those of the treebank's card, else disco
    averaged: int = 3  # the weights of so many best epochs on dev are averaged
    compact: bool = False  # the finished model's weights are rounded to half the size, and scored like that


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Which actions are allowed, in training too, and how the finished model searches for the best tree."""

    constraints: str = EXACT  # actions that can be completed to a tree; "weak": those of the authors' state machine
    # "sum" of the log-probabilities of all actions, their "mean", or "joint": the sum and the ancestor head's opinion
    score: str = DEFAULT_SCORE


@dataclass(frozen=True, slots=True)
class Config:
    """A whole training run."""

    linearization: str = "in-order+swap"
    language: str = (
        ""  # by whose rules the finished model tokenizes raw text; empty: the card's, or guessed from the training text
    )
    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    search: SearchSettings = field(default_factory=SearchSettings)


def read_config(name: str | Path = DEFAULT_CONFIG, assignments: Iterable[str] = ()) -> Config:
    """Read a TOML file, or a configuration of discoseq by its name; `assignments` like `training.epochs=5` override it.

    Paths are relative to the file, but to the current folder in a configuration that comes with discoseq.
    """
    path = _find(name)
    return config_from_table(read_config_table(path), assignments, str(path))


def read_config_table(name: str | Path) -> dict[str, Any]:
    """The same as a table that is not checked."""
    path = _find(name)
    table = read_toml(path)
    if not path.resolve().is_relative_to(CONFIGS):
        _resolve_paths(table, path.parent)
    return table


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from None


def config_from_table(table: dict[str, Any], assignments: Iterable[str], source: str) -> Config:
    """A checked configuration; errors name the source."""
    for assignment in assignments:
        assign(table, assignment)
    config = settings_from_table(Config, table, source)
    _check(config, source)
    return config


def named_configs() -> dict[str, Path]:
    """The configurations that come with discoseq, by their names, as `small` or `paper/tiger`."""
    paths = sorted(path for path in CONFIGS.rglob("*.toml") if path.parent != PLANS)
    return {path.relative_to(CONFIGS).with_suffix("").as_posix(): path for path in paths}


def _find(name: str | Path) -> Path:
    if Path(name).is_file():
        return Path(name)
    named = named_configs()
    if str(name) not in named:
        raise ConfigError(f"{name}: no such file, and none of the configurations {', '.join(named)}")
    return named[str(name)]


def _check(config: Config, source: str) -> None:
    """Find mistakes before anything else is done."""
    if linearization(config.linearization).reordering.is_eager and config.search.constraints != WEAK:
        raise ConfigError(f'{source}: {config.linearization} needs search.constraints = "{WEAK}"')
    if config.search.score == "joint" and not config.training.ancestor_weight:
        raise ConfigError(f'{source}: search.score = "joint" needs a training.ancestor_weight above 0')
    for name, choices in _CHOICES.items():
        value = setting(config, name)
        if value not in choices:
            listed = ", ".join(choice or "empty" for choice in choices)
            raise ConfigError(f"{source}: {name} must be one of {listed}, not {value!r}")
    for name, (lowest, highest) in _RANGES.items():
        value = setting(config, name)
        if not lowest <= value <= highest:  # also if it is not a number
            bound = f"at least {lowest}" if value < lowest else f"at most {highest}"
            raise ConfigError(f"{source}: {name} must be {bound}, not {value}")


def setting(config: Config, name: str) -> Any:
    """The value of a setting by its name, as `training.epochs`."""
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def assign(table: dict[str, Any], assignment: str) -> None:
    """Change a table by KEY=VALUE, where the value is written as in TOML, or is a string without quotes."""
    name, separator, text = assignment.partition("=")
    if not separator:
        raise ConfigError(f"--set {assignment}: expected KEY=VALUE")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text  # a string without quotes
    *path, last = name.strip().split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {assignment}: {part} is no table")
    table[last] = value


def _resolve_paths(table: dict[str, Any], folder: Path) -> None:
    data, training = table.get("data"), table.get("training")
    if isinstance(data, dict):
        for key in ("train", "dev", "silver"):
            if isinstance(data.get(key), list):
                data[key] = [str(folder / path) if isinstance(path, str) else path for path in data[key]]
    for key in ("initialise_from", "vocabularies_from"):
        if isinstance(training, dict) and isinstance(training.get(key), str) and training[key]:
            training[key] = str(folder / training[key])
