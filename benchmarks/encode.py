"""The speed of a language model from words to a file of vectors, compared with its forward pass alone.

Both use the same batches, in turn, in one thread. Without a treebank the sentences are made up.

    python benchmarks/encode.py [TREEBANK] [ENCODER]
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import torch

from discoseq.batching.batches import batches_by_length
from discoseq.batching.subwords import SubwordBatch, SubwordTokenizer
from discoseq.model.pretrained.language_model import BATCH_SUBWORDS, LanguageModel, embed
from discoseq.model.pretrained.loading import load_pretrained
from discoseq.model.pretrained.presets import default_output
from discoseq.training.vector_cache import VectorFile
from discoseq.treebanks.files import read_trees

ROUNDS = 5
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "twenty.discbracket"
SENTENCES = 400  # to make up


def main(treebank: str | None, encoder: str) -> None:
    torch.set_num_threads(1)
    sentences = [list(tree.words) for tree in read_trees(treebank)] if treebank else invented_sentences()
    output = default_output(encoder)
    pretrained, body = load_pretrained(encoder, output)
    language_model = LanguageModel(body, pretrained.choice(output)).eval()
    batches = ready_batches(pretrained.tokenizer, sentences)
    words, subwords = sum(map(len, sentences)), sum(int(batch.is_subword.sum()) for batch in batches)
    padded = sum(batch.ids.numel() for batch in batches)

    def whole() -> None:
        with tempfile.TemporaryDirectory() as folder:
            ends = list(accumulate(map(len, sentences)))
            file = VectorFile(Path(folder), (), ends[-1], pretrained.width)
            with file.writing() as writer:
                for numbers, vectors in embed(language_model, pretrained.tokenizer, sentences):
                    for number, of_sentence in zip(numbers, vectors, strict=True):
                        writer.put(ends[number] - len(of_sentence), of_sentence)

    def bare() -> None:
        with torch.inference_mode():
            for batch in batches:
                body(batch.ids, batch.is_subword)

    seconds: dict[str, list[float]] = {"whole": [], "bare": []}
    for _ in range(ROUNDS):  # in turn, so that other load on the machine affects both
        seconds["bare"].append(cpu_seconds(bare))
        seconds["whole"].append(cpu_seconds(whole))
    best = {name: min(values) for name, values in seconds.items()}
    print(f"{encoder}, {output}: {len(sentences):,} sentences, {words:,} words, {subwords:,} subwords; one thread")
    print(f"padding                   {1 - subwords / padded:8.1%}")
    print(f"forward pass alone        {len(sentences) / best['bare']:8,.0f} sentences per CPU-second")
    print(f"words to vectors on disk  {len(sentences) / best['whole']:8,.0f} sentences per CPU-second")
    print(f"share                     {best['bare'] / best['whole']:8.1%}")


def ready_batches(tokenizer: SubwordTokenizer, sentences: list[list[str]]) -> list[SubwordBatch]:
    """The batches that `embed` makes."""
    subwords = tokenizer.split(sentences)
    lengths = [sum(map(len, words)) for words in subwords]
    return [tokenizer.batch([subwords[i] for i in x]) for x in batches_by_length(lengths, BATCH_SUBWORDS)]


def invented_sentences() -> list[list[str]]:
    """Real words in random order, in sentences as long as those of newspapers."""
    chance = random.Random(1)
    words = [word for tree in read_trees(EXAMPLE) for word in tree.words]
    return [[chance.choice(words) for _ in range(max(1, round(chance.gauss(20, 9))))] for _ in range(SENTENCES)]


def cpu_seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None, sys.argv[2] if len(sys.argv) > 2 else "minilm")
