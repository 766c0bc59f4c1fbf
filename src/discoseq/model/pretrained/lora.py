"""Low-rank adapters (Hu et al., 2022) in a language model, through peft: only they are trained, then merged into it."""

from __future__ import annotations

import importlib
from typing import Any, cast

from torch import nn

from discoseq.errors import MissingExtraError, ModelError
from discoseq.model.pretrained.body import Body

_NAME = "discoseq"


def add_adapters(body: nn.Module, rank: int) -> None:
    """Put an adapter beside every linear map of the layers; everything else no longer learns."""
    peft = _import_peft()
    of_layers = {id(module) for block in cast(Body, body).blocks() for module in block.modules()}
    names = [name for name, x in body.named_modules() if isinstance(x, nn.Linear) and id(x) in of_layers]
    if not names:
        raise ModelError("this encoder has no layers that LoRA could adapt; it can be frozen or tuned")
    config = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=names)
    peft.inject_adapter_in_model(config, body, adapter_name=_NAME)


def merge_adapters(module: nn.Module) -> None:
    """Add what the adapters have learnt to the weights, and take them out; without adapters, nothing is changed."""
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if hasattr(child, "lora_A") and hasattr(child, "get_base_layer"):
                adapter = cast(Any, child)
                adapter.merge()
                setattr(parent, name, adapter.get_base_layer())


def has_adapters(module: nn.Module) -> bool:
    """Whether there is something to merge."""
    return any(hasattr(child, "lora_A") for child in module.modules())


def _import_peft() -> Any:
    try:
        return importlib.import_module("peft")
    except ImportError:
        raise MissingExtraError("LoRA needs peft: pip install 'discoseq[lora]'") from None
