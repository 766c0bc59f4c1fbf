"""Language models of every kind through transformers, which is imported when it is needed and not before."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from discoseq.errors import MissingExtraError, ModelError


class HuggingFaceBody(nn.Module):
    """A model of transformers that gives the states of all its layers."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        # of a model that also writes, such as T5, the half that reads
        self.model: Any = model.get_encoder() if model.config.is_encoder_decoder else model
        if isinstance(getattr(self.model, "pooler", None), nn.Module):
            self.model.pooler = None  # a vector for the whole sentence, of which there is no use

    def forward(self, ids: Tensor, is_piece: Tensor) -> Sequence[Tensor]:
        states = self.model(input_ids=ids, attention_mask=is_piece.long(), output_hidden_states=True).hidden_states
        if states is None:
            raise ModelError(f"{self.model.config.model_type}: this kind of model does not give the states of layers")
        return states

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first, wherever this kind of model keeps them."""
        layers = self.model.config.num_hidden_layers
        lists = [module for module in self.model.modules() if isinstance(module, nn.ModuleList)]
        return next((list(module) for module in lists if len(module) == layers), [])

    def save_memory(self) -> None:
        """In training, compute what is inside a layer once more on the way back."""
        if not self.model.supports_gradient_checkpointing:
            raise ModelError(f"{self.model.config.model_type}: this kind of model has no gradient checkpointing")
        self.model.gradient_checkpointing_enable({"use_reentrant": False})


def empty_body(config: dict[str, Any]) -> HuggingFaceBody:
    """A body by its configuration, with weights that are to be replaced."""
    transformers = import_transformers()
    options = {key: value for key, value in config.items() if key != "model_type"}
    try:
        known = transformers.AutoConfig.for_model(config["model_type"], **options)
        with torch.random.fork_rng():
            return HuggingFaceBody(transformers.AutoModel.from_config(known).float())
    except (ValueError, TypeError) as error:
        kind = config["model_type"]
        raise ModelError(f"transformers can't build the encoder, a {kind} ({first_line(error)})") from None


def import_transformers() -> Any:
    """The package, silenced: its bars and warnings are for people who call it themselves."""
    try:
        transformers = importlib.import_module("transformers")
    except ImportError:
        raise MissingExtraError("pre-trained encoders need transformers: pip install 'discoseq[encoders]'") from None
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def first_line(error: Exception) -> str:
    """Of an error's message, what fits into one sentence of ours."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
