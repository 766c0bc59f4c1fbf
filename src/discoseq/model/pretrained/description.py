"""What has to be known of a language model to build it and to feed it, weights aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from discoseq.batching.subwords import PieceTokenizer
from discoseq.errors import ModelError
from discoseq.model.pretrained.bert import Bert, is_plain_bert
from discoseq.model.pretrained.hugging_face import empty_body
from discoseq.model.pretrained.output import LayerChoice
from discoseq.model.pretrained.universal import UNIVERSAL, UniversalBody


@dataclass(frozen=True, slots=True, eq=False)
class Pretrained:
    """The layers above the highest that is used are left out of it."""

    config: dict[str, Any]  # as transformers has it, or what an encoder of our own needs
    width: int
    layers: int
    tokenizer: PieceTokenizer
    fingerprint: str = ""  # of the weights, where these are not stored with the model

    def choice(self, output: str) -> LayerChoice:
        """The layers that a setting names."""
        return LayerChoice.of(output, self.layers)

    def body(self) -> nn.Module:
        """The network; its weights are yet to be given, and where it is our own they have no memory so far."""
        with torch.device("meta"):
            if is_plain_bert(self.config):
                return Bert(self.config, self.layers)
            if self.config.get("model_type") == UNIVERSAL:
                return UniversalBody(self.config, self.layers)
        return empty_body(self.config)

    def as_dict(self) -> dict[str, object]:
        """Plain values, for JSON; the tokenizer has a file of its own."""
        return {
            "config": self.config,
            "width": self.width,
            "layers": self.layers,
            "window": self.tokenizer.window,
            "padding": self.tokenizer.padding,
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], tokenizer: str) -> Pretrained:
        """Undo `as_dict`, with the text of the tokenizer's file."""
        try:
            pieces = PieceTokenizer.from_json(tokenizer, table["window"], table["padding"])
            return cls(table["config"], table["width"], table["layers"], pieces, table.get("fingerprint", ""))
        except KeyError as error:
            raise ModelError(f"the description of the encoder lacks {error}") from None
        except Exception as error:  # tokenizers raises nothing more special
            raise ModelError(f"the encoder's tokenizer can't be read ({error})") from None
