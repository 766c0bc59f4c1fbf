"""A corpus on a Ray cluster: every worker is an actor of Ray Data that holds the models and parses shard after shard.

`DiscoseqActor` (integrations/batch_actor.py) is for pipelines of Ray Data that have rows instead of files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import discoseq
from discoseq.corpus.manifest import (
    CorpusCounts,
    CorpusFolder,
    CorpusOptions,
    ShardRecord,
    check_places,
    counts_of,
    describe_run,
)
from discoseq.corpus.parse_shard import ShardParser, WorkerSetup
from discoseq.corpus.remote_files import absolute_url, find_files
from discoseq.corpus.shards import Shard, count_files, make_shards
from discoseq.errors import DiscoseqError, ParserError, first_line, import_extra
from discoseq.integrations.batch_actor import DiscoseqActor
from discoseq.integrations.ray_session import RayCluster, ray_running, worker_count
from discoseq.model.model_files import model_fingerprint
from discoseq.parser.model_registry import find_model
from discoseq.text.tokenization import language_named

__all__ = ["CorpusCounts", "CorpusOptions", "CorpusProgress", "DiscoseqActor", "RayCluster", "parse_corpus"]

_MOST_TASKS = 10_000  # each costs the driver some milliseconds, and a moment before the first one begins


@dataclass(frozen=True, slots=True)
class CorpusProgress:
    """How far a run has come; what an earlier run has finished counts as finished."""

    shard_count: int
    line_count: int
    finished_shards: int
    finished_lines: int
    earlier_lines: int  # finished by earlier runs

    def after(self, record: ShardRecord) -> CorpusProgress:
        """When one more shard is finished."""
        lines = self.finished_lines + record.line_count
        return replace(self, finished_shards=self.finished_shards + 1, finished_lines=lines)


def parse_corpus(
    inputs: Sequence[str | Path],
    out: str | Path,
    options: CorpusOptions = CorpusOptions(),  # noqa: B008 - it can't be changed
    cluster: RayCluster = RayCluster(),  # noqa: B008
    on_progress: Callable[[CorpusProgress], None] = lambda progress: None,
) -> CorpusCounts:
    """Parse all sentences of files, folders, globs and URLs into a folder, and go on where an earlier call has ended.

    If Ray is initialized, its cluster is used, whatever the address. docs/scale.md describes input and output.

    >>> parse_corpus(["news/*.jsonl.gz"], "trees", CorpusOptions(models=("nl",)), RayCluster(workers=8))
    """
    ray = import_extra("ray", "ray", "parsing on a cluster")
    import_extra("ray.data", "ray", "parsing on a cluster")
    _check(options, cluster)
    located = replace(options, models=tuple(map(_located, options.models)))
    fingerprints = tuple(model_fingerprint(find_model(name)) for name in located.models)
    folder = CorpusFolder(absolute_url(str(out)), options.to_format)
    patterns = [str(path) for path in inputs]
    files = count_files(find_files(patterns), options.from_format, options.shard_lines)
    check_places(folder.url, patterns, files)
    started_with = describe_run(options, fingerprints, files)
    folder.begin(started_with, options.models)
    shards = make_shards(files, options.shard_lines)
    records = folder.finished(shards)
    earlier_lines = sum(record.line_count for record in records.values())
    line_count = sum(shard.line_count for shard in shards)
    progress = CorpusProgress(len(shards), line_count, len(records), earlier_lines, earlier_lines)
    on_progress(progress)
    folder.clean()
    missing = [shard for shard in shards if shard.number not in records]
    if missing:
        device = "cuda" if cluster.gpus_per_worker else None
        setup = WorkerSetup(located, folder, fingerprints, discoseq.__version__, device, cluster.threads)
        try:
            with ray_running(ray, cluster), closing(_parse_shards(ray, setup, missing, cluster)) as finished:
                for record in finished:
                    records[record.shard] = record
                    progress = progress.after(record)
                    on_progress(progress)
        finally:
            folder.clean()
    ordered = [records[shard.number] for shard in shards]
    folder.complete(started_with, options.models, ordered)
    return counts_of(ordered)


class _ShardActor:
    """A row of Ray Data has shards as JSON; the answer has their records, or a sentence that says what went wrong."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._parser = ShardParser(setup)

    def __call__(self, row: dict[str, str]) -> dict[str, str]:
        try:
            records = [asdict(self._parser.parse(Shard.from_dict(shard))) for shard in json.loads(row["shards"])]
        except DiscoseqError as error:
            return {"records": "[]", "error": str(error)}
        return {"records": json.dumps(records), "error": ""}


def _parse_shards(ray: Any, setup: WorkerSetup, shards: Sequence[Shard], cluster: RayCluster) -> Generator[ShardRecord]:
    """The record of every shard when it is finished; Ray repeats what a worker did that was killed."""
    rows = _rows(shards)
    count = min(worker_count(ray, cluster), len(rows))
    # a task of Ray Data is a block, and a block has one row: so much is done, and repeated, at a time
    answers = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        _ShardActor,
        fn_constructor_args=(setup,),
        # no shard waits for a worker while another worker is idle
        compute=ray.data.ActorPoolStrategy(size=count, max_tasks_in_flight_per_actor=1),
        num_cpus=cluster.threads,
        num_gpus=cluster.gpus_per_worker or None,
    )
    try:
        with closing(iter(answers.iter_rows())) as found:  # an error or an interruption ends the actors at once
            for answer in found:
                if answer["error"]:
                    raise ParserError(answer["error"])
                yield from map(ShardRecord.from_dict, json.loads(answer["records"]))
    except ray.exceptions.RayTaskError:  # an error in discoseq itself, with the worker's traceback
        raise
    except ray.exceptions.RayError as error:
        raise ParserError(f"Ray can't go on ({first_line(error)}); the same command goes on where it ended") from error


def _rows(shards: Sequence[Shard]) -> list[dict[str, str]]:
    """A shard in each row, or several where there are more shards than Ray can handle as tasks."""
    size = -(-len(shards) // _MOST_TASKS)
    groups = [shards[start : start + size] for start in range(0, len(shards), size)]
    return [{"shards": json.dumps([asdict(shard) for shard in group])} for group in groups]


def _located(model: str) -> str:
    """A model's name, or its folder from the root: workers have folders of their own."""
    return str(Path(model).resolve()) if Path(model).is_dir() else model


def _check(options: CorpusOptions, cluster: RayCluster) -> None:
    if options.language is not None:
        language_named(options.language)
    numbers = {
        "the beam size": options.beam_size,
        "the number of words": options.longest,
        "the lines of a shard": options.shard_lines,
        "the number of workers": cluster.workers,
        "the number of threads": cluster.threads,
    }
    for what, value in numbers.items():
        if value is not None and value < 1:
            raise ParserError(f"{what} must be at least 1, not {value}")
    if cluster.gpus_per_worker < 0:
        raise ParserError(f"the GPUs of a worker can't be fewer than 0, as {cluster.gpus_per_worker} is")
    if not options.models:
        raise ParserError("name at least one model to parse with")
