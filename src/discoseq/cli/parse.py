"""`discoseq parse`: raw text, words or a treebank -> trees."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from discoseq.cli.continuous import CONTINUOUS_FORMATS, ContinuousOption, ContinuousTrees
from discoseq.cli.parse_options import (
    DEFAULT_MODEL,
    AbbreviationsOption,
    BeamOption,
    DeviceOption,
    LanguageOption,
    LineBreaksOption,
    ScoreOption,
    SentencesOption,
    ThreadsOption,
    TokenizedOption,
    UndecodableOption,
    WordsFromOption,
)
from discoseq.cli.reading import FORMAT_NAMES, EncodingOption, SkipBadOption
from discoseq.parser.output import Result, check_output, format_of_output, render
from discoseq.text.tokenization import language_named, read_abbreviations
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output

if TYPE_CHECKING:  # torch is imported only when parsing begins
    from discoseq.cli.parse_input import Sentences, SourceSentence
    from discoseq.decoding.decode import Candidate
    from discoseq.parser.parser import Parser
    from discoseq.parser.workers import Job
    from discoseq.search.beam import Score
    from discoseq.trees.tree import Token

Parsed: TypeAlias = "tuple[SourceSentence, list[Candidate]]"


def parse(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text files, plain or gzipped, folders of them, or - for standard input. Default: standard input."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", "-t", help="Parse this text instead of files. Default: read files.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="A model's name or directory; given again: several models as one. Default: en."
        ),
    ] = None,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--to", help=f"{FORMAT_NAMES}, text or svg. Default: by the suffix of the output, else discbracket."
        ),
    ] = None,
    tokenized: TokenizedOption = False,
    sentences: SentencesOption = False,
    from_format: WordsFromOption = None,
    beam: BeamOption = None,
    score: ScoreOption = None,
    nbest: Annotated[int, typer.Option(min=1, help="Trees for every sentence.")] = 1,
    continuous: ContinuousOption = None,
    scores: Annotated[bool, typer.Option("--scores", help="Add probabilities and confidences.")] = False,
    language: LanguageOption = None,
    line_breaks: LineBreaksOption = None,
    abbreviations: AbbreviationsOption = None,
    threads: ThreadsOption = 1,
    processes: Annotated[int, typer.Option(min=1, help="Processes to work side by side.")] = 1,
    device: DeviceOption = None,
    encoding: EncodingOption = None,
    errors: UndecodableOption = None,
    skip_bad: SkipBadOption = False,
    output: Annotated[str, typer.Option("--output", "-o", help="A file, or - for standard output.")] = STANDARD_STREAM,
    output_dir: Annotated[
        str | None,
        typer.Option("--output-dir", help="A folder, for an output of each input file. Default: one output for all."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave out the files whose output is in the folder --output-dir already.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only: no progress, no notes, no summary.")
    ] = False,
) -> None:
    """Parse text.

    Example: `discoseq parse --text "Which letter did Ben find?" --to text`
    """
    from discoseq.cli.parse_input import Input, Sentences
    from discoseq.cli.parse_output import find_targets

    source = Input(
        files or [], text, encoding, tokenized, sentences, from_format, skip_bad, errors, line_breaks, abbreviations
    )
    more_abbreviations = read_abbreviations(abbreviations) if abbreviations else []
    if output_dir is not None and (output != STANDARD_STREAM or text is not None):
        raise typer.BadParameter("--output-dir excludes --output and --text")
    if resume and output_dir is None:
        raise typer.BadParameter("--resume needs --output-dir, where the finished files are")
    target_format = to_format or format_of_output(output)
    check_output(target_format, scores)
    if language is not None:
        language_named(language)
    targets = find_targets(source.find_files(output_dir), output, output_dir, target_format, resume)
    if not targets:
        _say(f"all files have their output in {output_dir}", quiet)
        return
    is_shown = output == STANDARD_STREAM and output_dir is None and not _is_redirected()
    has_bar = not quiet and not is_shown and sys.stderr.isatty()

    from discoseq.parser.parser import DEFAULT_BEAM, Parser, limit_resources
    from discoseq.parser.workers import Job

    size = beam or DEFAULT_BEAM
    wanted = max(nbest, size) if scores else nbest
    chosen_score = cast("Score | None", score and score.value)
    job = Job(
        models or [DEFAULT_MODEL], language, device, wanted, nbest, size, threads, more_abbreviations, chosen_score
    )
    limit_resources(threads)
    parser = Parser.load(job.model, language, device, job.abbreviations, job.score)
    reader = Sentences(source, [file for target in targets for file in target.files], parser.rules)
    if reader.is_terminal:
        _say(f"reading {source.kind} from the terminal; Ctrl-D ends it", quiet)
    is_continuous = continuous is not None or target_format in CONTINUOUS_FORMATS
    results = _Results(nbest, ContinuousTrees(continuous, target_format) if is_continuous else None)
    start = time.monotonic()
    with (
        closing(_parsed(parser, job, reader, processes, is_watched=is_shown or has_bar)) as parsed,
        closing(parsed if quiet or not reader.files else _with_progress(parsed, reader, has_bar)) as shown,
    ):
        by_target = _ByTarget(shown, reader)
        width = shutil.get_terminal_size().columns if is_shown and sys.stdout.isatty() else None
        last = -1
        for target in targets:
            last += max(1, len(target.files))
            _write(render(results.of(by_target.up_to(last)), target_format, scores, width), target.path)
    if not quiet:
        reader.report()
        results.report()
    if output != STANDARD_STREAM or output_dir is not None:
        _say(_summary(reader.count, output_dir or output, time.monotonic() - start), quiet)


def _parsed(parser: Parser, job: Job, reader: Sentences, processes: int, is_watched: bool) -> Generator[Parsed]:
    """Every sentence that could be read, with its candidates; processes are started at once."""
    from discoseq.parser.workers import parse_in_processes

    waiting: deque[SourceSentence] = deque()

    def chunks() -> Iterator[list[tuple[Token, ...]]]:
        for chunk in reader.chunks(is_watched, processes):
            waiting.extend(chunk)
            yield [sentence.tokens for sentence in chunk]

    def pairs(found: Generator[list[Candidate]]) -> Generator[Parsed]:
        with closing(found):
            for candidates in found:
                yield waiting.popleft(), candidates

    if processes > 1:
        return pairs(parse_in_processes(job, chunks(), processes, parser))
    return pairs(
        candidates
        for chunk in chunks()
        for candidates in parser.nbest_all(chunk, job.nbest, job.beam_size, required=job.required)
    )


class _ByTarget:
    """Hands out the sentences of one output after the other.

    An error of the reader is raised where the file ends that it is about: outputs before it are complete.
    """

    def __init__(self, parsed: Iterator[Parsed], reader: Sentences) -> None:
        self._parsed = parsed
        self._reader = reader
        self._next: Parsed | None = None

    def up_to(self, last: int) -> Iterator[Parsed]:
        """Those of the files up to this number that have not been handed out."""
        while (item := self._next or next(self._parsed, None)) is not None:
            self._next = item
            if item[0].file_number > last:
                return
            self._next = None
            yield item
        if self._reader.error is not None and self._reader.file_number <= last:
            raise self._reader.error


class _Results:
    """What is written of every sentence; sentences with fewer trees than were asked for are counted."""

    def __init__(self, nbest: int, continuous: ContinuousTrees | None) -> None:
        self._nbest = nbest
        self._continuous = continuous
        self._with_fewer_trees = 0
        self._repaired = 0

    def of(self, parsed: Iterable[Parsed]) -> Iterator[Result]:
        for number, (sentence, candidates) in enumerate(parsed, 1):
            self._with_fewer_trees += bool(sentence.tokens) and len(candidates) < self._nbest
            self._repaired += candidates[0].is_repaired
            found = candidates
            if self._continuous is not None:
                found = _made_continuous(candidates, self._nbest, self._continuous)
            yield Result(sentence.id or str(number), found[: self._nbest], found, sentence.origin)

    def report(self) -> None:
        if self._continuous is not None:
            self._continuous.report()
        if self._repaired:
            print(f"note: sequences of actions that were no trees were repaired ({self._repaired:,})", file=sys.stderr)
        if self._with_fewer_trees:
            count = self._with_fewer_trees
            sentences = "1 sentence has" if count == 1 else f"{count:,} sentences have"
            print(f"note: {sentences} fewer than {self._nbest:,} different trees", file=sys.stderr)


def _made_continuous(candidates: list[Candidate], nbest: int, continuous: ContinuousTrees) -> list[Candidate]:
    """All candidates, because confidences compare them; only those that are written count as changed."""
    uncounted = ContinuousTrees(continuous.method, None)
    makers = (continuous if rank < nbest else uncounted for rank in range(len(candidates)))
    return [replace(x, tree=maker.apply(x.tree)) for x, maker in zip(candidates, makers, strict=True)]


def _with_progress(parsed: Iterator[Parsed], reader: Sentences, has_bar: bool) -> Generator[Parsed]:
    from discoseq.cli.progress import with_bar, with_lines

    if has_bar:
        return with_bar(parsed, reader)
    return with_lines(parsed, reader)


def _write(pieces: Iterable[str], output: str) -> None:
    with atomic_output(output) as out:
        for piece in pieces:
            out.write(piece)
            if output == STANDARD_STREAM:
                out.flush()  # whoever waits at the other end of a pipe gets every tree as soon as it is there


def _summary(count: int, output: str, seconds: float) -> str:
    rate = count / max(seconds, 1e-9)
    return f"parsed {count:,} sentence{'' if count == 1 else 's'} to {output}, {rate:,.1f} a second"


def _say(text: str, is_quiet: bool) -> None:
    if not is_quiet:
        print(text, file=sys.stderr, flush=True)


def _is_redirected() -> bool:
    """Whether standard output is a file."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False
