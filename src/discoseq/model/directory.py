"""Models on disk: config.json, vocabularies.json, model.safetensors, README.md, and a language model's tokenizer.json.

A directory is complete or not there, and holds no pickle.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from discoseq.batching.vocabularies import Vocabularies
from discoseq.errors import DiscoseqError, ModelError
from discoseq.linearizations.machine import EXACT
from discoseq.model.layers import without_weights
from discoseq.model.model_files import (
    CARD,
    CONFIG,
    TOKENIZER,
    VOCABULARIES,
    WEIGHTS,
    check_replaceable,
    read_config,
    read_json,
)
from discoseq.model.network import Heads, Model
from discoseq.model.pretrained.language_model import Pretrained
from discoseq.model.pretrained.loading import build_body, fingerprint, in_precision, load_pretrained
from discoseq.model.settings import ModelSettings, check_size, settings_from_table
from discoseq.storage import atomic_folder

FORMAT_VERSION = 2

_LONGEST_CHAIN = 100_000  # unary constituents: a number from a damaged file must not bind the machine for days
_LANGUAGE_MODEL = "features.language_model."  # the names of its weights begin with this
# compact weights
_SCALE = "@scale"  # appended to the name of a matrix for the scales of its rows
_LARGE = 1 << 19  # numbers; a smaller matrix is not worth the rounding
_HIGHEST = 127


def save_model(
    model: Model, directory: str | Path, extra: Mapping[str, object] | None = None, is_compact: bool = False
) -> None:
    """Write a model directory; an existing one is replaced when the new one is complete.

    What is in `extra` goes into config.json, except `card`, which becomes README.md. A compact model takes at most half
    the space, with rounded weights (see `pack_weights`).
    """
    directory = Path(directory)
    check_replaceable(directory)
    further = dict(extra or {})
    card = str(further.pop("card", _default_card(model)))
    try:
        with atomic_folder(directory) as partial:
            _write(partial / CONFIG, _as_json(_config(model) | {"extra": further}))
            _write(partial / VOCABULARIES, _as_json(model.vocabularies.as_dict()))
            _write(partial / CARD, card)
            if model.pretrained is not None:
                _write(partial / TOKENIZER, model.pretrained.tokenizer.as_json())
            weights = {name: tensor.contiguous() for name, tensor in model.network.state_dict().items()}
            save_file(pack_weights(weights) if is_compact else weights, partial / WEIGHTS)
            (partial / WEIGHTS).chmod(0o644)  # safetensors makes it readable for its owner alone
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{directory}: can't write the model ({error})") from None


@torch.inference_mode(False)  # the weights may be trained further, and the compiled decoder must notice it
def load_model(directory: str | Path) -> Model:
    """Read a model directory; the network is in evaluation mode."""
    directory = Path(directory)
    if not directory.is_dir():
        raise ModelError(f"{directory}: there is no such model directory")
    config = read_config(directory)
    _check_version(config, directory / CONFIG)
    vocabularies = _read_vocabularies(directory / VOCABULARIES)
    try:
        settings = settings_from_table(ModelSettings, config.get("model"), "model settings")
        heads = settings_from_table(Heads, config.get("heads"), "heads")
        unary_limit: Any = config.get("unary_limit")
        check_size("unary_limit", unary_limit, 1, _LONGEST_CHAIN)
        pretrained, body = _language_model(config.get("pretrained"), settings, directory)
        with without_weights():  # they are loaded below
            name = str(config.get("linearization"))
            constraints = str(config.get("constraints", EXACT))  # older models do not say
            model = Model.create(
                settings, vocabularies, name, heads, unary_limit, pretrained, body, constraints=constraints
            )
    except DiscoseqError as error:
        raise ModelError(f"{directory / CONFIG}: {error}") from None
    weights = unpack_weights(_read_weights(directory / WEIGHTS))
    expected = model.network.state_dict()
    if pretrained is not None and not config["pretrained"].get("is_stored"):
        expected = {name: x for name, x in expected.items() if not name.startswith(_LANGUAGE_MODEL)}
    _check_shapes(weights, expected, directory / WEIGHTS)
    model.network.load_state_dict(weights, assign=True, strict=False)
    model.network.eval()
    return model


def pack_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Half precision; large matrices (embeddings, layers of a language model) get a byte a number and a scale a row."""
    packed: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if not tensor.is_floating_point():
            packed[name] = tensor
        elif tensor.ndim == 2 and tensor.numel() >= _LARGE:
            scale = (tensor.abs().amax(dim=1) / _HIGHEST).clamp(min=1e-12)
            packed[name] = (tensor / scale[:, None]).round().to(torch.int8)
            packed[name + _SCALE] = scale
        else:
            packed[name] = tensor.half()
    return packed


