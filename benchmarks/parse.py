"""How fast the models parse on one thread, compiled and with PyTorch, in turn; and what a user waits for.

python benchmarks/parse.py nl=prepared/alpino/dev.discbracket en=prepared/masc/dev.discbracket
python benchmarks/parse.py     # the sentences in examples/unseen, many times
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch

from discoseq import Parser, read_trees
from discoseq.batching.batches import batches_by_length
from discoseq.batching.sentence_batch import encode_in_batches
from discoseq.decoding.ancestor_scores import AncestorScores
from discoseq.decoding.decode import encode, make_derivations
from discoseq.parser.model_registry import named_models
from discoseq.search.beam import SearchOptions
from discoseq.search.search import search

ROOT = Path(__file__).resolve().parents[1]
UNSEEN = {"en": "english", "nl": "dutch", "de": "german"}
REPEATED = 16  # the sentences of an example
BEAMS = (1, 10)
ROUNDS = 3
SHORT = {"en": "It works very well .", "nl": "Dat werkt heel goed .", "de": "Das geht sehr gut ."}
COMMANDS = [
    ["--help"],
    ["models"],
    ["stats", "examples/twenty.discbracket"],
    ["evaluate", "examples/twenty.discbracket", "examples/twenty.discbracket"],
    ["parse", "--text", "It works.", "--quiet"],
]


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU-seconds of one run over all sentences, loading excluded, and the trees."""

    total: float
    by_sum: float  # the same with the score sum
    batches: float
    encoder: float
    search: float
    short: float  # milliseconds for one short sentence
    trees: list[str]


def main() -> None:
    sources = dict(argument.split("=", 1) for argument in sys.argv[1:])
    print(f"matrix products 1024 x 1024, float32: {square_product_rate() / 1e9:,.0f} GFLOP/s; one thread")
    print("\nsentences per CPU-second, loading excluded: median of rounds in turn\n")
    print("model  beam  compiled  PyTorch  ratio  other trees  |  CPU-seconds: batches  encoder  search  rest")
    for name in [model.name for model in named_models() if model.name in UNSEEN]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sentences.json"
            path.write_text(json.dumps(sentences(name, sources.get(name))))
            for beam in BEAMS:
                print_speeds(name, beam, path)
            print_processes(name, path, Path(folder))
    print("\nCPU-seconds of a command, from its start to its end")
    for arguments in COMMANDS:
        seconds = [command_seconds([sys.executable, "-m", "discoseq", *arguments]) for _ in range(ROUNDS)]
        print(f"{median(seconds):6.2f}  discoseq {' '.join(arguments)}")


def sentences(name: str, source: str | None) -> list[list[str]]:
    if source is not None:
        return [list(tree.words) for tree in read_trees(source)]
    parser = Parser.load(name)
    lines = (ROOT / "examples" / "unseen" / f"{UNSEEN[name]}.txt").read_text("utf-8").splitlines()
    return [parser.tokenize(line) for line in lines] * REPEATED


def print_speeds(name: str, beam: int, path: Path) -> None:
    timings: dict[str, list[Timing]] = {"1": [], "0": []}
    for _ in range(ROUNDS):
        for native, found in timings.items():
            command = [sys.executable, __file__, "--one", name, str(beam), str(path)]
            environment = os.environ | {"DISCOSEQ_NATIVE": native}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            found.append(Timing(**json.loads(done.stdout)))
    count = len(timings["1"][0].trees)
    compiled, plain = (count / median(timing.total for timing in timings[native]) for native in ("1", "0"))
    other = sum(a != b for a, b in zip(timings["1"][0].trees, timings["0"][0].trees, strict=True))
    parts = sorted(timings["1"], key=lambda timing: timing.total)[ROUNDS // 2]
    rest = parts.total - parts.batches - parts.encoder - parts.search
    print(
        f"{name:5} {beam:5} {compiled:9.1f} {plain:8.1f} {compiled / plain:6.2f} {other:12}  | "
        f"{parts.batches:21.2f} {parts.encoder:8.2f} {parts.search:7.2f} {rest:5.2f}"
        f"   one short sentence: {median(timing.short for timing in timings['1']):.1f} ms"
        f"   time by the sum instead: {median(timing.by_sum / timing.total for timing in timings['1']):.2f} x"
    )


@torch.inference_mode()
def parse_once(name: str, beam: int, path: Path) -> Timing:
    torch.set_num_threads(1)
    parser, given = Parser.load(name), json.loads(path.read_text())
    list(parser.parse_all(given[:32], beam))
    start = time.process_time()
    trees = list(parser.parse_all(given, beam))
    total = time.process_time() - start
    start = time.process_time()
    list(Parser(*parser.models, language=parser.language, score="sum").parse_all(given, beam))
    by_sum = time.process_time() - start
    # the parts once more, by the same functions
    model = parser.models[0]
    ordered = [given[i] for block in batches_by_length(list(map(len, given)), 32_000) for i in block]
    times = [time.process_time()]
    encode_in_batches(model.vocabularies, ordered)
    times.append(time.process_time())
    encoded = encode(model, ordered)
    times.append(time.process_time())
    scores = AncestorScores([model], [encoded]) if parser.search_score == "joint" and beam > 1 else None
    options = SearchOptions(beam, score=parser.search_score)
    search(make_derivations([model], [encoded]), list(map(len, ordered)), options, tree_scores=scores)
    times.append(time.process_time())
    batches = times[1] - times[0]
    short = [cpu_milliseconds(parser, SHORT[name].split(), beam) for _ in range(20)]
    encoder = times[2] - times[1] - batches
    return Timing(total, by_sum, batches, encoder, times[3] - times[2], median(short), list(map(str, trees)))


def cpu_milliseconds(parser: Parser, words: Sequence[str], beam: int) -> float:
    start = time.process_time()
    parser.parse(words, beam)
    return 1000 * (time.process_time() - start)


def print_processes(name: str, path: Path, folder: Path) -> None:
    """Seconds by the clock of whole commands, with one process and with two, and their ratio."""
    given = json.loads(path.read_text())
    for count in (714, 5000):
        text = folder / "text.txt"
        text.write_text("".join(" ".join(words) + "\n" for words in (given * (1 + count // len(given)))[:count]))
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(ROUNDS - 1):
            for processes, found in seconds.items():
                output = str(folder / "trees.discbracket")
                options = ["--tokenized", "--model", name, "--processes", str(processes), "-o", output, "--quiet"]
                start = time.monotonic()
                subprocess.run([sys.executable, "-m", "discoseq", "parse", str(text), *options], check=True)
                found.append(time.monotonic() - start)
        one, two = min(seconds[1]), min(seconds[2])
        ratio = f"{one:.1f} s, with two processes {two:.1f} s: {one / two:.2f} x"
        print(f"       {count:,} sentences, loading included: {ratio}")


def command_seconds(command: Sequence[str]) -> float:
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def square_product_rate() -> float:
    """Floating-point operations a second."""
    torch.set_num_threads(1)
    one, other = torch.randn(2, 1024, 1024)
    seconds = []
    for _ in range(8):
        start = time.process_time()
        one @ other
        seconds.append(time.process_time() - start)
    return 2 * 1024**3 / min(seconds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(asdict(parse_once(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))))
    else:
        main()
