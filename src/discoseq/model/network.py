"""The network as a whole: sentences and actions in, scores out."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from discoseq.batching.examples import Batch
from discoseq.batching.sentence_batch import Sentences
from discoseq.model.decoder import Decoder
from discoseq.model.encoder import Encoder, RecurrentEncoder
from discoseq.model.features import WordFeatures


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What the network says about a batch."""

    actions: Tensor  # (batch, steps, actions)
    tags: Tensor | None  # (batch, words, tags)
    spines: Tensor | None  # (batch, words, spines)


class ParserNetwork(nn.Module):
    """Word features, encoder, decoder, and perhaps heads that read tags and spines off the encoder."""

    def __init__(
        self,
        features: WordFeatures,
        encoder: Encoder | RecurrentEncoder,
        decoder: Decoder,
        tagger: nn.Linear | None,
        spine_head: nn.Linear | None,
    ) -> None:
        super().__init__()
        self.features = features
        self.encoder = encoder
        self.decoder = decoder
        self.tagger = tagger
        self.spine_head = spine_head  # of no use but to teach the encoder

    def forward(self, batch: Batch) -> Scores:
        encoded = self.encode(batch.sentences)
        actions = self.decoder(batch.given, encoded, batch.sentences.is_word, batch.views)
        tags, spines = (None if head is None else head(encoded) for head in (self.tagger, self.spine_head))
        return Scores(actions, tags, spines)

    def encode(self, sentences: Sentences) -> Tensor:
        """Vectors (batch, words, width) of words in their sentence."""
        return self.encoder(self.features(sentences), sentences.is_word)
