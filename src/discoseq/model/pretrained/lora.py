"""Low-rank adapters (LoRA; Hu et al., 2022) in a language model, through peft; after training they are merged."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, cast

from torch import nn

from discoseq.errors import ModelError, import_extra
from discoseq.model.pretrained.language_model import Body

_RANK = 16


def add_adapters(body: nn.Module) -> None:
    """Add an adapter to every linear map of the layers, and freeze all other parameters."""
    peft = import_extra("peft", "lora", "LoRA")
    of_layers = {id(module) for block in cast(Body, body).blocks() for module in block.modules()}
    names = [name for name, x in body.named_modules() if isinstance(x, nn.Linear) and id(x) in of_layers]
    if not names:
        raise ModelError("this language model has no layers for LoRA; set pretrained_training to frozen or fine-tuned")
    config = peft.LoraConfig(r=_RANK, lora_alpha=2 * _RANK, target_modules=names)
    peft.inject_adapter_in_model(config, body, adapter_name="discoseq")


def merge_adapters(module: nn.Module) -> None:
    """Add the adapters to the weights and remove them; a module without adapters is not changed."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if hasattr(child, "lora_A") and hasattr(child, "get_base_layer"):
                adapter = cast(Any, child)
                adapter.merge()
                setattr(parent, name, adapter.get_base_layer())


def without_adapters(network: nn.Module) -> nn.Module:
    """A copy with the adapters merged; the network itself keeps them."""
    copy = deepcopy(network)
    merge_adapters(copy)
    return copy
