"""Counting the trees of a split as they pass by."""

from collections import Counter
from dataclasses import dataclass, field

from discoseq.trees.punctuation import is_punctuation
from discoseq.trees.tree import Tree


@dataclass(slots=True)
class Tally:
    """Sentences, tokens, constituents below the root, labels, and what of them is discontinuous.

    `real` gaps are those that are still there when punctuation is left out of the sentence.
    """

    sentences: int = 0
    tokens: int = 0
    longest: int = 0
    constituents: int = 0
    gapped_sentences: int = 0
    gapped_constituents: int = 0
    real_gapped_sentences: int = 0
    real_gapped_constituents: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)

    def add(self, tree: Tree) -> None:
        words = sum(1 << i for i, token in enumerate(tree.tokens) if not is_punctuation(token))
        below_root = list(tree.root.walk())[1:]
        gapped = [constituent.cover for constituent in below_root if constituent.is_discontinuous]
        real = sum(_has_gap(cover, words) for cover in gapped)
        self.sentences += 1
        self.tokens += len(tree.tokens)
        self.longest = max(self.longest, len(tree.tokens))
        self.constituents += len(below_root)
        self.gapped_sentences += bool(gapped)
        self.gapped_constituents += len(gapped)
        self.real_gapped_sentences += bool(real)
        self.real_gapped_constituents += real
        self.labels.update(constituent.label for constituent in below_root)
        self.tags.update(token.tag or "" for token in tree.tokens)


def _has_gap(cover: int, words: int) -> bool:
    """Whether a word that is not covered stands between covered words."""
    covered = cover & words
    if not covered:
        return False
    lowest = covered & -covered
    reach = (1 << covered.bit_length()) - lowest  # all tokens from the first covered word to the last
    return reach & words != covered
