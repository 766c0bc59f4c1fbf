"""Tokenizers of transformers, changed so that they split words as they would split the text of the sentence."""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer, normalizers, processors

from discoseq.batching.subwords import PREPENDED_SPACE, SubwordTokenizer
from discoseq.errors import ModelError

_DEFAULT_WINDOW = 512  # subwords, for a model that sets no limit itself
_LARGEST_WINDOW = 8192  # a tokenizer without a limit reports a huge number
# models whose first position has the number after that of the padding token
_SHIFTED_POSITIONS = ("roberta", "xlm-roberta", "camembert", "mpnet")


def check_tokenizer(tokenizer: Any, place: str) -> None:
    """Refuse a tokenizer that can't map subwords to words, or whose files are missing."""
    if not tokenizer.is_fast:
        raise ModelError(f"{place}: the language model has no fast tokenizer, which is needed to map subwords to words")
    if tokenizer.backend_tokenizer.get_vocab_size() <= len(tokenizer.all_special_tokens):
        raise ModelError(f"{place}: the files of the tokenizer are missing")  # transformers makes an empty one


def subword_tokenizer(tokenizer: Any, config: Any, is_causal: bool) -> SubwordTokenizer:
    """Our tokenizer from that of transformers, for a model with this configuration."""
    fast = _with_prefix_spaces(tokenizer.backend_tokenizer)
    if is_causal:
        fast = _with_start(fast, _start_token(tokenizer, config))
    return SubwordTokenizer(fast, _window(tokenizer, config), tokenizer.pad_token_id or 0, is_causal)


def _window(tokenizer: Any, config: Any) -> int:
    """The number of subwords that the model reads at once."""
    limits = [tokenizer.model_max_length]
    positions = getattr(config, "max_position_embeddings", 0) or 0
    if positions > 0:
        shift = (config.pad_token_id or 0) + 1 if config.model_type in _SHIFTED_POSITIONS else 0
        limits.append(positions - shift)
    window = min(limits)
    return window if window <= _LARGEST_WINDOW else _DEFAULT_WINDOW


def _with_prefix_spaces(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, changed if need be to give each word the subwords that it has after a space.

    Most tokenizers treat a space as part of the next word. They would read words without spaces as continuations of the
    word before.
    """
    changed = Tokenizer.from_str(tokenizer.to_str())
    two, three = (changed.encode(" ".join("a" * words), add_special_tokens=False).ids for words in (2, 3))
    alone = changed.encode(["a"], is_pretokenized=True, add_special_tokens=False).ids
    if three[len(two) :] != alone:
        after = [] if changed.normalizer is None else [changed.normalizer]
        changed.normalizer = normalizers.Sequence([normalizers.Prepend(PREPENDED_SPACE["prepend"]), *after])
    return changed


def _start_token(tokenizer: Any, config: Any) -> int | None:
    """What begins a text: the token for it, or the one that separates texts."""
    candidates = (tokenizer.bos_token_id, getattr(config, "bos_token_id", None), tokenizer.eos_token_id)
    return next((number for number in candidates if number is not None), None)


def _with_start(tokenizer: Tokenizer, start: int | None) -> Tokenizer:
    """The same tokenizer, changed to put this token before a sentence if it puts none there.

    A causal model gathers attention on its first subword, whose state then says little about the word.
    """
    puts_none = tokenizer.encode(["a"], is_pretokenized=True).word_ids[0] is not None
    token = None if start is None else tokenizer.id_to_token(start)
    if puts_none and token is not None:
        tokenizer.post_processor = processors.TemplateProcessing([token, "$A"], special_tokens=[(token, start)])
    return tokenizer
