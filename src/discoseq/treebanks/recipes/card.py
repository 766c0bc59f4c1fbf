"""card.json: what a prepared corpus was made from, what was left out, and its counts, so that figures can be traced."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from discoseq.treebanks.recipes.recipe import Portion
from discoseq.trees.covers import gap_degree
from discoseq.trees.punctuation import cover_of_words
from discoseq.trees.tree import Tree

CARD = "card.json"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that was left out or mended, and why."""

    split: str
    place: str  # the file with the line or the number of the sentence
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Gaps:
    """How many sentences and constituents are discontinuous."""

    sentences: int
    sentences_percent: float
    constituents: int
    constituents_percent: float


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """A file that was written; its constituents are counted without the root."""

    file: str
    sha256: str
    sentences: int
    expected_sentences: int | None  # of the complete corpus
    tokens: int
    longest_sentence: int
    constituents: int
    discontinuous: Gaps
    discontinuous_ignoring_punctuation: Gaps
    labels: dict[str, int]
    tags: dict[str, int]


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """The files that were read; the checksum is over their names and their own checksums."""

    files: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Card:
    """The contents of card.json."""

    recipe: str
    title: str
    language: str
    rules: str  # by which parses of the corpus are scored in the literature
    licence: str
    address: str
    discoseq: str  # the version
    source: SourceRecord
    settings: dict[str, str | bool | list[str]]
    steps: list[str]
    splits: dict[str, SplitRecord]
    missing: dict[str, list[str]]  # files that belong to the corpus but were not found in the source
    left_out: list[Remark]
    mended: list[Remark]
    made_continuous: int  # sentences
    warnings: list[str]

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def find_card(treebank: Path) -> dict[str, Any]:
    """The card of the prepared corpus that a file is a split of, as a table; an empty one for any other file."""
    try:
        table = json.loads((treebank.parent / CARD).read_text("utf-8"))
        is_split = any(split["file"] == treebank.name for split in table["splits"].values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # none, or a file of another program
        return {}
    return table if is_split else {}


@dataclass(slots=True)
class Tally:
    """Counts over the trees of a split, constituents without the root; `real` gaps are not of punctuation only."""

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
        words = cover_of_words(tree)
        below_root = list(tree.root.walk())[1:]
        gapped = [constituent.cover for constituent in below_root if constituent.is_discontinuous]
        real = sum(gap_degree(cover, words) > 0 for cover in gapped)
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


def record_split(path: Path, tally: Tally, expected: int | None) -> SplitRecord:
    return SplitRecord(
        file=path.name,
        sha256=checksum(path),
        sentences=tally.sentences,
        expected_sentences=expected,
        tokens=tally.tokens,
        longest_sentence=tally.longest,
        constituents=tally.constituents,
        discontinuous=_gaps(tally, tally.gapped_sentences, tally.gapped_constituents),
        discontinuous_ignoring_punctuation=_gaps(tally, tally.real_gapped_sentences, tally.real_gapped_constituents),
        labels=_by_frequency(tally.labels),
        tags=_by_frequency(tally.tags),
    )


def record_source(portions: Iterable[Portion]) -> SourceRecord:
    files = {portion.name: portion.path for portion in portions}
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{checksum(files[name])}  {name}\n".encode())
    return SourceRecord(len(files), digest.hexdigest())


def checksum(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _gaps(tally: Tally, sentences: int, constituents: int) -> Gaps:
    return Gaps(
        sentences, _percent(sentences, tally.sentences), constituents, _percent(constituents, tally.constituents)
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
