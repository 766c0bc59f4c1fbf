"""The choices that make a network, with the paper's values for what the paper says."""

from __future__ import annotations

from dataclasses import dataclass

from discoseq.errors import ModelError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Plain numbers; `build_network` gives them to the modules."""

    width: int = 256
    heads: int = 4
    hidden: int = 512  # of the feed-forward layers
    encoder_layers: int = 6
    decoder_layers: int = 6
    recurrent: bool = False  # the encoder's layers are LSTMs in both directions, not attention
    dropout: float = 0.3
    pre_norm: bool = False
    stack_heads: int = 1  # of the decoder's heads, those that see only the stack; with 0 and 0 a plain Transformer
    buffer_heads: int = 1
    pointed: bool = False  # give the decoder the words in front of stack and buffer as input
    corners: bool = False  # and more of them: last words of the two top elements, the third, the second in the buffer
    labels: bool = False  # and the labels of the top elements and of the innermost open constituents
    fetching: bool = False  # SHIFT#k is scored by the word that it would fetch, too; the decoder is given the next one
    tagger: bool = False  # predict tags from the encoder
    spines: bool = False  # and, only to teach the encoder, the labels of each word's parent and grandparent
    encoder: str = ""  # a pre-trained language model: a preset, a directory or a name on the hub; empty: none
    encoder_output: str = ""  # its layers: last, 3, mean 1-24, mix 0-6; empty: the preset's choice, or last
    vector_width: int = 0  # of vectors that come from elsewhere as arrays, 0 for none
    word_width: int = 0  # of learnt word embeddings, 0 for none
    word_dropout: float = 0.1  # how often a word is taken for unknown in training
    min_word_count: int = 2  # rarer words have no embedding
    character_width: int = 32
    character_filters: int = 0  # 0: no characters
    positions: bool = False  # in the encoder; a language model's vectors bring their own
    unary_limit: int = 4  # the longest unary chain that the parser builds


def check_settings(settings: ModelSettings) -> None:
    """Raise a ModelError for the first choice that makes no network."""
    s = settings
    for is_wrong, what in [
        (s.width < 4 or s.width % 2, f"width is {s.width}, and it must be even and at least 4"),
        (s.heads < 1 or s.width % s.heads, f"{s.heads} heads can't share a width of {s.width} evenly"),
        (s.hidden < 1, f"hidden is {s.hidden}, and it must be at least 1"),
        (min(s.encoder_layers, s.decoder_layers - 1) < 0, "a decoder has at least one layer, an encoder none or more"),
        (s.recurrent and not s.encoder_layers, "a recurrent encoder has at least one layer"),
        (not 0 <= s.dropout < 1, f"dropout is {s.dropout}, and it must be in [0, 1)"),
        (not 0 <= s.word_dropout < 1, f"word_dropout is {s.word_dropout}, and it must be in [0, 1)"),
        (min(s.stack_heads, s.buffer_heads) < 0, "the number of dedicated heads can't be negative"),
        (s.corners and not s.pointed, "corners are words that a pointed decoder is given: set pointed too"),
        (s.fetching and not s.corners, "fetching goes on from the corners of the stack: set corners too"),
        (s.stack_heads + s.buffer_heads > s.heads, f"more heads are dedicated than the {s.heads} there are"),
        (
            min(s.vector_width, s.word_width, s.character_filters) < 0,
            "the width of a word's features can't be negative",
        ),
        (
            not (s.vector_width + s.word_width + s.character_filters or s.encoder),
            "a word needs features: set encoder, word_width, character_filters or vector_width",
        ),
        (s.vector_width and s.encoder, "vectors come from an encoder or from arrays (vector_width), not from both"),
        (s.character_filters and s.character_width < 1, "character_width must be at least 1"),
    ]:
        if is_wrong:
            raise ModelError(what)
