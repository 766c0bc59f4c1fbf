"""How fast a corpus is parsed on a Ray cluster of this machine, beside `discoseq parse --processes 2` on the same file.

python benchmarks/corpus.py                            # 2,000 sentences of examples/unseen, again and again
python benchmarks/corpus.py --sentences 20000          # what docs/scale.md has; several minutes
python benchmarks/corpus.py news.txt --model en        # a file of one sentence a line
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
UNSEEN = {"en": "english", "nl": "dutch", "de": "german"}
SHARDS = 10


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to parse a file; `call` makes its command from a file, an output and the lines of a shard."""

    name: str
    call: Callable[[Path, Path, int], list[str]]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds on the clock from the start of a command to its end, for the whole file and for two sentences."""

    whole: float
    start: float

    @property
    def work(self) -> float:
        return self.whole - self.start


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, short = folder / "whole.txt", folder / "short.txt"
        lines = sentences(arguments.file, arguments.model, arguments.sentences)
        whole.write_text("\n".join(lines) + "\n", encoding="utf-8")
        short.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
        options = ["--model", arguments.model, "--beam", str(arguments.beam), "--quiet"]
        contenders = [
            Contender("parse --processes 2", lambda text, out, _: parse(text, out, options)),
            Contender("parse-corpus --workers 1", lambda text, out, size: corpus(text, out, size, 1, options)),
            Contender("parse-corpus --workers 2", lambda text, out, size: corpus(text, out, size, 2, options)),
        ]
        print(
            f"{len(lines):,} sentences, model {arguments.model}, beam {arguments.beam}; seconds on the clock, medians\n"
        )
        timings: dict[str, list[Timing]] = {contender.name: [] for contender in contenders}
        for number in range(arguments.rounds):
            for contender in contenders:
                out = folder / f"{contender.name.replace(' ', '')}{number}"
                start = seconds_of(contender.call(short, out.with_suffix(".short"), 1))
                elapsed = seconds_of(contender.call(whole, out.with_suffix(".whole"), max(1, len(lines) // SHARDS)))
                timings[contender.name].append(Timing(elapsed, start))
        print_table(timings, len(lines))
        print_differences(folder)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--model", default="nl")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


def sentences(file: Path | None, model: str, count: int) -> list[str]:
    path = file or ROOT / "examples" / "unseen" / f"{UNSEEN[model]}.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return lines if file is not None else list(islice(cycle(lines), count))


def parse(text: Path, out: Path, options: list[str]) -> list[str]:
    return ["parse", str(text), "--sentences", "--processes", "2", "-o", f"{out}.discbracket", *options]


def corpus(text: Path, out: Path, shard_lines: int, workers: int, options: list[str]) -> list[str]:
    numbers = ["--workers", str(workers), "--shard-lines", str(shard_lines)]
    return ["parse-corpus", str(text), "--out", str(out), *numbers, *options]


def seconds_of(arguments: list[str]) -> float:
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "discoseq", *arguments], check=True)
    return time.monotonic() - start


def print_table(timings: dict[str, list[Timing]], count: int) -> None:
    """The whole time, that of the start, and ratios to the first row."""
    first = next(iter(timings.values()))
    print(f"{'':26}  {'whole':>7}  {'start':>6}  sentences/s  time / parse  time without start / parse without start")
    for name, found in timings.items():
        whole, start = median(x.whole for x in found), median(x.start for x in found)
        ratio = median(x.whole / y.whole for x, y in zip(found, first, strict=True))
        work = median(x.work / y.work for x, y in zip(found, first, strict=True))
        print(f"{name:26}  {whole:7.1f}  {start:6.1f}  {count / whole:11.1f}  {ratio:12.2f}  {work:41.2f}")


def print_differences(folder: Path) -> None:
    """Trees that are not those of `parse`, and what the workers themselves have measured."""
    trees = tree_lines([next(folder.glob("parse--processes2*.whole.discbracket"))])
    for workers in (1, 2):
        out = next(folder.glob(f"parse-corpus--workers{workers}*.whole"))
        found = tree_lines(sorted((out / "trees").iterdir()))
        different = sum(x != y for x, y in zip(found, trees, strict=True))
        seconds = sum(shard["seconds"] for shard in json.loads((out / "manifest.json").read_text())["shards"])
        print(f"\n{workers} workers: {different} trees differ from those of parse; {seconds:.1f} seconds in shards")


def tree_lines(files: list[Path]) -> list[str]:
    """Without comments."""
    return [line.partition("\t")[0] for file in files for line in file.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
