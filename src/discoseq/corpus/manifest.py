"""What a corpus was parsed with, and what is finished: by these files alone, an interrupted run goes on.

manifest.json says what the run was begun with; when all is finished, also counts and checksums of all shards.
trees/ has a file of trees for every shard, bad/ the lines that were not parsed, and done/ a record of every finished
shard, which a worker writes last. started/ counts how often a shard was begun, as long as it is not finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import discoseq
from discoseq.corpus.remote_files import (
    absolute_url,
    delete,
    is_inside,
    make_folder,
    read_json_file,
    size_of,
    sizes_in,
    write_json_file,
)
from discoseq.corpus.shard_output import BAD_SUFFIX, TreeFormat
from discoseq.corpus.shards import CorpusFormat, CountedFile, Shard
from discoseq.errors import TreebankError
from discoseq.storage import Record, differences

_MANIFEST = "manifest.json"
_FOLDERS = ("trees", "bad", "done", "started")
_THREADS = 16  # records that are read side by side
_IS_PARTIAL = ".partial"  # as storage.atomic_file names what is not complete


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What the trees of a corpus depend on, beside its sentences."""

    models: tuple[str, ...] = ("en",)
    language: str | None = None  # None: that of the model
    beam_size: int | None = None  # None: the default
    is_tokenized: bool = False
    from_format: CorpusFormat | None = None  # None: by the suffix of each file
    to_format: TreeFormat = TreeFormat.DISCBRACKET
    longest: int = 500  # words of a sentence
    shard_lines: int = 2000


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """What became of a shard."""

    shard: int
    file: str  # of its trees, below the output folder
    checksum: str
    byte_count: int
    line_count: int
    sentence_count: int  # parsed
    word_count: int  # of these
    bad_count: int  # lines that can't be parsed
    too_long_count: int  # sentences with more words than allowed
    seconds: float  # from the first line to the last tree, on one worker
    input: tuple[Mapping[str, object], ...]  # files, first lines and numbers of lines

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ShardRecord:
        """What `dataclasses.asdict` made of it, also after it was JSON."""
        return cls(**{**table, "input": tuple(table["input"])})


@dataclass(frozen=True, slots=True)
class CorpusFolder:
    """The output folder of a corpus, at any URL."""

    url: str
    to_format: TreeFormat

    def trees(self, shard: Shard) -> str:
        return f"{self.url}/{self.tree_file(shard)}"

    def tree_file(self, shard: Shard) -> str:
        return f"trees/{shard.name}{self.to_format.suffix}"

    def bad(self, shard: Shard) -> str:
        return f"{self.url}/bad/{shard.name}{BAD_SUFFIX}"

    def record(self, shard: Shard) -> str:
        return f"{self.url}/done/{shard.name}.json"

    def started(self, shard: Shard) -> str:
        return f"{self.url}/started/{shard.name}.json"

    def begin(self, started_with: Record, models: Sequence[str]) -> None:
        """Write the manifest, or go on with one that says the same; another one is refused.

        The names of the models are for people: by their fingerprints, models may have other names the next time.
        """
        path = f"{self.url}/{_MANIFEST}"
        before = read_json_file(path)
        if before is None:
            self._refuse_other_files()
            for name in _FOLDERS:
                make_folder(f"{self.url}/{name}")
            write_json_file(path, {"is_finished": False, "models": list(models), "started_with": started_with})
        elif found := differences(before.get("started_with", {}), started_with):
            raise TreebankError(
                f"these trees were begun by a command that differs in {found}; repeat that command to go on with it, "
                "or name another folder",
                path,
            )

    def finished(self, shards: Iterable[Shard]) -> dict[int, ShardRecord]:
        """The records of the shards whose trees are there, by their numbers."""
        recorded = sizes_in(f"{self.url}/done")
        with ThreadPoolExecutor(_THREADS) as pool:
            records = pool.map(self.finished_record, [x for x in shards if f"{x.name}.json" in recorded])
            return {record.shard: record for record in records if record is not None}

    def finished_record(self, shard: Shard) -> ShardRecord | None:
        """The record of a shard, if it is finished and its trees are as long as they were."""
        table = read_json_file(self.record(shard))
        record = None if table is None else ShardRecord.from_dict(table)
        return record if record is not None and size_of(self.trees(shard)) == record.byte_count else None

    def complete(self, started_with: Record, models: Sequence[str], records: Sequence[ShardRecord]) -> None:
        """Write the manifest of a corpus whose shards are all finished."""
        content: dict[str, Any] = {
            "is_finished": True,
            "counts": asdict(counts_of(records)),
            "models": list(models),
            "started_with": started_with,
            "shards": [asdict(record) for record in records],
        }
        write_json_file(f"{self.url}/{_MANIFEST}", content)

    def clean(self) -> None:
        """Delete what workers have left that were killed."""
        for name in _FOLDERS:
            folder = f"{self.url}/{name}"
            delete([f"{folder}/{file}" for file in sizes_in(folder) if name == "started" or file.endswith(_IS_PARTIAL)])

    def _refuse_other_files(self) -> None:
        others = [name for name in sizes_in(self.url) if not name.startswith(".")]
        if others:
            raise TreebankError(f"this folder has other files in it ({others[0]}); name a new one", self.url)


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Sums over all shards."""

    shard_count: int
    line_count: int
    sentence_count: int
    word_count: int
    bad_count: int
    too_long_count: int


def counts_of(records: Sequence[ShardRecord]) -> CorpusCounts:
    return CorpusCounts(
        shard_count=len(records),
        line_count=sum(record.line_count for record in records),
        sentence_count=sum(record.sentence_count for record in records),
        word_count=sum(record.word_count for record in records),
        bad_count=sum(record.bad_count for record in records),
        too_long_count=sum(record.too_long_count for record in records),
    )


def describe_run(
    options: CorpusOptions, fingerprints: Sequence[str], files: Sequence[CountedFile]
) -> dict[str, object]:
    """All that must be equal where a run goes on, by the names that a user knows."""
    return {
        "the version of discoseq": discoseq.__version__,
        "the models": list(fingerprints),
        "--beam": options.beam_size,
        "--language": options.language,
        "--tokenized": options.is_tokenized,
        "--from": options.from_format,
        "--to": options.to_format,
        "--longest": options.longest,
        "--shard-lines": options.shard_lines,
        "the input": [
            {"file": x.file.name, "checksum": x.checksum, "byte_count": x.byte_count, "line_count": x.line_count}
            for x in files
        ],
    }


def check_places(out: str, inputs: Sequence[str], files: Sequence[CountedFile]) -> None:
    """Trees in a folder that is read, or beside files that are read, would be read by the next run."""
    is_read = any(is_inside(file.file.url, out) for file in files)
    if is_read or any(is_inside(out, absolute_url(path)) for path in inputs):
        raise TreebankError("the trees can't be written to a folder that is read", out)
