"""The choices that make a network; the defaults are the paper's."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from discoseq.errors import ConfigError, ModelError

ENCODERS = ("transformer", "lstm")
STATE_FEATURES = ("none", "words", "corners", "labels")

MOST_WEIGHTS = 2 * 10**9  # of all layers together: far more than any parser has, and too many for most machines
_RANGES: dict[str, tuple[int, int]] = {
    "width": (4, 8192),
    "heads": (1, 256),
    "hidden": (1, 65_536),
    "encoder_layers": (0, 200),
    "decoder_layers": (1, 200),
    "stack_heads": (0, 256),
    "buffer_heads": (0, 256),
    "dedicated_layers": (0, 200),
    "word_width": (0, 8192),
    "min_word_count": (1, 10**9),
    "character_filters": (0, 8192),
}
# the weights of networks that differ in these fit all the same
_OF_TRAINING = ("dropout", "word_dropout", "min_word_count")

Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Plain numbers; `build_network` gives them to the modules."""

    width: int = 256
    heads: int = 4
    hidden: int = 512  # width of the feed-forward layers
    encoder: str = "transformer"  # or "lstm"
    encoder_layers: int = 6
    decoder_layers: int = 6
    dropout: float = 0.3
    pre_norm: bool = False
    stack_heads: int = 1  # decoder heads that see only the stack; with 0 and 0 a plain Transformer
    buffer_heads: int = 1
    dedicated_layers: int = 0  # lowest decoder layers in which these heads see only that; 0: all layers
    # what the decoder is given beside the previous action: "none", the "words" on top of the stack and in front of the
    # buffer, also the "corners" of the top elements, also the "labels" of top elements and open constituents
    state_features: str = "none"
    pointer: bool = False  # SHIFT#k is also scored by the word that it would shift
    pretrained: str = ""  # a language model: a preset, a directory or a name on the Hugging Face hub; empty: none
    pretrained_layers: str = ""  # last, 3, mean 1-24, mix 0-6; empty: the preset's, or last
    pretrained_first_space: bool = True  # False: the first word of a sentence is split as if no space were before it
    pretrained_bfloat16: bool = False  # a frozen language model runs in bfloat16, in training and in parsing
    word_width: int = 0  # of learnt word embeddings, 0 for none
    word_dropout: float = 0.1
    min_word_count: int = 2  # rarer words have no embedding
    character_filters: int = 0  # of the CharCNN, 0 for none
    positions: bool = False  # sinusoidal positions in the encoder; a language model's vectors bring their own


def check_settings(settings: ModelSettings, vector_width: int = 0) -> None:
    """Raise a ModelError for the first choice that makes no network, or one that is too large for any machine."""
    s = settings
    for name, (lowest, highest) in _RANGES.items():
        check_size(name, getattr(s, name), lowest, highest)
    weights = (s.encoder_layers + s.decoder_layers) * (8 * s.width**2 + 2 * s.width * s.hidden)
    for is_wrong, what in [
        (weights > MOST_WEIGHTS, f"the layers would have {weights:,} weights; they may have {MOST_WEIGHTS:,} at most"),
        (s.width % 2, f"width is {s.width}; it must be even"),
        (s.width % s.heads, f"width is {s.width}; it must be a multiple of heads, which is {s.heads}"),
        (s.encoder not in ENCODERS, f"encoder is {s.encoder!r}; it must be one of {', '.join(ENCODERS)}"),
        (s.encoder == "lstm" and not s.encoder_layers, "encoder_layers must be at least 1 for an LSTM"),
        (not 0 <= s.dropout < 1, f"dropout is {s.dropout}; it must be in [0, 1)"),
        (not 0 <= s.word_dropout < 1, f"word_dropout is {s.word_dropout}; it must be in [0, 1)"),
        (s.stack_heads + s.buffer_heads > s.heads, f"stack_heads and buffer_heads exceed the {s.heads} heads"),
        (
            s.state_features not in STATE_FEATURES,
            f"state_features is {s.state_features!r}; it must be one of {', '.join(STATE_FEATURES)}",
        ),
        (
            s.pointer and s.state_features not in ("corners", "labels"),
            "pointer needs state_features to be corners or labels",
        ),
        (
            not (vector_width + s.word_width + s.character_filters or s.pretrained),
            "a word needs features: set pretrained, word_width or character_filters",
        ),
    ]:
        if is_wrong:
            raise ModelError(what)


def differing_setting(one: ModelSettings, two: ModelSettings) -> str | None:
    """The first setting in which two networks differ; those that concern training alone do not count."""
    names = (field.name for field in fields(ModelSettings) if field.name not in _OF_TRAINING)
    return next((name for name in names if getattr(one, name) != getattr(two, name)), None)


def check_size(name: str, value: object, lowest: int, highest: int) -> None:
    """Raise a ModelError if a size is no whole number within these bounds."""
    if type(value) is not int:
        raise ModelError(f"{name} must be a whole number, not {value!r}")
    if not lowest <= value <= highest:
        bound = f"at least {lowest:,}" if value < lowest else f"at most {highest:,}"
        raise ModelError(f"{name} is {value}; it must be {bound}")


def settings_from_table(kind: type[Settings], table: Any, source: str, prefix: str = "") -> Settings:
    """A dataclass of settings from a table of TOML or JSON; errors name the setting, and the nearest one if unknown."""
    if not isinstance(table, dict):
        raise ConfigError(f"{source}: {prefix.rstrip('.') or 'the file'} must be a table, not {table!r}")
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    values = {}
    for key, value in table.items():
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"the settings are {', '.join(names)}"
            raise ConfigError(f"{source}: there is no setting {prefix}{key}; {hint}")
        values[key] = _checked(hints[key], value, source, f"{prefix}{key}")
    return kind(**values)


_TYPES = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}
_LISTS = {str: "a list of strings", int: "a list of whole numbers"}


def _checked(kind: Any, value: Any, source: str, name: str) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return settings_from_table(kind, value, source, f"{name}.")
    if kind is float and type(value) is int:
        return float(value)
    if get_origin(kind) is dict:
        return _checked_table(get_args(kind)[1], value, source, name)
    if get_origin(kind) is list:
        inner = get_args(kind)[0]
        if is_dataclass(inner):
            return _checked_tables(inner, value, source, name)
        if isinstance(value, list) and all(type(item) is inner for item in value):
            return value
        raise ConfigError(f"{source}: {name} must be {_LISTS[inner]}, not {value!r}")
    if type(value) is not kind:
        raise ConfigError(f"{source}: {name} must be {_TYPES[kind]}, not {value!r}")
    return value


def _checked_table(kind: Any, table: Any, source: str, name: str) -> Any:
    """A table whose keys are names of the user, with tables of settings, or with values that are checked elsewhere."""
    if not isinstance(table, dict):
        raise ConfigError(f"{source}: {name} must be a table, not {table!r}")
    return {
        key: _checked(kind, value, source, f"{name}.{key}") if is_dataclass(kind) else value
        for key, value in table.items()
    }


def _checked_tables(kind: Any, tables: Any, source: str, name: str) -> Any:
    if not isinstance(tables, list):
        raise ConfigError(f"{source}: {name} must be a list of tables, not {tables!r}")
    return [_checked(kind, table, source, f"{name}[{number}]") for number, table in enumerate(tables, 1)]
