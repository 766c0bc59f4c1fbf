"""An encoder for less than all languages: what a treebank's characters can't spell is left out of it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection
from dataclasses import replace

import torch
from torch import nn

from discoseq.batching.subwords import PieceTokenizer
from discoseq.model.pretrained.description import Pretrained
from discoseq.model.pretrained.universal import UniversalBody

_SPACE = "▁"
_SPECIAL = 3  # the first pieces: unknown, and the ends of a sentence


def reduced(pretrained: Pretrained, body: nn.Module, characters: Collection[str]) -> tuple[Pretrained, nn.Module]:
    """The same encoder without the pieces that have other letters than these; accents do not count.

    Words of the rest are split as before, for the pieces of a word have no letters but its own. Encoders that do not
    keep their embeddings in a table of their own are given back as they are.
    """
    if not isinstance(body, UniversalBody):
        return pretrained, body
    table = json.loads(pretrained.tokenizer.as_json())
    pieces = table["model"]["vocab"]
    known = set(characters) | {_SPACE}
    kept = [i for i, (piece, _) in enumerate(pieces) if i < _SPECIAL or _letters(piece) <= known]
    table["model"]["vocab"] = [pieces[i] for i in kept]
    config = pretrained.config | {"pieces": len(kept)}
    smaller = UniversalBody(config, 0)
    chosen = torch.tensor(kept)
    weights = {name: x[chosen] if name in ("embeddings", "chunk") else x for name, x in body.state_dict().items()}
    smaller.load_state_dict(weights)
    tokenizer = pretrained.tokenizer
    smaller_tokenizer = PieceTokenizer.from_json(json.dumps(table), tokenizer.window, tokenizer.padding)
    return replace(pretrained, config=config, tokenizer=smaller_tokenizer), smaller


def _letters(piece: str) -> set[str]:
    return {letter for letter in unicodedata.normalize("NFD", piece) if not unicodedata.combining(letter)}
