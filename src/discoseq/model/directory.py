"""Models on disk: config.json, vocabularies.json, model.safetensors, README.md, and tokenizer.json with an encoder.

Complete or not there; no pickle.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from discoseq.batching.vocabularies import Vocabularies
from discoseq.errors import DiscoseqError, ModelError
from discoseq.model.bundle import Model
from discoseq.model.compact import pack, unpack
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.pretrained.loading import build_body, fingerprint, load_pretrained
from discoseq.model.settings import ModelSettings

FORMAT_VERSION = 1
CONFIG, VOCABULARIES, WEIGHTS, CARD = ("config.json", "vocabularies.json", "model.safetensors", "README.md")
TOKENIZER = "tokenizer.json"  # of the encoder, if there is one
FILES = (CONFIG, VOCABULARIES, WEIGHTS, CARD, TOKENIZER)
_ENCODER_WEIGHTS = "features.language_model."


def save_model(
    model: Model, directory: str | Path, extra: Mapping[str, object] | None = None, is_compact: bool = False
) -> None:
    """Write a model directory; one that is there already is replaced when the new one is complete.

    What is in `extra` goes into config.json, except `card`, which becomes README.md. A compact model takes half the
    room or less, and rounds its weights (see compact.py).
    """
    directory = Path(directory)
    _check_replaceable(directory)
    further = dict(extra or {})
    card = str(further.pop("card", _default_card(model)))
    partial = directory.with_name(f".{directory.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        _write(partial / CONFIG, _as_json(_config(model) | {"extra": further}))
        _write(partial / VOCABULARIES, _as_json(model.vocabularies.as_dict()))
        _write(partial / CARD, card)
        if model.pretrained is not None:
            _write(partial / TOKENIZER, model.pretrained.tokenizer.as_json())
        weights = {name: tensor.contiguous() for name, tensor in model.network.state_dict().items()}
        save_file(pack(weights) if is_compact else weights, partial / WEIGHTS)
        (partial / WEIGHTS).chmod(0o644)  # safetensors lets no one else read it
        _sync(partial / WEIGHTS)
        _put_in_place(partial, directory)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{directory}: can't write the model ({error})") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def load_model(directory: str | Path) -> Model:
    """Read a model directory; the network is ready for parsing."""
    directory = Path(directory)
    if not directory.is_dir():
        raise ModelError(f"{directory}: there is no such model directory")
    config = _read_json(directory / CONFIG)
    _check_version(config, directory / CONFIG)
    settings = _settings(config.get("model"), directory / CONFIG)
    vocabularies = _vocabularies(directory / VOCABULARIES)
    pretrained, body = _encoder(config.get("encoder"), settings, directory)
    try:
        with torch.device("meta"):  # no memory and no random numbers for weights that are replaced at once
            model = Model.fresh(settings, vocabularies, str(config.get("linearization")), pretrained, body)
    except DiscoseqError as error:
        raise ModelError(f"{directory / CONFIG}: {error}") from None
    weights = unpack(_read_weights(directory / WEIGHTS))
    expected = model.network.state_dict()
    if not _is_stored(config):
        expected = {name: x for name, x in expected.items() if not name.startswith(_ENCODER_WEIGHTS)}
    _check_shapes(weights, expected, directory / WEIGHTS)
    model.network.load_state_dict(weights, assign=True, strict=False)
    model.network.eval()
    return model


def read_config(directory: str | Path) -> dict[str, Any]:
    """All of config.json, as it is."""
    return _read_json(Path(directory) / CONFIG)


def read_extra(directory: str | Path) -> dict[str, Any]:
    """What `save_model` was given beside the model, such as data and seed."""
    extra = read_config(directory).get("extra", {})
    return extra if isinstance(extra, dict) else {}


def _config(model: Model) -> dict[str, object]:
    config: dict[str, object] = {
        "format_version": FORMAT_VERSION,
        "linearization": model.machine.linearization.name,
        "model": asdict(model.settings),
    }
    if model.pretrained is not None:
        # an encoder that was only looked at in training is not part of the network, and is named, not stored
        is_stored = model.network.features.language_model is not None
        config["encoder"] = model.pretrained.as_dict() | {"is_stored": is_stored}
    return config


def _encoder(table: object, settings: ModelSettings, directory: Path) -> tuple[Pretrained | None, nn.Module | None]:
    """The language model that a model directory holds or names."""
    if table is None:
        return None, None
    if not isinstance(table, dict):
        raise ModelError(f"{directory / CONFIG}: the description of the encoder is no table")
    try:
        text = (directory / TOKENIZER).read_text(encoding="utf-8")
    except OSError:
        raise ModelError(f"{directory / TOKENIZER}: the file is missing, so this is no complete model") from None
    try:
        pretrained = Pretrained.from_dict(table, text)
    except ModelError as error:
        raise ModelError(f"{directory}: {error}") from None
    if table.get("is_stored"):
        return pretrained, build_body(pretrained)
    _, body = load_pretrained(settings.encoder, settings.encoder_output)
    if fingerprint(body) != pretrained.fingerprint:
        raise ModelError(f"{directory}: the model was trained with another {settings.encoder} than the one here")
    return pretrained, body


def _is_stored(config: Mapping[str, Any]) -> bool:
    encoder = config.get("encoder")
    return isinstance(encoder, dict) and bool(encoder.get("is_stored"))


def _default_card(model: Model) -> str:
    return f"# A discoseq model\n\nIt parses by the linearization `{model.machine.linearization.name}`.\n"


def _as_json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
    _sync(path)


def _sync(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _check_replaceable(directory: Path) -> None:
    """Nothing is removed but a model: a slip of the pen must not cost anyone their home directory."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise ModelError(f"{directory}: this is a file, and a model is a directory")
    others = sorted(path.name for path in directory.iterdir() if path.name not in FILES)
    if others:
        raise ModelError(f"{directory}: the directory holds {others[0]}, which is no part of a model; name another one")


