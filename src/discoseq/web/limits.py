"""What a request may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest request that is answered."""

    words: int = 500  # of a sentence
    sentences: int = 200  # of a request
    step_words: int = 100  # of a sentence whose derivation is wanted: every step lists all words
    word_characters: int = 1000
    request_bytes: int = 1 << 20
    upload_bytes: int = 8 << 20  # of a treebank, decompressed
    upload_sentences: int = 5000
    seconds: int = 30
    requests: int = 256  # in hand at a time

    @property
    def brackets(self) -> int:
        """Of a tree that a client sends: tags, and more constituents than a tree of so many words has."""
        return 5 * self.words


DEFAULT_LIMITS = Limits()
