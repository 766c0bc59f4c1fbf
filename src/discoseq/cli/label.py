"""`discoseq label`: raw text -> silver trees for training, each with a weight."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discoseq.cli.parse_options import (
    DEFAULT_MODEL,
    AbbreviationsOption,
    BeamOption,
    DeviceOption,
    LanguageOption,
    LineBreaksOption,
    SentencesOption,
    ThreadsOption,
    TokenizedOption,
    UndecodableOption,
)
from discoseq.cli.reading import EncodingOption, track
from discoseq.cli.tables import format_table
from discoseq.errors import TreebankError
from discoseq.storage import checksum
from discoseq.text.tokenization import language_named, read_abbreviations
from discoseq.treebanks.files import FORMATS, format_of_path, read_trees, write_trees
from discoseq.treebanks.losses import COMMENTS, LACKING
from discoseq.treebanks.streams import STANDARD_STREAM, is_live
from discoseq.trees.transforms import TRACE_TAG

if TYPE_CHECKING:  # torch is imported only when parsing begins
    from discoseq.cli.parse_input import Input, InputFile, Sentences
    from discoseq.parser.label_journal import Journal
    from discoseq.parser.labelling import LabelCounts, LabelledPart, ParseAll
    from discoseq.parser.parser import Parser
    from discoseq.parser.workers import Job

WEIGHTED = [name for name in FORMATS if COMMENTS not in LACKING.get(name, ())]  # formats that can hold weights
_PERCENTS = [*range(100, 90, -1), *range(90, -5, -5)]  # the rows of the report; most certainties are above 0.9
_SUFFIXES = ", ".join(FORMATS[name].suffixes[0] for name in WEIGHTED)


def label(
    raw: Annotated[list[str], typer.Argument(help="Text files, plain or gzipped, or folders of them.")],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help=f"The trees, in a format by its suffix: {_SUFFIXES}.")
    ],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A model's name or directory; given again: more models, for the agreement. The trees are those of the "
            "first. Default: en.",
        ),
    ] = None,
    ensemble: Annotated[
        bool, typer.Option("--ensemble", help="Make trees with all models together, instead of measuring agreement.")
    ] = False,
    certainty: Annotated[
        float, typer.Option(min=0, max=1, help="Keep trees of at least this certainty, from 0 to 1.")
    ] = 0.0,
    agreement: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Keep trees of at least this agreement of the models, from 0 to 1. Default: 0."
        ),
    ] = None,
    shortest: Annotated[int, typer.Option(min=1, help="Words that a sentence must have.")] = 1,
    longest: Annotated[
        int | None, typer.Option(min=1, help="Words that a sentence may have. Default: any number.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after so many trees. Default: at the end.")] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Leave out the sentences of this treebank; may be repeated. Default: leave out none."),
    ] = None,
    tokenized: TokenizedOption = False,
    sentences: SentencesOption = False,
    beam: BeamOption = None,
    language: LanguageOption = None,
    line_breaks: LineBreaksOption = None,
    abbreviations: AbbreviationsOption = None,
    threads: ThreadsOption = 1,
    processes: Annotated[int, typer.Option(min=1, help="Processes to work side by side, for each model.")] = 1,
    device: DeviceOption = None,
    encoding: EncodingOption = None,
    errors: UndecodableOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Also print the report as JSON to standard output.")] = False,
) -> None:
    """Make trees with weights for training from raw text. Interrupt it at any time; the same command goes on.

    Example: `discoseq label news.txt.gz --model nl --model runs/b --agreement 0.9 --out silver.discbracket`
    """
    from discoseq.cli.parse_input import Input, Sentences
    from discoseq.model.model_files import model_fingerprint
    from discoseq.parser.label_journal import Journal
    from discoseq.parser.labelling import LabelOptions, check_labels
    from discoseq.parser.labelling import label as label_sentences
    from discoseq.parser.model_registry import find_model
    from discoseq.parser.parser import DEFAULT_BEAM, Parser, limit_resources
    from discoseq.parser.workers import Job

    names, treebanks = models or [DEFAULT_MODEL], exclude or []
    groups = [names] if ensemble else [[name] for name in names]
    if ensemble and len(names) == 1:
        raise typer.BadParameter("--ensemble needs several models: give --model again")
    if agreement is not None and len(groups) == 1:
        raise typer.BadParameter("--agreement needs several models: give --model again, without --ensemble")
    if longest is not None and longest < shortest:
        raise typer.BadParameter("--longest is below --shortest")
    options = LabelOptions(certainty, agreement or 0.0, shortest, longest, limit)
    source = Input(
        raw,
        encoding=encoding,
        is_tokenized=tokenized,
        is_one_a_line=sentences,
        undecodable=errors,
        line_breaks=line_breaks,
        abbreviations=abbreviations,
    )
    more_abbreviations = read_abbreviations(abbreviations) if abbreviations else []
    if language is not None:
        language_named(language)
    files = _find_files(source, out)
    size = beam or DEFAULT_BEAM
    # --errors is no part of it: what was read before a line that can't be decoded does not depend on it
    record = {
        **{f"--{name}": value for name, value in asdict(options).items()},
        "--ensemble": ensemble,
        "--beam": size,
        "--tokenized": tokenized,
        "--sentences": sentences,
        "--language": language,
        "--line-breaks": line_breaks,
        "--abbreviations": more_abbreviations,
        "--encoding": encoding,
        "the contents of --exclude": [checksum(Path(path)) for path in treebanks],
        "the text": [checksum(Path(file.path)) for file in files],
        "the models": [model_fingerprint(find_model(name)) for name in names],
    }
    journal = Journal.open(out, record)
    if journal.counts.read:
        print(f"going on after {journal.counts.read:,} sentences ({journal.path})", file=sys.stderr, flush=True)
    limit_resources(threads)
    parsers = [Parser.load(group, language, device, more_abbreviations) for group in groups]
    check_labels(parsers)
    jobs = [
        Job(group, language, device, beam_size=size, threads=threads, abbreviations=more_abbreviations)
        for group in groups
    ]
    reader = Sentences(source, files, parsers[0].rules)
    parsing = [_parse_all(parser, job, processes) for parser, job in zip(parsers, jobs, strict=True)]
    tokens = (sentence.tokens for sentence in reader)
    try:
        with closing(label_sentences(tokens, parsing, options, _words_of(treebanks), journal.counts)) as parts:
            for _ in _with_progress(_recorded(parts, journal), reader):
                pass
        write_trees(journal.trees(), out)
    except KeyboardInterrupt:
        if journal.counts.read:
            print(f"interrupted after {journal.counts.read:,} sentences: the same command goes on", file=sys.stderr)
        raise
    journal.delete()
    reader.report()
    has_agreement = len(groups) > 1
    print(_report(journal.counts, has_agreement, out), file=sys.stderr)
    if as_json:
        print(json.dumps(_as_json(journal.counts, has_agreement), indent=2))


def _find_files(source: Input, out: str) -> list[InputFile]:
    """The files to read, which can be read again; an output that can't be written, or would be read, is refused."""
    from discoseq.cli.parse_output import find_targets

    files = source.find_files()
    if any(file.path == STANDARD_STREAM or is_live(file.path) for file in files):
        raise typer.BadParameter("name files: standard input or a pipe can't be read again after an interruption")
    folder = Path(out).resolve().parent
    if any(folder.is_relative_to(Path(path).resolve()) for path in source.paths):
        raise TreebankError("the output can't be in a folder that is read", out)
    find_targets(files, out, None, _format_of(out), is_resumed=False)
    return files


