"""What a worker does: read a shard, parse it in chunks, and write its trees, then its record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import discoseq
from discoseq.corpus.lines import BadLine, CorpusSentence, LineReader
from discoseq.corpus.manifest import CorpusFolder, CorpusOptions, ShardRecord
from discoseq.corpus.remote_files import atomic_remote_file, delete, read_json_file, write_json_file
from discoseq.corpus.shard_output import ParsedSentence, open_trees, write_bad_lines
from discoseq.corpus.shards import Shard
from discoseq.errors import ParserError
from discoseq.model.model_files import model_fingerprint
from discoseq.parser.model_registry import find_model
from discoseq.storage import checksum

if TYPE_CHECKING:  # torch is imported where a shard is parsed, and not where shards are handed out
    from discoseq.parser.parser import Parser

_MOST_ATTEMPTS = 4  # at a shard in one run; whatever killed so many workers will kill the next


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What every worker needs to know."""

    options: CorpusOptions
    folder: CorpusFolder
    fingerprints: tuple[str, ...]  # of the models
    version: str  # of discoseq
    device: str | None = None
    threads: int = 1


class ShardParser:
    """Parses one shard after the other; the models are loaded for the first one."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._parser: Parser | None = None

    def parse(self, shard: Shard) -> ShardRecord:
        """The record of a shard, whose trees are written; one that is finished is not parsed again."""
        folder = self._setup.folder
        if (done := folder.finished_record(shard)) is not None:  # by a worker that was killed a moment later
            return done
        self._count_attempt(shard)
        record = self._write(shard, self._loaded())
        write_json_file(folder.record(shard), asdict(record))
        delete([folder.started(shard)])
        return record

    def _count_attempt(self, shard: Shard) -> None:
        path = self._setup.folder.started(shard)
        attempts = int((read_json_file(path) or {}).get("attempts", 0))
        if attempts >= _MOST_ATTEMPTS:
            raise ParserError(
                f"workers were killed {attempts} times while they parsed shard {shard.number} ({_place(shard)}); they "
                "may have run out of memory: use fewer of them, or a lower --longest in a new folder"
            )
        write_json_file(path, {"attempts": attempts + 1})

    def _loaded(self) -> Parser:
        """The parser; a machine of the cluster with another version or other models is refused."""
        if self._parser is None:
            from discoseq.parser.parser import Parser, limit_resources

            setup = self._setup
            if discoseq.__version__ != setup.version:
                raise ParserError(
                    f"a worker has discoseq {discoseq.__version__}, not {setup.version}; install the same"
                )
            if tuple(model_fingerprint(find_model(name)) for name in setup.options.models) != setup.fingerprints:
                raise ParserError(f"a worker has other models of the names {', '.join(setup.options.models)}")
            limit_resources(setup.threads)
            self._parser = Parser.load(setup.options.models, setup.options.language, setup.device)
        return self._parser

    def _write(self, shard: Shard, parser: Parser) -> ShardRecord:
        from discoseq.parser.parser import LARGEST_CHUNK, chunks

        options, folder = self._setup.options, self._setup.folder
        reader = LineReader(parser.rules, options.is_tokenized, options.longest)
        start = time.monotonic()
        line_count = sentence_count = word_count = bad_count = too_long_count = 0
        with ExitStack() as side_file, atomic_remote_file(folder.trees(shard)) as path:
            bad_path: Path | None = None
            with open_trees(path, options.to_format) as write:
                for chunk in chunks(reader.read(shard), LARGEST_CHUNK):
                    sentences = [line for line in chunk if isinstance(line, CorpusSentence)]
                    write(_parsed(parser, sentences, options.beam_size))
                    bad = [line for line in chunk if isinstance(line, BadLine)]
                    if bad:
                        bad_path = bad_path or side_file.enter_context(atomic_remote_file(folder.bad(shard)))
                        write_bad_lines(bad_path, bad)
                    line_count += len(chunk)
                    sentence_count += len(sentences)
                    word_count += sum(len(sentence.words) for sentence in sentences)
                    too_long_count += sum(line.is_too_long for line in bad)
                    bad_count += sum(not line.is_too_long for line in bad)
            return ShardRecord(
                shard.number,
                folder.tree_file(shard),
                checksum(path),
                path.stat().st_size,
                line_count,
                sentence_count,
                word_count,
                bad_count,
                too_long_count,
                round(time.monotonic() - start, 3),
                tuple({"file": x.file, "first_line": x.first_line, "line_count": x.line_count} for x in shard.pieces),
            )


def _parsed(parser: Parser, sentences: Sequence[CorpusSentence], beam_size: int | None) -> list[ParsedSentence]:
    """The best trees; sentences of similar length are parsed together."""
    from discoseq.parser.parser import DEFAULT_BEAM

    found = parser.nbest_all([sentence.words for sentence in sentences], 1, beam_size or DEFAULT_BEAM)
    return [ParsedSentence(sentence, best) for sentence, (best, *_) in zip(sentences, found, strict=True)]


def _place(shard: Shard) -> str:
    first = shard.pieces[0]
    return f"{first.file}, from line {first.first_line}"
