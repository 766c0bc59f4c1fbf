"""`discoseq stats`: statistics of treebanks."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from discoseq.cli.reading import (
    EncodingOption,
    FromOption,
    MultiwordOption,
    Reading,
    SkipBadOption,
    WordlessOption,
    track,
)
from discoseq.treebanks.statistics import Statistics, collect
from discoseq.trees.bracket_parser import Leaves

_MOST_LABELS = 40


def stats(
    files: Annotated[list[str], typer.Argument(help="Treebank files, folders of files, or - for standard input.")],
    from_format: FromOption = None,
    encoding: EncodingOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    multiword: MultiwordOption = None,
    wordless: WordlessOption = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Count sentences, labels, gaps, ill-nested trees and unary chains over all files together.

    Example: `discoseq stats train.export dev.export --json | jq .discontinuous`
    """
    reading = Reading(files, from_format, encoding, skip_bad, Leaves(multiword, wordless))
    statistics = collect(track(reading.trees(), "reading"))
    reading.report()
    if as_json:
        print(json.dumps(statistics.as_dict(), ensure_ascii=False, indent=2))
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in _rows(statistics):
        table.add_row(name, value)
    Console(highlight=False).print(table)


def _rows(statistics: Statistics) -> Iterator[tuple[str, str]]:
    s = statistics
    longest = max(s.lengths, default=0)
    yield "sentences", f"{s.sentences:,}"
    yield "tokens", f"{s.tokens:,} (mean {s.mean_length:.1f}, median {s.median_length:g}, longest {longest:,})"
    yield "constituents", f"{s.constituents:,} (deepest tree {s.deepest:,})"
    gapped = s.gap_degrees.total() - s.gap_degrees[0]
    bare = s.bare_gap_degrees.total() - s.bare_gap_degrees[0]
    yield "discontinuous sentences", ""
    yield "  counting punctuation", _share(s.discontinuous_sentences, s.sentences)
    yield "  ignoring punctuation", _share(s.bare_discontinuous_sentences, s.sentences)
    yield "discontinuous constituents", ""
    yield "  counting punctuation", _share(gapped, s.constituents)
    yield "  ignoring punctuation", _share(bare, s.constituents)
    yield "gap degrees", ""
    yield "  counting punctuation", _histogram(s.gap_degrees)
    yield "  ignoring punctuation", _histogram(s.bare_gap_degrees)
    yield "largest gap degree of sentences", _histogram(s.sentence_gap_degrees)
    yield "fan-out", _histogram(Counter({degree + 1: count for degree, count in s.gap_degrees.items()}))
    yield "ill-nested sentences", _share(s.ill_nested_sentences, s.sentences)
    yield "unary chains by length", _histogram(s.unary_chains) or "none"
    yield f"labels ({len(s.labels)})", _names(s.labels)
    yield f"tags ({len(s.tags)})", _names(s.tags)
    if s.functions:
        yield f"functions ({len(s.functions)})", _names(s.functions)


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.2f} %)" if whole else f"{part:,}"


def _histogram(counter: Counter[int]) -> str:
    return "  ".join(f"{value}: {count:,}" for value, count in sorted(counter.items()))


def _names(counter: Counter[str]) -> str:
    shown = "  ".join(f"{name or '(empty)'} {count:,}" for name, count in counter.most_common(_MOST_LABELS))
    return shown if len(counter) <= _MOST_LABELS else f"{shown}  ..."
