"""Which language models of transformers have a network in this package, which is faster and needs no transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from discoseq.model.pretrained.bert import Bert, bert_weights, is_plain_bert
from discoseq.model.pretrained.mpnet import MPNet, is_mpnet, mpnet_weights


def own_network(config: Mapping[str, Any], layers: int) -> nn.Module | None:
    """The network of a configuration of transformers, without its weights; None if there is none here."""
    if is_plain_bert(config):
        return Bert(config, layers)
    return MPNet(config, layers) if is_mpnet(config) else None


def own_weights(config: Mapping[str, Any], weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The weights of such a model of transformers under the names that they have here."""
    return bert_weights(weights, layers) if is_plain_bert(config) else mpnet_weights(weights, layers)
