"""The vectors of many sentences, made once and beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from discoseq.batching.batches import batches_of_like_length
from discoseq.batching.subwords import PieceTokenizer
from discoseq.model.pretrained.language_model import LanguageModel

BATCH_PIECES = 1024  # padding included; with more, a CPU loses more time on padding than it wins

Embedded: TypeAlias = tuple[list[int], list[NDArray[np.float32]]]


def embed(
    language_model: LanguageModel,
    tokenizer: PieceTokenizer,
    sentences: Sequence[Sequence[str]],
    batch_pieces: int = BATCH_PIECES,
) -> Iterator[Embedded]:
    """Batch by batch, numbers of sentences and their vectors (words, outputs x width); the longest come first.

    So if memory runs out, it does so at once.
    """
    device = next(language_model.parameters()).device
    pieces = tokenizer.split(sentences)
    language_model.eval()
    for chosen in reversed(batches_of_like_length([sum(map(len, words)) for words in pieces], batch_pieces)):
        longest = max(len(pieces[i]) for i in chosen)
        with torch.inference_mode():
            batch = tokenizer.batch([pieces[i] for i in chosen]).to(device)
            vectors = language_model(batch, len(chosen), longest).float().cpu().numpy()
        yield chosen, [vectors[row, : len(pieces[i])] for row, i in enumerate(chosen)]
