"""Language models of the Hugging Face library transformers, which is imported only when it is needed.

Files are read from a directory, a GGUF file, an installed package or the local cache of the Hugging Face hub, and
downloaded from the hub only if they are in none of these.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from torch import nn

from discoseq.errors import ModelError, first_line, import_extra
from discoseq.model.pretrained.language_model import LayerChoice, Pretrained
from discoseq.model.pretrained.own_networks import own_network, own_weights
from discoseq.model.pretrained.presets import PRESETS, Preset, find_files
from discoseq.model.pretrained.transformers_body import HuggingFaceBody, is_causal
from discoseq.model.pretrained.transformers_tokenizers import check_tokenizer, subword_tokenizer

# entries of a configuration that are not needed to build the model
_NOT_SAVED = (
    "_name_or_path",
    "transformers_version",
    "dtype",
    "torch_dtype",
    "architectures",
    "quantization_config",
    "use_cache",
)
_HAS_FINAL_NORM = "has_final_norm"  # our own entry: False if upper layers and the norm after them were removed
_GGUF = ".gguf"


def load_hugging_face(name: str, output: str) -> tuple[Pretrained, nn.Module]:
    """The description and the network of a preset, a directory, a GGUF file or a name on the hub."""
    transformers = _import_transformers()
    files = _Files(transformers, name)
    config, choice = _load_config(transformers, files, output)
    tokenizer = files.load(transformers.AutoTokenizer.from_pretrained)
    check_tokenizer(tokenizer, files.place)
    model = files.load(transformers.AutoModel.from_pretrained, files.weights_options | {"config": config})
    table = {key: value for key, value in config.to_dict().items() if key not in _NOT_SAVED}
    # models that are stored in half precision are computed in full precision, as the rest of the network is
    body: nn.Module | None = own_network(table, choice.last)
    if body is not None:
        layers = choice.last
        body.load_state_dict(own_weights(table, model.float().state_dict(), layers))
    else:
        body, layers = HuggingFaceBody(model), config.num_hidden_layers
        if body.drop_layers(choice.last):
            layers = choice.last
            table = _with_layers(table, config, layers)
        body.float()
    subwords = subword_tokenizer(tokenizer, config, is_causal(body))
    return Pretrained(table, config.hidden_size, layers, subwords), body


def check_hugging_face(name: str, output: str) -> None:
    """Raise an error if a package or the model is missing, or if the model does not have the layers."""
    transformers = _import_transformers()
    _load_config(transformers, _Files(transformers, name), output)


def build_hugging_face(config: dict[str, Any]) -> HuggingFaceBody:
    """The network of a configuration; its random weights must be replaced."""
    transformers = _import_transformers()
    kind = config["model_type"]
    options = {key: value for key, value in config.items() if key not in ("model_type", _HAS_FINAL_NORM)}
    try:
        known = transformers.AutoConfig.for_model(kind, **options)
        with torch.random.fork_rng():
            body = HuggingFaceBody(transformers.AutoModel.from_config(known).float())
    except (ValueError, TypeError) as error:
        raise ModelError(f"transformers can't build a language model of type {kind} ({first_line(error)})") from None
    if not config.get(_HAS_FINAL_NORM, True):
        body.drop_final_norm()
    return body


class _Files:
    """The files of a language model, wherever they are."""

    def __init__(self, transformers: Any, name: str) -> None:
        self.name = self.place = name
        self.options: dict[str, Any] = {}
        self.weights_options: dict[str, Any] = {}  # for the weights alone
        if not name.endswith(_GGUF):
            self.location = self.place = find_files(name)
            return
        if not Path(name).is_file():
            raise ModelError(f"{name}: there is no such file")
        for package in ("gguf", "accelerate"):
            import_extra(package, "gguf", "a language model in a GGUF file")
        self.location, self.options = str(Path(name).parent), {"gguf_file": Path(name).name}
        if hasattr(transformers, "GgufConfig"):  # some versions would keep the weights quantized
            self.weights_options = {"quantization_config": transformers.GgufConfig(dequantize=True)}

    def load(self, load: Callable[..., Any], options: dict[str, Any] | None = None) -> Any:
        """Call a loading function of transformers, first without the network."""
        options = self.options | (options or {})
        try:
            with redirect_stderr(StringIO()):  # for the progress bars that can't be disabled
                return load(self.location, local_files_only=True, **options)
        except Exception as error:  # a damaged file can raise anything
            if Path(self.location).is_dir():
                raise ModelError(f"{self.place}: the language model can't be read ({first_line(error)})") from None
        try:
            return load(self.location, **options)
        except Exception as error:  # so can the hub
            preset = PRESETS.get(self.name, Preset(self.name))
            ways = [f"pip install {package}" for package, _, _ in preset.packages]
            ways += [f"name a directory that holds it, or connect to the internet to download {self.location}"]
            terms = f" [{preset.terms}]" if preset.terms else ""
            reason = f"the language model {self.name}{terms} is not on this machine; {', or '.join(ways)}"
            raise ModelError(f"{reason} ({first_line(error)})") from None


def _load_config(transformers: Any, files: _Files, output: str) -> tuple[Any, LayerChoice]:
    config = files.load(transformers.AutoConfig.from_pretrained)
    if not (isinstance(getattr(config, "hidden_size", None), int) and hasattr(config, "num_hidden_layers")):
        kind = f"a model of type {config.model_type}"
        raise ModelError(f"{files.name}: {kind} is not a text encoder with layers of one width")
    return config, LayerChoice.of(output, config.num_hidden_layers)


def _with_layers(table: dict[str, Any], config: Any, layers: int) -> dict[str, Any]:
    """The configuration of a model whose upper layers and final norm were removed."""
    whole = config.num_hidden_layers
    # such as the type of attention of every layer
    lists = {key: x[:layers] for key, x in table.items() if isinstance(x, list) and len(x) == whole}
    key = config.attribute_map.get("num_hidden_layers", "num_hidden_layers")
    return table | lists | {key: layers, _HAS_FINAL_NORM: False}


def _import_transformers() -> Any:
    """The package, without its progress bars and warnings."""
    transformers = import_extra("transformers", "encoders", "a pre-trained encoder")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers
