"""Language models of the Hugging Face library transformers, which is imported only when it is needed.

Files are read from a directory, an installed package or the local cache of the Hugging Face hub, and downloaded from
the hub only if they are in none of these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, normalizers
from torch import Tensor, nn

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.errors import ModelError, first_line, import_extra
from discoseq.model.pretrained.bert import Bert, bert_weights, is_plain_bert
from discoseq.model.pretrained.language_model import LayerChoice, Pretrained
from discoseq.model.pretrained.presets import PRESETS, find_files

_DEFAULT_WINDOW = 512  # subwords, for a model that sets no limit itself
_LARGEST_WINDOW = 8192  # a tokenizer without a limit reports a huge number
# models whose lower layers can be used without the upper ones: none has a layer norm after its last layer
_PLAIN_STACKS = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "mpnet", "distilbert")
# models whose first position has the number after that of the padding token
_SHIFTED_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")
# entries of a configuration that are not needed to build the model
_NOT_SAVED = ("_name_or_path", "transformers_version", "dtype", "torch_dtype", "architectures")


class HuggingFaceBody(nn.Module):
    """A model of transformers that returns the states of all its layers."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model: Any = model.get_encoder() if model.config.is_encoder_decoder else model
        if isinstance(getattr(self.model, "pooler", None), nn.Module):
            self.model.pooler = None  # it makes a sentence vector, which is not used

    def forward(self, ids: Tensor, is_subword: Tensor) -> Sequence[Tensor]:
        states = self.model(input_ids=ids, attention_mask=is_subword.long(), output_hidden_states=True).hidden_states
        if states is None:
            raise ModelError(
                f"a language model of type {self.model.config.model_type} does not return the states of layers"
            )
        return states

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first, under whatever name this type of model has them."""
        layers = self.model.config.num_hidden_layers
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        return next((list(module) for module in lists if len(module) == layers), [])


def load_hugging_face(name: str, output: str) -> tuple[Pretrained, nn.Module]:
    """The description and the network of a preset, a directory or a name on the hub."""
    transformers, location = _import_transformers(), find_files(name)
    config, choice = _load_config(transformers, name, location, output)
    tokenizer = _load_tokenizer(transformers, name, location, config)
    if config.model_type in _PLAIN_STACKS:
        config.num_hidden_layers = choice.last
    # models that are stored in half precision are computed in full precision, as the rest of the network is
    model = _load(transformers.AutoModel.from_pretrained, name, location, {"config": config}).float()
    table = {key: value for key, value in config.to_dict().items() if key not in _NOT_SAVED}
    description = Pretrained(table, config.hidden_size, config.num_hidden_layers, tokenizer)
    if not is_plain_bert(table):
        return description, HuggingFaceBody(model)
    body = Bert(table, description.layers)
    body.load_state_dict(bert_weights(model.state_dict(), description.layers))
    return description, body


def check_hugging_face(name: str, output: str) -> None:
    """Raise an error if transformers or the model is missing, or if the model does not have the layers."""
    _load_config(_import_transformers(), name, find_files(name), output)


def build_hugging_face(config: dict[str, Any]) -> HuggingFaceBody:
    """The network of a configuration; its random weights must be replaced."""
    transformers = _import_transformers()
    kind = config["model_type"]
    options = {key: value for key, value in config.items() if key != "model_type"}
    try:
        known = transformers.AutoConfig.for_model(kind, **options)
        with torch.random.fork_rng():
            return HuggingFaceBody(transformers.AutoModel.from_config(known).float())
    except (ValueError, TypeError) as error:
        raise ModelError(f"transformers can't build a language model of type {kind} ({first_line(error)})") from None


def _import_transformers() -> Any:
    """The package, without its progress bars and warnings."""
    transformers = import_extra("transformers", "encoders", "a pre-trained encoder")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _load_config(transformers: Any, name: str, location: str, output: str) -> tuple[Any, LayerChoice]:
    config = _load(transformers.AutoConfig.from_pretrained, name, location, {})
    if not (isinstance(getattr(config, "hidden_size", None), int) and hasattr(config, "num_hidden_layers")):
        raise ModelError(f"{name}: a model of type {config.model_type} is not a text encoder with layers of one width")
    return config, LayerChoice.of(output, config.num_hidden_layers)


def _load(load: Callable[..., Any], name: str, location: str, options: dict[str, Any]) -> Any:
    """Call a loading function of transformers, first without the network."""
    try:
        return load(location, local_files_only=True, **options)
    except Exception as error:  # a damaged file can raise anything
        if Path(location).is_dir():
            raise ModelError(f"{location}: the language model can't be read ({first_line(error)})") from None
    try:
        return load(location, **options)
    except Exception as error:  # so can the hub
        packages = [f"pip install {package}" for package, _, _ in PRESETS[name].packages] if name in PRESETS else []
        ways = [*packages, f"name a directory that holds it, or connect to the internet to download {location}"]
        reason = f"the language model {name} is not on this machine; {', or '.join(ways)}"
        raise ModelError(f"{reason} ({first_line(error)})") from None


def _load_tokenizer(transformers: Any, name: str, location: str, config: Any) -> SubwordTokenizer:
    tokenizer = _load(transformers.AutoTokenizer.from_pretrained, name, location, {})
    if not tokenizer.is_fast:
        raise ModelError(f"{name}: the language model has no fast tokenizer, which is needed to map subwords to words")
    if tokenizer.backend_tokenizer.get_vocab_size() <= len(tokenizer.all_special_tokens):
        raise ModelError(f"{location}: the files of the tokenizer are missing")  # transformers makes an empty one
    fast = _with_prefix_spaces(tokenizer.backend_tokenizer)
    return SubwordTokenizer(fast, _window(tokenizer, config), tokenizer.pad_token_id or 0)


def _window(tokenizer: Any, config: Any) -> int:
    """The number of subwords that the model reads at once."""
    limits = [tokenizer.model_max_length]
    positions = getattr(config, "max_position_embeddings", 0) or 0
    if positions > 0:
        shift = (config.pad_token_id or 0) + 1 if config.model_type in _SHIFTED_POSITIONS else 0
        limits.append(positions - shift)
    window = min(limits)
    return window if window <= _LARGEST_WINDOW else _DEFAULT_WINDOW


def _with_prefix_spaces(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, changed to give each word the subwords that it has after a space.

    A byte-level tokenizer treats a space as part of the next word. It would read words without spaces as
    continuations of the word before.
    """
    table = json.loads(tokenizer.to_str())
    splitter = table["pre_tokenizer"] or {}
    if splitter.get("type") == "ByteLevel":
        splitter["add_prefix_space"] = True
    elif splitter.get("type") == "Metaspace":
        splitter["prepend_scheme"] = "always"
    changed = Tokenizer.from_str(json.dumps(table))
    parts = splitter.get("pretokenizers", [])
    if any(part["type"] == "ByteLevel" for part in parts):  # the other parts must see the space too
        before = [] if changed.normalizer is None else [changed.normalizer]
        changed.normalizer = normalizers.Sequence([*before, normalizers.Prepend(" ")])
    return changed
