"""How well raw text is split into the sentences of a treebank and tokenized into its words.

    python benchmarks/words.py [TREEBANK LANGUAGE]

The sentences are written as a typist would, by rules that know nothing of the tokenizer, and tokenized again. The
output is the share of sentences whose words all came back, F1 of words and, for texts of ten sentences, F1 of the
boundaries between them. NLTK's own tokenizer, which ours is built on, is measured beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from pathlib import Path

from nltk.tokenize.destructive import NLTKWordTokenizer

from discoseq.text.sentences import split_sentences
from discoseq.text.words import tokenize
from discoseq.treebanks.files import read_trees

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "twenty.discbracket"
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
CLITICS = ["s", "m", "d", "re", "ve", "ll", "t"]
# what stands right after the word before it, right before the word after it, or right between the two
AFTER = {*".,;:?!)]}%…”’»°", "...", "....", "..", "''", "°C", *(f"{x}'{c}" for c in CLITICS for x in ("", "n"))}
AFTER |= {word.replace("'", "’") for word in AFTER} | {word.upper() for word in AFTER}
BEFORE = {*"([{$“‘«„#`", "``"}
BETWEEN = {"en-hyphens": {"-", "–", "/", "+", "=", "−"}}
DUTCH_WORDS = {"'s", "'t", "'n", "'m"}  # which stand alone


def main() -> None:
    path, language = sys.argv[1:] if len(sys.argv) > 1 else (str(EXAMPLES), "en")
    sentences = [words for tree in read_trees(path) if (words := list(visible_words(tree.words)))]
    texts = [typed(words, language) for words in sentences]
    print(f"{len(sentences):,} sentences, {sum(map(len, sentences)):,} words")
    nltk = NLTKWordTokenizer()
    report("NLTK", sentences, texts, lambda text: [{"``": '"', "''": '"'}.get(x, x) for x in nltk.tokenize(text)])
    report("discoseq", sentences, texts, lambda text: [word.text for word in tokenize(text, language)])
    ended = [text for text in texts if re.search(r"[.?!…][\"'”’»)\]]*$", text)]
    tens = [ended[start : start + 10] for start in range(0, len(ended), 10)]
    pairs = [(set(ends(ten)[:-1]), set(ends(split_sentences(" ".join(ten), language))[:-1])) for ten in tens]
    print(f"boundaries F1 {f1(pairs):6.2f} of {len(ended):,} sentences that end in a mark")


def report(name: str, sentences: list[list[str]], texts: list[str], tokenizer: Callable[[str], list[str]]) -> None:
    found = [list(visible_words(tokenizer(text))) for text in texts]
    exact = sum(map(list.__eq__, sentences, found)) / len(sentences)
    pairs = [(spans(gold), spans(words)) for gold, words in zip(sentences, found, strict=True)]
    print(f"{name:10} sentences {100 * exact:6.2f} %  words F1 {f1(pairs):6.2f}")


def visible_words(words: Iterable[str]) -> Iterator[str]:
    """Without words that are only white space, which no one can type; brackets as they are typed."""
    for word in words:
        if not word.isspace():
            word = "".join(word.split())
            yield BRACKETS.get(word, word)


def typed(words: list[str], language: str) -> str:
    """The sentence as one would type it; straight quotation marks open and close in turn."""
    text, is_joined, is_open = "", True, False
    for word in words:
        joins_left, joins_right = word in AFTER, word in BEFORE
        if word == '"':
            joins_left, joins_right, is_open = is_open, not is_open, not is_open
        elif word in BETWEEN.get(language, ()):
            joins_left = joins_right = True
        elif language == "nl" and word in DUTCH_WORDS:
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
