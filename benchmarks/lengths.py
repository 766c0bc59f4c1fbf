"""What a sentence costs on one thread, by its number of words and the beam, and how much memory a worker then has.

python benchmarks/lengths.py          # the model nl
python benchmarks/lengths.py en
"""

from __future__ import annotations

import resource
import sys
import time
from itertools import chain, cycle, islice
from pathlib import Path

from discoseq import Parser
from discoseq.parser.parser import limit_resources

ROOT = Path(__file__).resolve().parents[1]
UNSEEN = {"en": "english", "nl": "dutch", "de": "german"}
LENGTHS = (5, 10, 20, 40, 80, 160, 320, 500)
BEAMS = (1, 10)
WORDS = 1500  # of all sentences of a length together, in whole sentences


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "nl"
    limit_resources(1)
    parser = Parser.load(name)
    lines = (ROOT / "examples" / "unseen" / f"{UNSEEN[name]}.txt").read_text("utf-8").splitlines()
    words = list(chain.from_iterable(parser.tokenize(line) for line in lines))
    list(parser.parse_all([words[:5]] * 8, 1))  # what is loaded late
    print(f"model {name}; {memory():,.0f} MiB when it is loaded")
    print("CPU-milliseconds a sentence, and the most memory up to then in MiB\n")
    print("words  " + "  ".join(f"beam {beam:2}     MiB" for beam in BEAMS))
    for length in LENGTHS:
        sentences = texts_of(words, length)
        cells = [f"{milliseconds(parser, sentences, beam):7.1f}  {memory():6,.0f}" for beam in BEAMS]
        print(f"{length:5}  {'  '.join(cells)}")


def texts_of(words: list[str], length: int) -> list[list[str]]:
    """Sentences of exactly so many words: running text, cut anywhere, so their trees mean nothing."""
    source = cycle(words)
    return [list(islice(source, length)) for _ in range(max(2, WORDS // length))]


def milliseconds(parser: Parser, sentences: list[list[str]], beam: int) -> float:
    start = time.process_time()
    for _ in parser.parse_all(sentences, beam):
        pass
    return 1000 * (time.process_time() - start) / len(sentences)


def memory() -> float:
    """The most that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