def _put_in_place(partial: Path, directory: Path) -> None:
    old = directory.with_name(f".{directory.name}.{os.getpid()}.old")
    if directory.exists():
        directory.rename(old)
    try:
        partial.rename(directory)
    except OSError:
        if old.exists():
            old.rename(directory)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path}: the file is missing, so this is no complete model") from None
    except json.JSONDecodeError as error:
        raise ModelError(f"{path}:{error.lineno}: the file is damaged or cut short ({error.msg})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: can't be read ({error})") from None
    if not isinstance(value, dict):
        raise ModelError(f"{path}: this is {type(value).__name__} where a table was expected")
    return value


def _check_version(config: dict[str, Any], path: Path) -> None:
    version = config.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelError(f"{path}: format_version is {version!r}, so this is no model of discoseq")
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{path}: the model has format version {version}, and this discoseq reads up to {FORMAT_VERSION}; "
            "a newer discoseq reads it"
        )


def _settings(table: object, path: Path) -> ModelSettings:
    if not isinstance(table, dict):
        raise ModelError(f"{path}: there are no model settings")
    defaults = {field.name: field.default for field in fields(ModelSettings)}
    for name, value in table.items():
        if name not in defaults:
            raise ModelError(f"{path}: there is no model setting {name!r}; a newer discoseq may know it")
        kind = type(defaults[name])
        if type(value) is not kind and (kind, type(value)) != (float, int):
            raise ModelError(f"{path}: model setting {name} is {value!r} where {kind.__name__} was expected")
    return ModelSettings(**table)


def _vocabularies(path: Path) -> Vocabularies:
    lists = _read_json(path)
    for name in ("words", "characters", "tags", "actions"):
        items = lists.get(name)
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ModelError(f"{path}: there is no list of {name}")
    try:
        return Vocabularies.from_dict(lists)
    except DiscoseqError as error:
        raise ModelError(f"{path}: {error}") from None


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path}: the file is missing, so this is no complete model") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: the file is damaged or cut short ({error})") from None


def _check_shapes(found: Mapping[str, Tensor], expected: Mapping[str, Tensor], path: Path) -> None:
    for name in sorted(found.keys() ^ expected.keys()):
        what = "is missing" if name in expected else "is none of this network's"
        raise ModelError(f"{path}: the tensor {name} {what}")
    for name, tensor in expected.items():
        if found[name].shape != tensor.shape:
            shapes = f"{tuple(found[name].shape)} where {tuple(tensor.shape)} was expected"
            raise ModelError(f"{path}: the tensor {name} has the shape {shapes}")
