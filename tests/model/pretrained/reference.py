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
        self.is_causal = self.model.config.model_type in ("llama", "gemma3_text", "qwen2")

    def vectors(self, words: list[str], first: int, last: int) -> np.ndarray:
        """The mean of layers first to last (words, width)."""
        text, spans = "", []
        for word in words:
            spans.append((len(text), len(text) + 1 + len(word)))  # with the space, which may be a subword of its own
            text += f" {word}"
        if self.is_causal:
            ids, ends = self._causal_input(text)
        else:
            encoded = self.tokenizer(text, return_offsets_mapping=True, truncation=False)
            # special tokens end at 0; a subword that is only a space has an end, but may have no length
            ids, ends = encoded.input_ids, [end for _, end in encoded.offset_mapping]
        with torch.no_grad():
            layers = self.model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
        states = sum(layers[first : last + 1])[0] / (last + 1 - first)
        found = []
        for start, end in spans:
            own = [i for i, subword_end in enumerate(ends) if start < subword_end <= end]
            own = own[-1:] if self.is_causal and last > 0 else own  # embeddings see no neighbours
            found.append(states[own].mean(dim=0).numpy())
        return np.stack(found)

    def _causal_input(self, text: str) -> tuple[list[int], list[int]]:
        """The subwords that the text has after another word, behind a start token; and where each ends."""
        encoded = self.tokenizer(f"a{text}", return_offsets_mapping=True, truncation=False, add_special_tokens=False)
        pairs = [(i, end - 1) for i, (_, end) in zip(encoded.input_ids, encoded.offset_mapping, strict=True) if end > 1]
        bos = self.tokenizer.bos_token_id
        start = self.tokenizer.eos_token_id if bos is None else bos
        return [start, *(i for i, _ in pairs)], [0, *(end for _, end in pairs)]
