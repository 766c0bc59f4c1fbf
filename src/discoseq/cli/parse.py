"""`discoseq parse`: raw text, words or a treebank -> trees."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from discoseq.cli.continuous import ContinuousOption, ContinuousTrees
from discoseq.cli.reading import FORMAT_NAMES, EncodingOption, Reading
from discoseq.text.sentences import LineBreaks, read_sentences
from discoseq.text.tokenization import Language, read_abbreviations, tokenize
from discoseq.treebanks.files import format_of_path
from discoseq.treebanks.streams import STANDARD_STREAM, atomic_output, open_source
from discoseq.trees.transforms import TRACE_TAG
from discoseq.trees.tree import Token

if TYPE_CHECKING:  # torch is imported only when parsing begins
    from discoseq.decoding.decode import Candidate
    from discoseq.parser.output import Result
    from discoseq.parser.parser import Parser
    from discoseq.parser.workers import Job

DEFAULT_MODEL = "en"
_INTERRUPTED = 128 + signal.SIGINT
_SUFFIXES = {".txt": "text", ".svg": "svg"}
_DEFAULT_FORMAT = "discbracket"

Entry: TypeAlias = tuple[str | None, tuple[Token, ...]]  # the sentence's id, if it has one, and its tokens


@dataclass(frozen=True, slots=True)
class Input:
    """What is parsed, and how it is to be read."""

    files: list[str]
    text: str | None
    encoding: str | None
    is_tokenized: bool
    is_one_a_line: bool
    format: str | None
    line_breaks: LineBreaks | None = None
    abbreviations: str | None = None  # a file

    def __post_init__(self) -> None:
        if self.text is not None and self.files:
            raise typer.BadParameter("give files or --text, not both")
        if sum([self.is_tokenized, self.is_one_a_line, self.format is not None]) > 1:
            raise typer.BadParameter("--tokenized, --sentences and --from exclude each other")
        if self.text is not None and self.format is not None:
            raise typer.BadParameter("--from is about files, and --text is none")
        if self.line_breaks and (self.is_tokenized or self.is_one_a_line or self.format is not None):
            raise typer.BadParameter("--line-breaks is about raw text, without --tokenized, --sentences and --from")
        if self.abbreviations and (self.is_tokenized or self.format is not None):
            raise typer.BadParameter("--abbreviations is about raw text, without --tokenized and --from")

    def entries(self, language: Language) -> Iterator[Entry]:
        """The sentences, as they are read."""
        files = self.files or [STANDARD_STREAM]
        if self.format is not None:
            yield from self._entries_of_treebank(Reading(files, self.format, self.encoding, skips_bad=False))
            return
        for file in files:
            if self.is_tokenized:
                yield from ((None, _tokens(_split(line))) for line in self._lines(file))
            elif self.is_one_a_line:
                yield from ((None, _tokens(x.text for x in tokenize(line, language))) for line in self._lines(file))
            else:
                line_breaks = self.line_breaks or LineBreaks.GUESS
                for sentence in read_sentences(self._lines(file), language, line_breaks):
                    yield None, _tokens(word.text for word in sentence.words)

    def _entries_of_treebank(self, reading: Reading) -> Iterator[Entry]:
        traces = 0
        for tree in reading.trees():
            words = tuple(token for token in tree.tokens if token.tag != TRACE_TAG)
            traces += len(tree.tokens) - len(words)
            yield tree.id, words
        reading.report()
        if traces:
            print(f"note: empty elements ({TRACE_TAG}) are not parsed ({traces:,} left out)", file=sys.stderr)

    def _lines(self, file: str) -> Iterator[str]:
        if self.text is not None:
            yield from self.text.splitlines(keepends=True)
            return
        with open_source(file) as source:
            yield from source.lines(self.encoding)


def parse(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Text files, plain or gzipped, or - for standard input. Default: standard input."),
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
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="A line is a sentence, its words separated by spaces or tabs.")
    ] = False,
    sentences: Annotated[bool, typer.Option("--sentences", help="A line is a sentence, of raw text.")] = False,
    from_format: Annotated[
        str | None,
        typer.Option(
            "--from", help=f"Parse the words of a treebank, and keep its tags: {FORMAT_NAMES}. Default: text."
        ),
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="How widely to search; 1 is fastest. Default: 10.")] = None,
    nbest: Annotated[int, typer.Option(min=1, help="Trees for every sentence.")] = 1,
    continuous: ContinuousOption = None,
    scores: Annotated[bool, typer.Option("--scores", help="Add probabilities and confidences.")] = False,
    language: Annotated[
        str | None, typer.Option(help="Language whose rules tokenize raw text. Default: that of the model.")
    ] = None,
    line_breaks: Annotated[
        LineBreaks | None,
        typer.Option(
            help="What a line break in raw text is. Default: guess, a space except around headings and lists."
        ),
    ] = None,
    abbreviations: Annotated[
        str | None,
        typer.Option(help="A file of abbreviations after which no sentence ends, one a line. Default: the language's."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each process; more pay for large models.")] = 1,
    processes: Annotated[int, typer.Option(min=1, help="Processes to work side by side.")] = 1,
    device: Annotated[str | None, typer.Option(help="Where the network runs, e.g. cuda. Default: the CPU.")] = None,
    encoding: EncodingOption = None,
    output: Annotated[str, typer.Option("--output", "-o", help="A file, or - for standard output.")] = STANDARD_STREAM,
) -> None:
    """Parse text.

    Example: `discoseq parse --text "Which letter did Ben find?" --to text`
    """
    source = Input(files or [], text, encoding, tokenized, sentences, from_format, line_breaks, abbreviations)
    more_abbreviations = read_abbreviations(abbreviations) if abbreviations else []
    try:
        from discoseq.parser.output import Result, render
        from discoseq.parser.parser import DEFAULT_BEAM, Parser, limit_threads
        from discoseq.parser.workers import Job

        size = beam or DEFAULT_BEAM
        wanted = max(nbest, size) if scores else nbest
        job = Job(models or [DEFAULT_MODEL], language, device, wanted, size, threads, more_abbreviations)
        limit_threads(threads)
        parser = Parser.load(job.model, language, device, job.abbreviations)
        entries, sentences_only = tee(source.entries(parser.rules))
        with closing(_candidates(parser, job, (x for _, x in sentences_only), processes)) as found:
            continuous_trees = ContinuousTrees(continuous, to_format or _format_of(output))
            changed = (_made_continuous(candidates, nbest, continuous_trees) for candidates in found)
            results = (
                Result(name or str(number), candidates[:nbest], candidates)
                for number, ((name, _), candidates) in enumerate(zip(entries, changed, strict=True), 1)
            )
            width = shutil.get_terminal_size().columns if _is_terminal(output) else None
            counted = _Counted(results)
            _write(render(_with_bar(counted, output), to_format or _format_of(output), scores, width), output)
        continuous_trees.report()
        if output != STANDARD_STREAM:
            print(counted.summary(output), file=sys.stderr)
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None


def _candidates(
    parser: Parser, job: Job, sentences: Iterable[tuple[Token, ...]], processes: int
) -> Generator[list[Candidate]]:
    from discoseq.parser.workers import parse_in_processes

    if processes > 1:
        return parse_in_processes(job, sentences, processes)
    return parser.nbest_all(sentences, job.nbest, job.beam_size)


def _made_continuous(candidates: list[Candidate], nbest: int, continuous: ContinuousTrees) -> list[Candidate]:
    """All candidates, because confidences compare them; only those that are written count as changed."""
    if continuous.method is None:
        return candidates
    uncounted = ContinuousTrees(continuous.method, None)
    makers = (continuous if rank < nbest else uncounted for rank in range(len(candidates)))
    return [replace(x, tree=maker.apply(x.tree)) for x, maker in zip(candidates, makers, strict=True)]


class _Counted:
    """The results as they come, counted and timed."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._results = results
        self._start = time.monotonic()
        self.count = 0

    def __iter__(self) -> Iterator[Result]:
        for result in self._results:
            self.count += 1
            yield result

    def summary(self, output: str) -> str:
        rate = self.count / max(time.monotonic() - self._start, 1e-9)
        return f"parsed {self.count:,} sentence{'' if self.count == 1 else 's'} to {output}, {rate:,.1f} a second"