def _format_of(out: str) -> str:
    """The format of the output, which must have room for weights."""
    by_suffix = format_of_path(out)
    if by_suffix is None or by_suffix.name not in WEIGHTED:
        raise TreebankError(f"the suffix has to be that of a format with weights: {_SUFFIXES}", out)
    return by_suffix.name


def _parse_all(parser: Parser, job: Job, processes: int) -> ParseAll:
    from discoseq.parser.labelling import parse_with
    from discoseq.parser.workers import parse_in_processes

    if processes == 1:
        return parse_with(parser, job.beam_size)
    return lambda parts: parse_in_processes(job, parts, processes)


def _words_of(treebanks: list[str]) -> Iterator[list[str]]:
    for path in treebanks:
        for tree in track(read_trees(path), f"reading {path}"):
            yield [token.word for token in tree.tokens if token.tag != TRACE_TAG]


def _recorded(parts: Iterator[LabelledPart], journal: Journal) -> Generator[None]:
    """An item for every sentence that was read, when it is recorded; those of an earlier command first."""
    yield from repeat(None, journal.counts.read)
    for part in parts:
        journal.add(part)
        yield from repeat(None, part.counts.read)


def _with_progress(items: Generator[None], reader: Sentences) -> Generator[None]:
    from discoseq.cli.progress import with_bar

    return with_bar(items, reader) if sys.stderr.isatty() else items


def _report(counts: LabelCounts, has_agreement: bool, out: str) -> str:
    c = counts
    left_out = {
        "too short": c.too_short,
        "too long": c.too_long,
        "duplicates": c.duplicates,
        "excluded": c.excluded,
        "too uncertain": c.uncertain,
        "with too little agreement": c.disputed,
    }
    listed = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    mean = f", mean weight {c.weight / c.kept:.3f}" if c.kept else ""
    lines = [
        f"{out}: {c.kept:,} trees of {c.read:,} sentences{mean}",
        *([f"left out: {listed}"] if listed else []),
        *([_table(c, has_agreement)] if c.parsed else []),
    ]
    return "\n".join(lines)


def _table(counts: LabelCounts, has_agreement: bool) -> str:
    """How many of the sentences that were parsed are at or above each threshold."""
    columns = {"certainty": counts.certainties} | ({"agreement": counts.agreements} if has_agreement else {})
    rows = []
    for percent in _PERCENTS:
        above = [sum(histogram[percent:]) for histogram in columns.values()]
        rows.append([f"{percent / 100:.2f}", *(f"{n:,} ({n / counts.parsed:.0%})" for n in above)])
        if min(above) == counts.parsed:
            break
    return format_table(["at least", *columns], rows)


def _as_json(counts: LabelCounts, has_agreement: bool) -> dict[str, object]:
    """The counts; a histogram has the lower ends of its bins, as far as there is something in them."""
    table = asdict(counts) | {"parsed": counts.parsed}
    table["mean_weight"] = counts.weight / counts.kept if counts.kept else None
    for name in ("certainties", "agreements"):
        table[name] = {f"{percent / 100:.2f}": n for percent, n in enumerate(table[name]) if n}
    for name in ("weight", *([] if has_agreement else ["agreements", "disputed"])):
        del table[name]
    return table
