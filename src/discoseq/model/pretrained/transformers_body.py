"""A model of the Hugging Face library transformers as a network that returns the states of its layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from discoseq.errors import ModelError
from discoseq.model.pretrained.language_model import Body

# two sequences that differ in their last subword; the numbers are past those of most special tokens
_PROBE = ((5, 6, 7), (5, 6, 8))
_TOLERANCE = 1e-3  # of the largest number


class HuggingFaceBody(nn.Module):
    """A model of transformers that returns the states of all its layers.

    The state of a layer is the layer's output. The last one has also passed the norm after the layers, if there is one.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model: Any = model.get_encoder() if model.config.is_encoder_decoder else model
        if isinstance(getattr(self.model, "pooler", None), nn.Module):
            self.model.pooler = None  # it makes a sentence vector, which is not used
        self.model.config.use_cache = False  # keys and values for generating text, which is not done
        self._stack = _name_of_stack(self.model)

    def forward(self, ids: Tensor, is_subword: Tensor) -> Sequence[Tensor]:
        states = self.model(input_ids=ids, attention_mask=is_subword.long(), output_hidden_states=True).hidden_states
        if states is None:
            raise ModelError(
                f"a language model of type {self.model.config.model_type} does not return the states of layers"
            )
        return states

    def blocks(self) -> list[nn.Module]:
        """The layers, bottom first, under whatever name this type of model has them."""
        return [] if self._stack is None else list(self.model.get_submodule(self._stack))

    def subword_tables(self) -> list[str]:
        """The embeddings of subwords, if nothing else has as many rows."""
        embeddings = self.model.get_input_embeddings().weight
        names = [name for name, x in self.state_dict().items() if x.ndim and len(x) == len(embeddings)]
        return names if len(names) == 1 else []

    def drop_layers(self, layers: int) -> bool:
        """Remove all layers above this one, with the norm after the last; whether the states stayed the same.

        If they did not, this type of model can't be used without its upper layers, and nothing is changed.
        """
        if self._stack is None or layers == len(self.blocks()):
            return False
        stack, before = self.model.get_submodule(self._stack), _probe(self)
        dropped = list(stack)[layers:]
        del stack[layers:]
        norm = self.drop_final_norm()
        after = _probe(self)
        if len(after) == layers + 1 and all(map(_are_close, before, after)):
            return True
        stack.extend(dropped)
        if norm is not None:
            self._set_module(*norm)
        return False

    def drop_final_norm(self) -> tuple[str, nn.Module] | None:
        """Remove the norm after the last layer; its name and the norm itself, or None if there is none."""
        outputs: dict[str, Tensor] = {}
        parent = "" if self._stack is None else self._stack.rpartition(".")[0]
        hooks = []
        for name, module in self.model.get_submodule(parent).named_children():
            if "norm" in type(module).__name__.lower():

                def keep(_: nn.Module, inputs: object, output: Tensor, name: str = name) -> None:
                    outputs[name] = output

                hooks.append(module.register_forward_hook(keep))
        last = _probe(self)[-1]
        for hook in hooks:
            hook.remove()
        for name, output in outputs.items():
            if output.shape == last.shape and torch.equal(output, last):
                path = f"{parent}.{name}" if parent else name
                norm = self.model.get_submodule(path)
                self._set_module(path, nn.Identity())
                return path, norm
        return None

    def _set_module(self, path: str, module: nn.Module) -> None:
        parent, _, name = path.rpartition(".")
        setattr(self.model.get_submodule(parent), name, module)


def is_causal(body: nn.Module) -> bool:
    """Whether the states of a subword do not depend on the subwords after it."""
    states = _probe(body)[-1]
    is_same_before = _are_close(states[0, :-1], states[1, :-1])
    return bool(cast(Body, body).blocks()) and is_same_before


def _probe(body: nn.Module) -> Sequence[Tensor]:
    """The states of two sequences that differ in their last subword."""
    ids = torch.tensor(_PROBE)
    was_training = body.training
    body.eval()
    with torch.no_grad():
        states: Sequence[Tensor] = body(ids, torch.ones_like(ids, dtype=torch.bool))
    body.train(was_training)
    return states


def _are_close(one: Tensor, other: Tensor) -> bool:
    difference = (one.float() - other.float()).abs().max()
    return bool(difference <= _TOLERANCE * one.float().abs().max())


def _name_of_stack(model: nn.Module) -> str | None:
    """The name of the list of layers: the first list that has as many modules as the model has layers."""
    layers = cast(Any, model).config.num_hidden_layers
    for name, module in model.named_modules():
        if isinstance(module, nn.ModuleList) and len(module) == layers:
            return name
    return None
