"""How well raw text is split into sentences and tokenized into words, beside other libraries that are installed.

    python benchmarks/words.py [FILE LANGUAGE]

FILE is a treebank, a file of cases (tests/text/cases/en.txt, which is the default) or a Python file of pairs of a text
and its sentences, such as pySBD's tests. The sentences of a treebank are written as a typist would, by rules that know
nothing of the tokenizer, and tokenized again: the output is the share of sentences whose words all came back, F1 of
words and, for texts of ten sentences, F1 of the boundaries between them. Of cases and pairs it is the share that is
right. Libraries: NLTK, and where they are installed spaCy, syntok, pySBD and sentencex.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from discoseq.text.sentences import split_sentences  # noqa: E402
from discoseq.text.tokenization import tokenize  # noqa: E402
from discoseq.treebanks.files import read_trees  # noqa: E402
from text.case_files import Case, read_cases  # noqa: E402

Splitter: TypeAlias = Callable[[str], list[str]]
Pair: TypeAlias = tuple[str, list[str]]  # a text and its pieces

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
QUOTES = {"``": '"', "''": '"'}
CLITICS = ["s", "m", "d", "re", "ve", "ll", "t"]
# what stands right after the word before it, right before the word after it, or right between the two
AFTER = {*".,;:?!)]}%…”’»°'", "...", "....", "..", "''", "°C", *(f"{x}'{c}" for c in CLITICS for x in ("", "n"))}
AFTER |= {word.replace("'", "’") for word in AFTER} | {word.upper() for word in AFTER}
BEFORE = {*"([{$“‘«„#`", "``"}
BETWEEN = {"en": {"/"}, "en-hyphens": {"-", "–", "/", "+", "=", "−"}}
APART_IN_DUTCH = {"'s", "'t", "'n", "'m", "%"}


def main() -> None:
    file, language = sys.argv[1:] if len(sys.argv) > 1 else (str(ROOT / "tests/text/cases/en.txt"), "en")
    path = Path(file)
    sentence_splitters: dict[str, Splitter] = {
        "discoseq": partial(split_sentences, language=language),
        **other_splitters(language),
    }
    tokenizers: dict[str, Splitter] = {"discoseq": partial(words_of, language=language), **other_tokenizers(language)}
    if path.suffix == ".py":
        pairs = list(read_pairs(path))
        print(f"{len(pairs):,} texts")
        for name, split in sentence_splitters.items():
            print(f"{name:10} {share(pairs, split):6.2f} % of texts right")
    elif path.suffix == ".txt":
        report_cases(path, sentence_splitters, tokenizers)
    else:
        report_treebank(path, language, sentence_splitters, tokenizers)


def report_cases(path: Path, sentence_splitters: dict[str, Splitter], tokenizers: dict[str, Splitter]) -> None:
    cases = read_cases(path)
    print(f"{len(cases):,} cases")
    texts = [(case.text, ["".join(words) for words in case.sentences]) for case in cases]
    for name, split in sentence_splitters.items():
        print(f"{name:10} {share(texts, split):6.2f} % of texts right")
    pairs = [pair for case in cases for pair in sentences_of(case)]
    for name, split in tokenizers.items():
        print(f"{name:10} {share(pairs, split):6.2f} % of sentences tokenized right")


def sentences_of(case: Case) -> Iterator[Pair]:
    """The sentences of a case as they stand in its text, and their words."""
    end = 0
    for words in case.sentences:
        start = end
        for word in words:
            end = case.text.index(word, end) + len(word)
        yield case.text[start:end], list(words)


def share(pairs: Iterable[Pair], split: Splitter) -> float:
    """The share of texts that are split into exactly these pieces, whatever the white space, in percent."""
    results = [[squeezed(x) for x in split(text)] == [squeezed(x) for x in pieces] for text, pieces in pairs]
    return 100 * sum(results) / len(results)


def squeezed(text: str) -> str:
    return "".join(text.split())


def read_pairs(path: Path) -> Iterator[Pair]:
    """All pairs of a string and a list of strings in a Python file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Tuple([text, ast.List() as pieces, *_]) | ast.Call(_, [text, ast.List() as pieces, *_]):
                try:
                    yield ast.literal_eval(text), ast.literal_eval(pieces)
                except ValueError:
                    continue


