"""Tokenizers for sentences that are words already."""

from __future__ import annotations

import json

from tokenizers import Tokenizer, normalizers


def read_words_as_after_a_space(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, but every word has the pieces that it has inside a sentence.

    A byte-level tokenizer takes a space for a part of the word after it. Given bare words, it says nothing and reads
    them as if each went on the word before.
    """
    table = json.loads(tokenizer.to_str())
    splitter = table["pre_tokenizer"] or {}
    if splitter.get("type") == "ByteLevel":
        splitter["add_prefix_space"] = True
    elif splitter.get("type") == "Metaspace":
        splitter["prepend_scheme"] = "always"
    changed = Tokenizer.from_str(json.dumps(table))
    parts = splitter.get("pretokenizers", [])
    if any(part["type"] == "ByteLevel" for part in parts):  # the space has to be there before the other parts split
        before = [] if changed.normalizer is None else [changed.normalizer]
        changed.normalizer = normalizers.Sequence([*before, normalizers.Prepend(" ")])
    return changed
