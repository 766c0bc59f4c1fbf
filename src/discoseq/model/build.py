"""From settings and vocabularies to a network."""

from torch import nn

from discoseq.batching.vocabularies import Vocabularies
from discoseq.model.decoder import Decoder
from discoseq.model.encoder import Encoder, RecurrentEncoder
from discoseq.model.features import WordFeatures
from discoseq.model.fetching import Fetching
from discoseq.model.network import ParserNetwork
from discoseq.model.pretrained.language_model import LanguageModel, Pretrained
from discoseq.model.settings import ModelSettings, check_settings


def build_network(
    settings: ModelSettings, vocabularies: Vocabularies, pretrained: Pretrained | None, body: nn.Module | None
) -> ParserNetwork:
    """A network with random weights; without a body it is given the vectors of the language model."""
    check_settings(settings)
    s = settings
    choice = None if pretrained is None else pretrained.choice(s.encoder_output)
    features = WordFeatures(
        words=len(vocabularies.words),
        characters=len(vocabularies.characters),
        width=s.width,
        dropout=s.dropout,
        word_width=s.word_width,
        word_dropout=s.word_dropout,
        character_width=s.character_width,
        character_filters=s.character_filters,
        vector_width=s.vector_width if pretrained is None else pretrained.width,
        mixed_vectors=1 if choice is None else choice.outputs,
        language_model=None if choice is None or body is None else LanguageModel(body, choice),
        has_positions=s.positions,
    )
    encoder: Encoder | RecurrentEncoder
    if s.recurrent:
        encoder = RecurrentEncoder(s.encoder_layers, s.width, s.dropout)
    else:
        encoder = Encoder(s.encoder_layers, s.width, s.heads, s.hidden, s.dropout, s.pre_norm)
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
        is_pointed=s.pointed,
        sees_corners=s.corners,
        labels=len(vocabularies.actions.labels) if s.labels else 0,
        fetching=Fetching(s.width, vocabularies.actions) if s.fetching else None,
    )
    tagger = nn.Linear(s.width, len(vocabularies.tags)) if s.tagger else None
    spine_head = nn.Linear(s.width, len(vocabularies.spines)) if s.spines else None
    return ParserNetwork(features, encoder, decoder, tagger, spine_head)
