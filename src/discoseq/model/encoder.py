"""The encoder: from words, characters and a language model's vectors to vectors of words in their sentence."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from discoseq.batching.sentence_batch import SentenceBatch
from discoseq.batching.vocabularies import PAD, UNKNOWN
from discoseq.errors import ModelError
from discoseq.model.layers import Dropout, EncoderLayer, HeadMask, sinusoids
from discoseq.model.pretrained.language_model import LanguageModel, ScalarMix

_CHARACTER_WIDTH = 32
_KERNEL = 5  # characters that a filter sees
_SMALLEST_DEVIATION = 1e-3  # a dimension that varies less is as good as constant


class WordFeatures(nn.Module):
    """A word's embedding, its CharCNN and its pre-trained vector, concatenated and projected to the encoder's width."""

    def __init__(
        self,
        words: int,
        characters: int,
        width: int,
        dropout: float,
        word_width: int,
        word_dropout: float,
        character_filters: int,
        vector_width: int,
        mixed_vectors: int,
        language_model: LanguageModel | None,
        is_standardized: bool,
        has_positions: bool,
    ) -> None:
        super().__init__()
        parts = word_width + character_filters + vector_width
        self.words = WordEmbedding(words, word_width, word_dropout) if word_width else None
        self.characters = CharCNN(characters, character_filters) if character_filters else None
        self.vector_width = vector_width * mixed_vectors
        self.language_model = language_model
        self.standardize = Standardization(self.vector_width) if is_standardized else None
        self.mix = ScalarMix(mixed_vectors) if mixed_vectors > 1 else None
        self.project = nn.Linear(parts, width, bias=False)
        self.has_positions = has_positions
        self.dropout = Dropout(dropout)
        nn.init.xavier_uniform_(self.project.weight)

    def forward(self, sentences: SentenceBatch) -> Tensor:
        """Vectors (batch, words, width)."""
        parts = []
        if self.words is not None:
            parts.append(self.words(sentences.words))
        if self.characters is not None:
            parts.append(self.characters(sentences.spellings)[sentences.spelling_of])
        if self.vector_width:
            vectors = self._vectors(sentences)
            if self.standardize is not None:
                vectors = self.standardize(vectors)
            parts.append(vectors if self.mix is None else self.mix(vectors))
        x = self.project(torch.cat(parts, dim=-1))
        if self.has_positions:
            x = x + sinusoids(0, x.shape[1], x)
        return self.dropout(x)

    def _vectors(self, sentences: SentenceBatch) -> Tensor:
        """The language model's (batch, words, width): precomputed, or computed here."""
        if sentences.vectors is None and sentences.subwords is not None and self.language_model is not None:
            return self.language_model(sentences.subwords, *sentences.words.shape)
        if sentences.vectors is None:
            raise ModelError(f"the model needs a vector of {self.vector_width} numbers for every word")
        if sentences.vectors.shape[-1] != self.vector_width:
            found = sentences.vectors.shape[-1]
            raise ModelError(f"the model needs vectors of {self.vector_width} numbers, and these have {found}")
        return sentences.vectors


class Standardization(nn.Module):
    """Brings every dimension of a vector to mean 0 and standard deviation 1.

    The states between the layers of a causal language model are not normalized: a few dimensions are a hundred times
    as large as the others.
    """

    mean: Tensor  # (width,)
    scale: Tensor  # (width,)

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))

    def fit(self, vectors: Tensor) -> None:
        """Take mean and standard deviation from vectors (words, width)."""
        self.mean.copy_(vectors.mean(dim=0))
        self.scale.copy_(1 / vectors.std(dim=0, correction=0).clamp(min=_SMALLEST_DEVIATION))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) * self.scale


class WordEmbedding(nn.Module):
    """A learnt vector a word; word dropout replaces words by the unknown word in training, so that it is learnt too."""

    def __init__(self, words: int, width: int, dropout: float) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=PAD)
        self.dropout = dropout

    def forward(self, words: Tensor) -> Tensor:
        if self.training and self.dropout:
            is_dropped = torch.rand(words.shape, device=words.device) < self.dropout
            words = words.masked_fill(is_dropped & (words != PAD), UNKNOWN)
        return self.embed(words)


class CharCNN(nn.Module):
    """Convolution over the characters of a word and max pooling (Zhang et al., 2015)."""

    def __init__(self, characters: int, filters: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(characters, _CHARACTER_WIDTH, padding_idx=PAD)
        self.convolve = nn.Conv1d(_CHARACTER_WIDTH, filters, _KERNEL, padding=_KERNEL // 2)

    def forward(self, spellings: Tensor) -> Tensor:
        """From (distinct words, characters) to (distinct words, filters)."""
        responses = self.convolve(self.embed(spellings).transpose(1, 2))
        # padding is no part of a word, whatever batch it is in
        responses = responses.masked_fill((spellings == PAD)[:, None, :], -torch.inf)
        return responses.amax(dim=2).relu()


class TransformerEncoder(nn.Module):
    """Layers in which every word attends to every other."""

    def __init__(self, layers: int, width: int, heads: int, hidden: int, dropout: float, is_pre_norm: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(width, heads, hidden, dropout, is_pre_norm) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if is_pre_norm else nn.Identity()  # pre-norm layers leave their sum unnormed

    def forward(self, x: Tensor, is_word: Tensor) -> Tensor:
        """From (batch, words, width) to the same; `is_word` (batch, words) is False at padding."""
        mask = HeadMask.of_padding(is_word, x)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class LSTMEncoder(nn.Module):
    """Bidirectional LSTMs: on a small treebank they learn faster than self-attention does."""

    def __init__(self, layers: int, width: int, dropout: float) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.lstm = nn.LSTM(width, width // 2, layers, batch_first=True, bidirectional=True, dropout=between)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, is_word: Tensor) -> Tensor:
        """From (batch, words, width) to the same; `is_word` (batch, words) is False at padding."""
        lengths = is_word.sum(dim=1).cpu()
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.norm(x + read)
