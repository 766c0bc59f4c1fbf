"""What `discoseq parse` and `label` read: text or treebanks, from files, folders, standard input or the command."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

import typer

from discoseq.cli.live import live_chunks
from discoseq.cli.reading import Reading
from discoseq.errors import NoTreesError, TreebankError
from discoseq.parser.output import Origin
from discoseq.text.sentences import LineBreaks, read_sentences
from discoseq.text.tokenization import Language, Word, tokenize
from discoseq.treebanks.files import files_in, format_named, read_trees, treebank_files
from discoseq.treebanks.streams import STANDARD_STREAM, Source, Undecodable, file_size, is_live, open_source
from discoseq.trees.notes import Note
from discoseq.trees.transforms import TRACE_TAG
from discoseq.trees.tree import Token

_WORD = re.compile(r"[^ \t\r\n]+")  # a no-break space is part of a word, as in a treebank
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file, and its name below the folder that was given; for a file that was given its mere name."""

    path: str
    name: Path
    is_in_folder: bool = False


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence as it was read."""

    tokens: tuple[Token, ...]
    origin: Origin
    file_number: int = 0  # of its file among all files, from 0
    id: str | None = None  # of a treebank's sentence


@dataclass(frozen=True, slots=True)
class Input:
    """What is parsed, and how it is to be read."""

    paths: list[str]
    text: str | None = None
    encoding: str | None = None
    is_tokenized: bool = False
    is_one_a_line: bool = False
    format: str | None = None
    skips_bad: bool = False
    undecodable: Undecodable | None = None
    line_breaks: LineBreaks | None = None
    abbreviations: str | None = None  # a file

    def __post_init__(self) -> None:
        if self.text is not None and self.paths:
            raise typer.BadParameter("give files or --text, not both")
        if sum([self.is_tokenized, self.is_one_a_line, self.format is not None]) > 1:
            raise typer.BadParameter("--tokenized, --sentences and --from exclude each other")
        if self.text is not None and self.format is not None:
            raise typer.BadParameter("--from is about files, and --text is none")
        if self.skips_bad and self.format is None:
            raise typer.BadParameter("--skip-bad leaves out trees of a treebank, and needs --from")
        if self.undecodable is not None and self.format is not None:
            raise typer.BadParameter("--errors is about text; with --from, use --skip-bad or --encoding")
        if self.line_breaks and (self.is_tokenized or self.is_one_a_line or self.format is not None):
            raise typer.BadParameter("--line-breaks is about raw text, without --tokenized, --sentences and --from")
        if self.abbreviations and (self.is_tokenized or self.format is not None):
            raise typer.BadParameter("--abbreviations is about raw text, without --tokenized and --from")

    def find_files(self, output_dir: str | None = None) -> list[InputFile]:
        """The files that will be read, which can all be opened; what is in the output folder is not read."""
        if self.format is not None:
            format_named(self.format)
        if self.text is not None:
            return []
        files: list[InputFile] = []
        for path in self.paths or [STANDARD_STREAM]:
            if path != STANDARD_STREAM and Path(path).is_dir():
                files += self._files_in(Path(path), output_dir)
            else:
                files.append(InputFile(path, Path(Path(path).name)))
        for file in files:
            if file.path != STANDARD_STREAM and not is_live(file.path):
                with open_source(file.path):
                    pass
        return files

    @property
    def kind(self) -> str:
        """What is expected to be typed on a terminal."""
        if self.format is not None:
            return f"a treebank ({self.format})"
        is_line = self.is_tokenized or self.is_one_a_line
        return "one sentence a line" if is_line else "text, in which an empty line ends a sentence,"

    def _files_in(self, folder: Path, output_dir: str | None) -> list[InputFile]:
        found = files_in(folder) if self.format is None else treebank_files(folder, self.format)
        outputs = None if output_dir is None else Path(output_dir).resolve()
        if outputs == folder.resolve():
            raise TreebankError("--output-dir can't be the folder that is read", str(folder))
        if outputs is not None and outputs.is_relative_to(folder.resolve()):
            found = [file for file in found if not file.resolve().is_relative_to(outputs)]
        if not found:
            raise TreebankError("there are no files to parse in this folder", str(folder))
        return [InputFile(str(file), file.relative_to(folder), is_in_folder=True) for file in found]


@dataclass(slots=True)
class Sentences:
    """The sentences of all files, in order, while they are read; it counts them and notes what is left out."""

    input: Input
    files: list[InputFile]
    language: Language
    count: int = 0
    file_number: int = 0  # of the file that is being read
    error: Exception | None = None  # that ended the reading
    _reading: Reading = field(init=False)
    _sizes: list[int] | None = None  # bytes of the files
    _finished: int = 0  # bytes of the files before the current one
    _source: Source | None = None

    def __post_init__(self) -> None:
        self._reading = Reading([], self.input.format, self.input.encoding, self.input.skips_bad)
        sizes = [file_size(file.path) for file in self.files]
        self._sizes = [size for size in sizes if size is not None] if None not in sizes else None

    @property
    def is_terminal(self) -> bool:
        """Whether someone is to type the text."""
        return any(x.path == STANDARD_STREAM for x in self.files) and sys.stdin is not None and sys.stdin.isatty()

    @property
    def share(self) -> float | None:
        """The share of all bytes that has been read, if it is known how many there are."""
        if not self._sizes:
            return None
        position = self._finished + (self._source.position() if self._source else 0)
        return min(1.0, position / max(1, sum(self._sizes)))

    def chunks(self, is_watched: bool, processes: int) -> Iterator[list[SourceSentence]]:
        """All sentences that can be read, and then `error` is set if there was one.

        If someone watches, the first chunks are small. What may have to be waited for comes as it is there; an empty
        chunk says that nothing is there. Several processes get equal shares.
        """
        from discoseq.parser.parser import FIRST_CHUNK, LARGEST_CHUNK, chunks

        first, largest = FIRST_CHUNK if is_watched else LARGEST_CHUNK, LARGEST_CHUNK
        has_to_wait = any(is_live(file.path) for file in self.files)
        try:
            for chunk in live_chunks(self) if has_to_wait else chunks(self, first * processes, largest * processes):
                size = max(1, math.ceil(len(chunk) / processes))
                yield from (chunk[i : i + size] for i in range(0, max(1, len(chunk)), size))
        except Exception as error:
            self.error = error

    def report(self) -> None:
        """Print to standard error what was left out or changed."""
        if self.files:
            self._reading.report()

    def __iter__(self) -> Iterator[SourceSentence]:
        if self.input.text is not None:
            yield from self._numbered(self._of_lines(StringIO(self.input.text), None))
        for number, file in enumerate(self.files):
            self.file_number = number
            name = _clean(file.path)
            yield from self._numbered(
                self._of_text(file, name) if self.input.format is None else self._of_trees(file, name)
            )
            self._finished += self._sizes[number] if self._sizes else 0

    def _numbered(self, sentences: Iterable[SourceSentence]) -> Iterator[SourceSentence]:
        try:
            for sentence in sentences:
                self.count += 1
                yield replace(sentence, file_number=self.file_number)
        finally:
            self._source = None  # it is closed

    def _of_text(self, file: InputFile, name: str) -> Iterator[SourceSentence]:
        with open_source(file.path, self._reading.add_note) as source:
            self._source = source
            lines = _UntilError(source.lines(self.input.encoding, self.input.undecodable or Undecodable.STOP))
            yield from self._of_lines(lines, name)
            if lines.error is not None:
                raise lines.error

    def _of_lines(self, lines: Iterable[str], file: str | None) -> Iterator[SourceSentence]:
        lines = map(_clean, lines)
        if not (self.input.is_tokenized or self.input.is_one_a_line):
            line_breaks = self.input.line_breaks or LineBreaks.GUESS
            for number, sentence in enumerate(read_sentences(lines, self.language, line_breaks), 1):
                yield _sentence(sentence.words, Origin(file, number, sentence.text, sentence.start))
            return
        start = 0
        for number, line in enumerate(lines, 1):
            words = _words(line) if self.input.is_tokenized else tokenize(line, self.language)
            moved = [Word(word.text, start + word.start, start + word.end) for word in words]
            yield _sentence(moved, Origin(file, number, line.rstrip("\r\n"), start))
            start += len(line)

    def _of_trees(self, file: InputFile, name: str) -> Iterator[SourceSentence]:
        reading = self._reading
        bad_before = len(reading.bad)
        on_bad = reading.bad.append if reading.skips_bad else None
        trees = read_trees(
            file.path, reading.format, reading.encoding, on_bad, reading.add_note, on_file=self._set_source
        )
        try:
            for number, tree in enumerate(trees, 1):
                tokens = tuple(_clean_token(token) for token in tree.tokens if token.tag != TRACE_TAG)
                for _ in range(len(tree.tokens) - len(tokens)):
                    reading.add_note(Note(f"an empty element ({TRACE_TAG}) is not parsed", name))
                origin = Origin(name, number + len(reading.bad) - bad_before)
                yield SourceSentence(tokens, origin, id=_clean(tree.id or "") or None)
        except NoTreesError as error:
            if not file.is_in_folder:
                raise
            reading.add_note(Note(f"{error.reason}; it is passed over", name))

    def _set_source(self, source: Source) -> None:
        self._source = source


class _UntilError:
    """Lines up to an error, which is kept, so that the text before it is parsed first."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._lines
        except Exception as error:
            self.error = error


def _words(line: str) -> list[Word]:
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(line)]


def _sentence(words: Iterable[Word], origin: Origin) -> SourceSentence:
    listed = tuple(words)
    offsets = tuple((word.start, word.end) for word in listed)
    return SourceSentence(tuple(Token(word.text) for word in listed), replace(origin, offsets=offsets))


def _clean(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


def _clean_token(token: Token) -> Token:
    fields = (token.word, token.tag, token.lemma, token.morphology)
    if not any(_SURROGATE.search(text or "") for text in fields):
        return token
    word, *others = (text and _clean(text) for text in fields)
    return Token(word or "", *others)
