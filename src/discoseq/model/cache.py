"""What the decoder remembers between steps: the keys and values of earlier actions, and those of the words."""

from __future__ import annotations

from torch import Tensor

_CHUNK = 64  # steps by which the memory grows, so that a step is not a copy of all before it


class DecoderCache:
    """Rows are hypotheses, sentence by sentence, equally many for each; what belongs to the words is kept once."""

    def __init__(self, encoded: Tensor, is_word: Tensor, sources: list[tuple[Tensor, Tensor]]) -> None:
        self.encoded = encoded  # (sentences, words, width)
        self.is_word = is_word  # (sentences, words)
        self.sources = sources  # a layer: keys and values (sentences, heads, words, head width)
        self.length = 0
        self._memory: list[Tensor | None] = [None] * len(sources)  # a layer: (2, rows, heads, capacity, head width)

    def extend(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values (rows, heads, 1, head width) of this step; all so far."""
        memory = self._memory[layer]
        if memory is None or self.length == memory.shape[3]:
            grown = keys.new_empty(2, *keys.shape[:2], self.length + _CHUNK, keys.shape[3])
            if memory is not None:
                grown[:, :, :, : self.length] = memory
            self._memory[layer] = memory = grown
        memory[0, :, :, self.length] = keys[:, :, 0]
        memory[1, :, :, self.length] = values[:, :, 0]
        return memory[0, :, :, : self.length + 1], memory[1, :, :, : self.length + 1]

    def select(self, rows: Tensor) -> None:
        """Continue with these hypotheses, in this order, any of them as often as it is named."""
        self._memory = [None if memory is None else memory.index_select(1, rows) for memory in self._memory]

    def keep_sentences(self, sentences: Tensor) -> None:
        """Drop what belongs to all other sentences."""
        self.encoded = self.encoded[sentences]
        self.is_word = self.is_word[sentences]
        self.sources = [(keys[sentences], values[sentences]) for keys, values in self.sources]
