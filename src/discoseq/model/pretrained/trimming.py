"""Trimming the vocabulary of a language model to the subwords that a language can use."""

from __future__ import annotations

import json
import string
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import torch
from tokenizers import Tokenizer, decoders
from torch import nn

from discoseq.batching.subwords import SubwordTokenizer
from discoseq.model.pretrained.language_model import Body, Pretrained
from discoseq.model.pretrained.loading import build_body

_BYTE_LEVEL = "ByteLevel"


def trim_vocabulary(
    pretrained: Pretrained, body: nn.Module, characters: Collection[str]
) -> tuple[Pretrained, nn.Module]:
    """The same language model without the subwords that have letters which none of these characters has.

    Case and accents are ignored, and the letters of English and all that is no letter are kept. Words of these letters
    are split as before, because a subword has only letters of its word. A model whose tokenizer is of an unknown type,
    or whose embeddings are not one table, is returned unchanged.
    """
    table = json.loads(pretrained.tokenizer.as_json())
    names = cast(Body, body).subword_tables()
    subwords = _subwords(table)
    if not names or not subwords:
        return pretrained, body
    whole = pretrained.tokenizer
    known = _known_letters(characters, Tokenizer.from_str(whole.as_json()))
    special = {token["id"] for token in table["added_tokens"]} | {whole.padding, table["model"].get("unk_id")}
    special.add(pretrained.config.get("pad_token_id"))
    kept = sorted(i for i, text in subwords.items() if i in special or _letters(text) <= known)
    new = {old: number for number, old in enumerate(kept)}
    tokenizer = SubwordTokenizer.from_json(
        json.dumps(_renumbered(table, new)),
        whole.window,
        new.get(whole.padding, 0),
        whole.is_causal,
        whole.has_first_space,
    )
    trimmed = replace(pretrained, config=_renumbered_config(pretrained.config, new), tokenizer=tokenizer)
    smaller = build_body(trimmed)
    rows = torch.tensor(kept)
    weights = {name: tensor[rows] if name in names else tensor for name, tensor in body.state_dict().items()}
    smaller.load_state_dict(weights, assign=True)
    return trimmed, smaller.eval()


def _subwords(table: Mapping[str, Any]) -> dict[int, str]:
    """The text of every subword by its number; none for a tokenizer of an unknown type."""
    vocabulary = table["model"].get("vocab", {})
    if isinstance(vocabulary, dict):
        subwords = {number: text for text, number in vocabulary.items()}
    else:
        subwords = {number: text for number, (text, _) in enumerate(vocabulary)}
    if not subwords:
        return {}
    subwords |= {token["id"]: token["content"] for token in table["added_tokens"]}
    if _is_byte_level(table["pre_tokenizer"]):
        # the bytes of a part of a character become a replacement character, which is no letter
        decoder = decoders.ByteLevel()
        return {number: decoder.decode([text]) for number, text in subwords.items()}
    return subwords


def _is_byte_level(splitter: Mapping[str, Any] | None) -> bool:
    parts = [splitter or {}, *(splitter or {}).get("pretokenizers", [])]
    return any(part.get("type") == _BYTE_LEVEL for part in parts)


def _known_letters(characters: Iterable[str], tokenizer: Tokenizer) -> set[str]:
    """The letters of these characters and of English, in both cases, as they are and as they are normalized."""
    cases = {form for x in [*characters, *string.ascii_letters] for form in (x, x.lower(), x.upper())}
    normalizer = tokenizer.normalizer
    normalized = set() if normalizer is None else {normalizer.normalize_str(text) for text in cases}
    return _letters("".join(cases | normalized))


def _letters(text: str) -> set[str]:
    """The letters in a text, without their accents."""
    return {x for x in unicodedata.normalize("NFD", text) if unicodedata.category(x).startswith("L")}


def _renumbered(table: dict[str, Any], new: Mapping[int, int]) -> dict[str, Any]:
    """A tokenizer with only the subwords that have a new number."""
    model = dict(table["model"])
    if isinstance(model["vocab"], dict):
        model["vocab"] = {text: new[i] for text, i in model["vocab"].items() if i in new}
    else:
        model["vocab"] = [entry for i, entry in enumerate(model["vocab"]) if i in new]
    if "merges" in model:
        model["merges"] = [pair for pair in map(_pair, model["merges"]) if _can_merge(pair, model["vocab"])]
    if model.get("unk_id") is not None:
        model["unk_id"] = new[model["unk_id"]]
    added = [token | {"id": new[token["id"]]} for token in table["added_tokens"]]
    processor = table["post_processor"] and _renumbered_processor(table["post_processor"], new)
    return table | {"model": model, "added_tokens": added, "post_processor": processor}


def _renumbered_config(config: Mapping[str, Any], new: Mapping[int, int]) -> dict[str, Any]:
    """The configuration with the size of the new vocabulary, and with the new numbers of special tokens."""
    size = "vocab_size" if "vocab_size" in config else "pieces"
    numbers = {key: x for key, x in config.items() if key.endswith("_token_id")}
    renumbered = {key: [new.get(i) for i in x] if isinstance(x, list) else new.get(x) for key, x in numbers.items()}
    return {**config, **renumbered, size: len(new)}


def _pair(merge: str | list[str]) -> list[str]:
    return merge.split(" ") if isinstance(merge, str) else merge


def _can_merge(pair: list[str], vocabulary: Collection[str]) -> bool:
    return all(text in vocabulary for text in (*pair, "".join(pair)))


def _renumbered_processor(processor: dict[str, Any], new: Mapping[int, int]) -> dict[str, Any]:
    """What adds the special tokens, with their new numbers."""
    changed = dict(processor)
    if "processors" in processor:
        changed["processors"] = [_renumbered_processor(part, new) for part in processor["processors"]]
    for key in ("sep", "cls"):
        if key in processor:
            token, number = processor[key]
            changed[key] = [token, new[number]]
    if "special_tokens" in processor:
        tokens = processor["special_tokens"].items()
        changed["special_tokens"] = {name: x | {"ids": [new[i] for i in x["ids"]]} for name, x in tokens}
    return changed
