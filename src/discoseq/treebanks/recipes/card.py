"""card.json: what was made of what, and what was left out, so that a figure can be traced to its data."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from discoseq.treebanks.recipes.recipe import Portion
from discoseq.treebanks.recipes.tally import Tally


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that was left out, or mended, and why."""

    split: str
    place: str
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
    """One of the files that were written; constituents are those below the root."""

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
    """All there is to say of a prepared corpus."""

    recipe: str
    title: str
    language: str
    licence: str
    address: str
    discoseq: str  # the version that made it
    source: SourceRecord
    settings: dict[str, str | bool | list[str]]
    steps: list[str]
    splits: dict[str, SplitRecord]
    missing: dict[str, list[str]]  # files that the distribution has and the source has not
    left_out: list[Remark]
    mended: list[Remark]
    warnings: list[str]

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


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