def report_treebank(
    path: Path, language: str, sentence_splitters: dict[str, Splitter], tokenizers: dict[str, Splitter]
) -> None:
    sentences = [words for tree in read_trees(path) if (words := list(visible_words(tree.words)))]
    texts = [typed(words, language) for words in sentences]
    print(f"{len(sentences):,} sentences, {sum(map(len, sentences)):,} words")
    for name, split in tokenizers.items():
        found = [list(visible_words(split(text))) for text in texts]
        exact = sum(map(list.__eq__, sentences, found)) / len(sentences)
        pairs = [(spans(gold), spans(words)) for gold, words in zip(sentences, found, strict=True)]
        print(f"{name:10} sentences {100 * exact:6.2f} %  words F1 {f1(pairs):6.2f}")
    ended = [text for text in texts if re.search(r"[.?!…][\"'”’»)\]]*$", text)]
    tens = [ended[start : start + 10] for start in range(0, len(ended), 10)]
    print(f"{len(ended):,} sentences that end in a mark")
    for name, split in sentence_splitters.items():
        places = [(set(ends(ten)[:-1]), set(ends(split(" ".join(ten)))[:-1])) for ten in tens]
        print(f"{name:10} boundaries F1 {f1(places):6.2f}")


def words_of(text: str, language: str) -> list[str]:
    return [text[word.start : word.end] for word in tokenize(text, language)]


def other_splitters(language: str) -> dict[str, Splitter]:
    """The sentence splitters of the libraries that are installed."""
    code = language.partition("-")[0]
    found: dict[str, Splitter] = {}
    if find_spec("pysbd"):
        found["pySBD"] = import_module("pysbd").Segmenter(language=code, clean=False).segment
    if find_spec("sentencex"):
        segment: Any = import_module("sentencex").segment
        found["sentencex"] = lambda text: list(segment(code, text))
    if find_spec("syntok"):
        analyze: Any = import_module("syntok.segmenter").analyze
        found["syntok"] = lambda text: [
            "".join(f"{x.spacing}{x.value}" for x in sentence) for paragraph in analyze(text) for sentence in paragraph
        ]
    if find_spec("spacy"):
        pipeline: Any = import_module("spacy").blank(code)
        pipeline.add_pipe("sentencizer")
        found["spaCy"] = lambda text: [sentence.text for sentence in pipeline(text).sents]
    return found


def other_tokenizers(language: str) -> dict[str, Splitter]:
    """The tokenizers of the libraries that are installed."""
    code = language.partition("-")[0]
    nltk: Any = import_module("nltk.tokenize.destructive").NLTKWordTokenizer()
    found: dict[str, Splitter] = {"NLTK": lambda text: [QUOTES.get(x, x) for x in nltk.tokenize(text)]}
    if find_spec("syntok"):
        syntok: Any = import_module("syntok.tokenizer").Tokenizer()
        found["syntok"] = lambda text: [word.value for word in syntok.tokenize(text)]
    if find_spec("spacy"):
        pipeline: Any = import_module("spacy").blank(code)
        found["spaCy"] = lambda text: [word.text for word in pipeline(text) if not word.is_space]
    return found


def visible_words(words: Iterable[str]) -> Iterator[str]:
    """Without words that are only white space, which no one can type; brackets as they are typed."""
    for word in words:
        if not word.isspace():
            word = "".join(word.split())
            yield BRACKETS.get(word, word)


def typed(words: list[str], language: str) -> str:
    """The sentence as one would type it; straight quotation marks open and close in turn."""
    text, is_joined, is_open = "", True, {'"': False, "'": False}
    if words.count("'") % 2:
        del is_open["'"]  # an apostrophe
    for word in words:
        joins_left, joins_right = word in AFTER, word in BEFORE
        if word in is_open:
            joins_left, joins_right = is_open[word], not is_open[word]
            is_open[word] = joins_right
        elif word in BETWEEN.get(language, ()):
            joins_left = joins_right = True
        elif language == "nl" and word in APART_IN_DUTCH:
            joins_left = False
        text += word if is_joined or joins_left else f" {word}"
        is_joined = joins_right
    return text


def ends(texts: Iterable[str]) -> list[int]:
    """Where each ends, in characters that are no white space."""
    return list(accumulate(len("".join(text.split())) for text in texts))


def spans(words: list[str]) -> set[tuple[int, int]]:
    places = ends(words)
    return set(zip([0, *places], places, strict=False))


def f1(pairs: Iterable[tuple[set[int], set[int]] | tuple[set[tuple[int, int]], set[tuple[int, int]]]]) -> float:
    """Over pairs of what is right and what was found, in percent."""
    common = total = 0
    for gold, found in pairs:
        common += len(gold & found)
        total += len(gold) + len(found)
    return 200 * common / max(total, 1)


if __name__ == "__main__":
    main()
