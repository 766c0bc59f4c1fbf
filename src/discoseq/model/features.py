"""What the encoder is given for a word: any mix of a language model's vector, an embedding, and its characters."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from discoseq.batching.sentence_batch import Sentences
from discoseq.batching.vocabularies import PAD, UNKNOWN
from discoseq.errors import ModelError
from discoseq.model.dropout import Dropout
from discoseq.model.positions import sinusoids
from discoseq.model.pretrained.language_model import LanguageModel, ScalarMix

_KERNEL = 5  # characters that a filter sees


class WordFeatures(nn.Module):
    """The parts side by side, projected to the width of the encoder."""

    def __init__(
        self,
        words: int,
        characters: int,
        width: int,
        dropout: float,
        word_width: int,
        word_dropout: float,
        character_width: int,
        character_filters: int,
        vector_width: int,
        mixed_vectors: int,
        language_model: LanguageModel | None,
        has_positions: bool,
    ) -> None:
        super().__init__()
        parts = word_width + character_filters + vector_width
        self.embed = WordEmbedding(words, word_width, word_dropout) if word_width else None
        self.spell = Spelling(characters, character_width, character_filters) if character_filters else None
        self.vector_width = vector_width * mixed_vectors
        self.language_model = language_model
        self.mix = ScalarMix(mixed_vectors) if mixed_vectors > 1 else None
        self.project = nn.Linear(parts, width, bias=False)
        self.has_positions = has_positions
        self.dropout = Dropout(dropout)
        nn.init.xavier_uniform_(self.project.weight)

    def forward(self, sentences: Sentences) -> Tensor:
        """Vectors (batch, words, width)."""
        parts = []
        if self.embed is not None:
            parts.append(self.embed(sentences.words))
        if self.spell is not None:
            parts.append(self.spell(sentences.spellings)[sentences.spelling_of])
        if self.vector_width:
            vectors = self._vectors(sentences)
            parts.append(vectors if self.mix is None else self.mix(vectors))
        x = self.project(torch.cat(parts, dim=-1))
        if self.has_positions:
            x = x + sinusoids(0, x.shape[1], x)
        return self.dropout(x)

    def _vectors(self, sentences: Sentences) -> Tensor:
        """The language model's, made beforehand or here (batch, words, width)."""
        if sentences.vectors is None and sentences.pieces is not None and self.language_model is not None:
            return self.language_model(sentences.pieces, *sentences.words.shape)
        return _checked(sentences.vectors, self.vector_width)


class WordEmbedding(nn.Module):
    """A vector a word; in training, words are now and then taken for unknown, so that this has a meaning too."""

    def __init__(self, words: int, width: int, dropout: float) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.dropout = dropout

    def forward(self, words: Tensor) -> Tensor:
        if self.training and self.dropout:
            is_dropped = torch.rand(words.shape, device=words.device) < self.dropout
            words = words.masked_fill(is_dropped & (words != PAD), UNKNOWN)
        return self.embed(words)


class Spelling(nn.Module):
    """Filters over the characters of a word, the strongest response of each (Zhang et al., 2015)."""

    def __init__(self, characters: int, width: int, filters: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(characters, width, padding_idx=PAD)
        self.convolve = nn.Conv1d(width, filters, _KERNEL, padding=_KERNEL // 2)

    def forward(self, spellings: Tensor) -> Tensor:
        """From (different words, characters) to (different words, filters)."""
        responses = self.convolve(self.embed(spellings).transpose(1, 2))
        # padding is no part of a word, whatever the batch it is in
        responses = responses.masked_fill((spellings == PAD)[:, None, :], -torch.inf)
        return responses.amax(dim=2).relu()


def _checked(vectors: Tensor | None, width: int) -> Tensor:
    if vectors is None:
        raise ModelError(f"the model reads vectors of {width} numbers for every word, and none are given")
    if vectors.shape[-1] != width:
        raise ModelError(f"the model reads vectors of {width} numbers, and those given have {vectors.shape[-1]}")
    return vectors
