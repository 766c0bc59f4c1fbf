"""The network as a whole, and a model: a network with all that it takes to use it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor, nn

from discoseq.batching.examples import Batch
from discoseq.batching.sentence_batch import SentenceBatch
from discoseq.batching.state_features import NEAREST_WORDS, WORDS, WORDS_WITH_CORNERS
from discoseq.batching.vocabularies import Vocabularies
from discoseq.linearizations.linearization import DEFAULT_UNARY_LIMIT, linearization
from discoseq.linearizations.machine import EXACT, Machine
from discoseq.model.decoder import Decoder, Pointer
from discoseq.model.encoder import LSTMEncoder, TransformerEncoder, WordFeatures
from discoseq.model.pretrained.language_model import LanguageModel, Pretrained
from discoseq.model.settings import ModelSettings, check_settings

_FEATURE_WORDS = {"none": 0, "words": NEAREST_WORDS, "corners": WORDS_WITH_CORNERS, "labels": WORDS_WITH_CORNERS}


@dataclass(frozen=True, slots=True, eq=False)
class NetworkScores:
    """What the network says about a batch; None where it has no such head."""

    actions: Tensor  # (batch, steps, actions)
    tags: Tensor | None  # (batch, words, tags)
    ancestors: Tensor | None  # (batch, words, ancestor labels)


class ParserNetwork(nn.Module):
    """Word features, encoder, decoder, and perhaps heads that predict tags and ancestor labels from the encoder."""

    def __init__(
        self,
        features: WordFeatures,
        encoder: TransformerEncoder | LSTMEncoder,
        decoder: Decoder,
        tag_head: nn.Linear | None,
        ancestor_head: nn.Linear | None,
    ) -> None:
        super().__init__()
        self.features = features
        self.encoder = encoder
        self.decoder = decoder
        self.tag_head = tag_head
        self.ancestor_head = ancestor_head  # only for its auxiliary loss

    def forward(self, batch: Batch) -> NetworkScores:
        encoded = self.encode(batch.sentences)
        source = self.decoder.read(encoded, batch.sentences.is_word)
        actions = self.decoder(source, batch.previous, batch.masks, batch.features)
        tags, ancestors = (None if head is None else head(encoded) for head in (self.tag_head, self.ancestor_head))
        return NetworkScores(actions, tags, ancestors)

    def encode(self, sentences: SentenceBatch) -> Tensor:
        """Vectors (batch, words, width) of words in their sentence."""
        return self.encoder(self.features(sentences), sentences.is_word)


@dataclass(frozen=True, slots=True)
class Heads:
    """Which auxiliary heads a network has."""

    tags: bool = False
    ancestors: bool = False


NO_HEADS = Heads()


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The network, the vocabularies that its numbers refer to, and the machine that its actions drive."""

    settings: ModelSettings
    vocabularies: Vocabularies
    machine: Machine
    network: ParserNetwork
    pretrained: Pretrained | None = None  # the language model whose vectors the network reads

    @classmethod
    def create(
        cls,
        settings: ModelSettings,
        vocabularies: Vocabularies,
        linearization_name: str,
        heads: Heads = NO_HEADS,
        unary_limit: int = DEFAULT_UNARY_LIMIT,
        pretrained: Pretrained | None = None,
        body: nn.Module | None = None,
        vector_width: int = 0,
        constraints: str = EXACT,
    ) -> Model:
        """A model with random weights from torch's global generator.

        A language model's `body` becomes part of the network; without it, the network takes precomputed vectors, of the
        width of the language model or of the `vector_width` given.
        """
        if pretrained is not None and body is not None:
            vocabularies = replace(vocabularies, subwords=pretrained.tokenizer)
        machine = Machine(linearization(linearization_name), vocabularies.actions, unary_limit, constraints)
        check_settings(settings, vector_width)
        features = _word_features(settings, vocabularies, pretrained, body, vector_width)
        network = _build_network(settings, vocabularies, features, heads)
        return cls(settings, vocabularies, machine, network, pretrained)

    @property
    def heads(self) -> Heads:
        """The auxiliary heads that the network has."""
        return Heads(self.network.tag_head is not None, self.network.ancestor_head is not None)


def _word_features(
    s: ModelSettings,
    vocabularies: Vocabularies,
    pretrained: Pretrained | None,
    body: nn.Module | None,
    vector_width: int,
) -> WordFeatures:
    choice = None if pretrained is None else pretrained.choice(s.pretrained_layers)
    return WordFeatures(
        words=len(vocabularies.words),
        characters=len(vocabularies.characters),
        width=s.width,
        dropout=s.dropout,
        word_width=s.word_width,
        word_dropout=s.word_dropout,
        character_filters=s.character_filters,
        vector_width=vector_width if pretrained is None else pretrained.width,
        mixed_vectors=1 if choice is None else choice.outputs,
        language_model=None if choice is None or body is None else LanguageModel(body, choice),
        is_standardized=pretrained is not None and pretrained.tokenizer.is_causal,
        has_positions=s.positions,
    )


def _build_network(s: ModelSettings, vocabularies: Vocabularies, features: WordFeatures, heads: Heads) -> ParserNetwork:
    encoder: TransformerEncoder | LSTMEncoder
    if s.encoder == "lstm":
        encoder = LSTMEncoder(s.encoder_layers, s.width, s.dropout)
    else:
        encoder = TransformerEncoder(s.encoder_layers, s.width, s.heads, s.hidden, s.dropout, s.pre_norm)
    decoder = Decoder(
        actions=len(vocabularies.actions),
        layers=s.decoder_layers,
        width=s.width,
        heads=s.heads,
        hidden=s.hidden,
        dropout=s.dropout,
        is_pre_norm=s.pre_norm,
        buffer_heads=s.buffer_heads,
        stack_heads=s.stack_heads,
        dedicated_layers=s.dedicated_layers,
        feature_words=WORDS if s.pointer else _FEATURE_WORDS[s.state_features],
        feature_labels=len(vocabularies.actions.labels) if s.state_features == "labels" else 0,
        pointer=Pointer(s.width, vocabularies.actions) if s.pointer else None,
    )
    tag_head = nn.Linear(s.width, len(vocabularies.tags)) if heads.tags else None
    ancestor_head = nn.Linear(s.width, len(vocabularies.ancestors)) if heads.ancestors else None
    return ParserNetwork(features, encoder, decoder, tag_head, ancestor_head)