def unpack_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Full precision, whether the weights were packed or not."""
    unpacked: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if name + _SCALE in weights:
            unpacked[name] = tensor.float() * weights[name + _SCALE][:, None]
        elif not name.endswith(_SCALE):
            unpacked[name] = tensor.float() if tensor.is_floating_point() else tensor
    return unpacked


def _config(model: Model) -> dict[str, object]:
    config: dict[str, object] = {
        "format_version": FORMAT_VERSION,
        "linearization": model.machine.linearization.name,
        "unary_limit": model.machine.unary_limit,
        "constraints": model.machine.constraints,
        "model": asdict(model.settings),
        "heads": asdict(model.heads),
    }
    if model.pretrained is not None:
        # a frozen language model that was not part of the network is named here, and its weights are not stored
        is_stored = model.network.features.language_model is not None
        config["pretrained"] = model.pretrained.as_dict() | {"is_stored": is_stored}
    return config


def _language_model(
    table: object, settings: ModelSettings, directory: Path
) -> tuple[Pretrained | None, nn.Module | None]:
    """The language model that a model directory holds or names."""
    if table is None:
        return None, None
    if not isinstance(table, dict):
        raise ModelError(f"pretrained must be a table, not {table!r}")
    try:
        text = (directory / TOKENIZER).read_text(encoding="utf-8")
    except OSError:
        raise ModelError(f"the model is incomplete: there is no file {TOKENIZER}") from None
    pretrained = Pretrained.from_dict(table, text)
    if table.get("is_stored"):
        return pretrained, build_body(pretrained)
    _, body = load_pretrained(settings.pretrained, settings.pretrained_layers)
    if fingerprint(body) != pretrained.fingerprint:
        raise ModelError(f"the {settings.pretrained} on this machine is not the one that the model was trained with")
    return pretrained, in_precision(settings, body)


def _default_card(model: Model) -> str:
    return f"# A discoseq model\n\nIt parses by the linearization `{model.machine.linearization.name}`.\n"


def _as_json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _check_version(config: dict[str, Any], path: Path) -> None:
    version = config.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelError(f"{path}: this is no discoseq model (format_version is {version!r})")
    if version != FORMAT_VERSION:
        advice = "use a newer discoseq" if version > FORMAT_VERSION else "train it again, or use discoseq 0.1"
        raise ModelError(
            f"{path}: the model has format version {version}, and this discoseq reads {FORMAT_VERSION}; {advice}"
        )


def _read_vocabularies(path: Path) -> Vocabularies:
    try:
        return Vocabularies.from_dict(read_json(path))
    except KeyError as error:
        raise ModelError(f"{path}: there is no list of {error.args[0]}") from None
    except DiscoseqError as error:
        raise error if isinstance(error, ModelError) else ModelError(f"{path}: {error}") from None


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path}: the model is incomplete: there is no such file") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: the file is damaged or truncated ({error})") from None


def _check_shapes(found: Mapping[str, Tensor], expected: Mapping[str, Tensor], path: Path) -> None:
    for name in sorted(found.keys() ^ expected.keys()):
        what = "is missing" if name in expected else "does not belong to this network"
        raise ModelError(f"{path}: the tensor {name} {what}")
    for name, tensor in expected.items():
        if found[name].shape != tensor.shape:
            shapes = f"{tuple(found[name].shape)} where {tuple(tensor.shape)} was expected"
            raise ModelError(f"{path}: the tensor {name} has the shape {shapes}")