def _with_bar(results: Iterable[Result], output: str) -> Iterator[Result]:
    """A bar on standard error, where someone is looking at it and not at the trees."""
    console = Console(stderr=True)
    if not console.is_terminal or (output == STANDARD_STREAM and not _is_redirected()):
        yield from results
        return
    speed = TextColumn("{task.fields[speed]:,.1f} sentences/s")
    columns = [TextColumn("parsing"), BarColumn(), MofNCompleteColumn(), speed, TimeElapsedColumn()]
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("parsing", total=None, speed=0.0)
        start = time.monotonic()
        for count, result in enumerate(results, 1):
            yield result
            progress.update(task, completed=count, speed=count / max(time.monotonic() - start, 1e-9))


def _write(pieces: Iterable[str], output: str) -> None:
    with atomic_output(output) as out:
        for piece in pieces:
            out.write(piece)
            if output == STANDARD_STREAM:
                out.flush()  # whoever waits at the other end of a pipe gets every tree as soon as it is there


def _format_of(output: str) -> str:
    by_suffix = format_of_path(output)
    if by_suffix is not None:
        return by_suffix.name
    return _SUFFIXES.get(Path(output.removesuffix(".gz")).suffix, _DEFAULT_FORMAT)


def _is_terminal(output: str) -> bool:
    return output == STANDARD_STREAM and sys.stdout.isatty()


def _is_redirected() -> bool:
    """Whether standard output is a file."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _split(line: str) -> list[str]:
    """Spaces and tabs separate words; a no-break space is part of one, as in a treebank."""
    return line.rstrip("\r\n").replace("\t", " ").split(" ")


def _tokens(words: Iterable[str]) -> tuple[Token, ...]:
    return tuple(Token(word) for word in words if word)
