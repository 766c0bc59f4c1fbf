"""A reference implementation of word vectors: one sentence at a time, with words found by character offsets."""

from pathlib import Path

import numpy as np
import torch
import transformers


class ReferenceEncoder:
    """Uses transformers alone, and nothing of this package."""

    def __init__(self, directory: Path | str) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
        self.model = transformers.AutoModel.from_pretrained(directory, local_files_only=True).eval()

    def vectors(self, words: list[str], first: int, last: int) -> np.ndarray:
        """The mean of layers first to last (words, width)."""
        text, spans = "", []
        for word in words:
            spans.append((len(text), len(text) + 1 + len(word)))  # with the space, which may be a subword of its own
            text += f" {word}"
        encoded = self.tokenizer(text, return_offsets_mapping=True, return_tensors="pt", truncation=False)
        with torch.no_grad():
            inputs = {"input_ids": encoded.input_ids, "attention_mask": encoded.attention_mask}
            layers = self.model(**inputs, output_hidden_states=True).hidden_states
        states = sum(layers[first : last + 1])[0] / (last + 1 - first)
        found = []
        for start, end in spans:
            # special tokens end at 0; a subword that is only a space has an end, but may have no length
            ends = encoded.offset_mapping[0, :, 1].tolist()
            own = [i for i, subword_end in enumerate(ends) if start < subword_end <= end]
            found.append(states[own].mean(dim=0).numpy())
        return np.stack(found)
