"""Make the silver treebank of the German model: dependencies of raw text by a parser, trees of TIGER's kind by rules.

    python models/de/de_silver.py novels.txt.gz --spacy DIR --output silver.discbracket --dev dev.discbracket

DIR is a pipeline of spaCy, de_core_news_sm 3.8 (MIT licence): a folder with meta.json. spaCy is not a dependency of
discoseq; install it beside it. The pipeline was trained on newspapers of the 1990s, so it reads the spelling of that
time, and only the last part of an unknown compound. The trees have the words of the text.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import spacy
from de_constructions import constructions
from de_spelling import in_traditional_spelling, last_known_part, modernize
from spacy.language import Language
from spacy.tokens import Doc

from discoseq.errors import DiscoseqError
from discoseq.text.sentences import read_sentences
from discoseq.treebanks.dependency_trees import Dependencies, build_tiger_tree
from discoseq.treebanks.dependency_trees.dependencies import PUNCTUATION, ROOT, VERBS
from discoseq.treebanks.files import read_trees, write_trees
from discoseq.trees.tree import Tree

_CHUNK = 256  # sentences that are parsed together
_OPENING, _CLOSING = "„»([", "“«)]"
_NO_SPACE_BEFORE = frozenset([*",.;:?!", "...", *_CLOSING])
_STRANGE_TAGS = frozenset(["XY", "_SP", ""])
_MOST_FOREIGN_WORDS = 2
_MOST_WORDS_WITHOUT_VERB = 8


def main() -> None:
    options = _options()
    pipeline = spacy.load(options.spacy, exclude=["ner", "lemmatizer", "senter", "morphologizer"])
    outcomes: Counter[str] = Counter()
    kept = []
    for parsed in _parse(pipeline, _select(options, outcomes)):
        fault = _fault_of_parse(parsed)
        outcomes[fault or "kept"] += 1
        if not fault:
            kept.append(parsed)
    _write(kept, options)
    for outcome, count in outcomes.most_common():
        print(f"{count:8} {outcome}", file=sys.stderr)


def _select(options: argparse.Namespace, outcomes: Counter[str]) -> Iterator[list[str]]:
    """The sentences of the text that are worth parsing, each once."""
    seen = {_key(tree.words) for path in options.exclude for tree in read_trees(path)}
    for words in _sentences(options.text, is_tokenized=options.tokenized):
        sentence = [modernize(word) for word in words] if options.modernize else words
        fault = _fault_of_sentence(sentence, options.shortest, options.longest)
        if not fault and _key(sentence) in seen:
            fault = "seen before, or excluded"
        if fault:
            outcomes[fault] += 1
        else:
            seen.add(_key(sentence))
            yield sentence


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="+", type=Path, help="text, plain or gzipped; a line is a paragraph")
    parser.add_argument("--spacy", required=True, type=Path, help="folder of the pipeline")
    parser.add_argument("--output", required=True, type=Path, help="the treebank, in discbracket")
    parser.add_argument("--dev", type=Path, help="a random part that is kept apart")
    parser.add_argument("--constructions", type=Path, help="rare sentences that rules make of the kept ones, as trees")
    parser.add_argument("--dev-size", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokenized", action="store_true", help="a line is a sentence, its words separated by spaces")
    parser.add_argument("--modernize", action="store_true", help="replace spellings of the 19th century")
    parser.add_argument("--exclude", action="append", default=[], help="treebank whose sentences are left out")
    parser.add_argument("--shortest", type=int, default=3)
    parser.add_argument("--longest", type=int, default=60)
    return parser.parse_args()


def _sentences(paths: Sequence[Path], *, is_tokenized: bool) -> Iterator[list[str]]:
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            if is_tokenized:
                yield from (line.split() for line in lines)
            else:
                # an empty line ends a sentence, so a paragraph never continues the one before
                paragraphs = (part for line in lines for part in (line, "\n"))
                yield from ([word.text for word in sentence.words] for sentence in read_sentences(paragraphs, "de"))


def _key(words: Sequence[str]) -> str:
    return "".join(character for word in words for character in word if character.isalnum()).casefold()


def _fault_of_sentence(words: Sequence[str], shortest: int, longest: int) -> str | None:
    if not shortest <= len(words) <= longest:
        return "too short or too long"
    if not any(word.isalpha() for word in words):
        return "no words"
    first = next(word for word in words if word[0].isalnum())
    return "begins in the middle" if first[0].islower() else None


def _parse(pipeline: Language, sentences: Iterable[Sequence[str]]) -> Iterator[Dependencies]:
    known = frozenset(pipeline.vocab.strings)
    pairs = ((_doc(pipeline, words, known), words) for words in sentences)
    for doc, words in pipeline.pipe(pairs, as_tuples=True, batch_size=_CHUNK):
        heads = (ROOT if token.head.i == token.i else token.head.i for token in doc)
        functions = (token.dep_ for token in doc)
        yield Dependencies(tuple(words), tuple(token.tag_ for token in doc), tuple(heads), tuple(functions))


def _doc(pipeline: Language, words: Sequence[str], known: frozenset[str]) -> Doc:
    """What the parser reads: a word for each word, with the spaces of running text, as one sentence."""
    shown = [last_known_part(in_traditional_spelling(word), known) for word in _with_german_quotes(words)]
    spaces = [
        not (here in _OPENING or after in _NO_SPACE_BEFORE) for here, after in zip(shown, [*shown[1:], ""], strict=True)
    ]
    return Doc(pipeline.vocab, words=shown, spaces=spaces, sent_starts=[True] + [False] * (len(shown) - 1))


def _with_german_quotes(words: Iterable[str]) -> Iterator[str]:
    is_open = False
    for word in words:
        if word in ('"', "``", "''", "”"):
            word = "“" if is_open else "„"
            is_open = not is_open
        yield {"»": "„", "«": "“", "–": "-", "—": "-", "…": "...", "’": "'"}.get(word, word)


def _fault_of_parse(parsed: Dependencies) -> str | None:
    """Signs of a broken parse, or of something that is not a sentence."""
    tags = Counter(parsed.tags)
    words = sum(count for tag, count in tags.items() if tag not in PUNCTUATION)
    if sum(head == ROOT for head in parsed.heads) != 1:
        return "several roots"
    if not words or tags.keys() & _STRANGE_TAGS or tags["FM"] > _MOST_FOREIGN_WORDS:
        return "strange tags"
    if words > _MOST_WORDS_WITHOUT_VERB and not tags.keys() & VERBS:
        return "long, without a verb"
    if parsed.tags[parsed.heads.index(ROOT)] in PUNCTUATION or "dep" in parsed.functions:
        return "broken parse"
    return None


def _write(kept: Sequence[Dependencies], options: argparse.Namespace) -> None:
    trees = [build_tiger_tree(parsed) for parsed in kept]
    dev: set[int] = set()
    if options.dev:
        dev = set(random.Random(options.seed).sample(range(len(trees)), min(options.dev_size, len(trees))))
        write_trees((trees[i] for i in sorted(dev)), options.dev, "discbracket")
    write_trees((tree for i, tree in enumerate(trees) if i not in dev), options.output, "discbracket")
    if options.constructions:
        statements = (parsed for i, parsed in enumerate(kept) if i not in dev)
        write_trees(_constructions(statements, options), options.constructions, "discbracket")


def _constructions(statements: Iterable[Dependencies], options: argparse.Namespace) -> Iterator[Tree]:
    """The trees that rules make of the kept sentences, but for those kept apart; each sentence once."""
    chance = random.Random(options.seed)
    seen = {_key(tree.words) for path in options.exclude for tree in read_trees(path)}
    for parsed in statements:
        for made in constructions(parsed, chance):
            if _key(made.words) not in seen:
                seen.add(_key(made.words))
                yield build_tiger_tree(made)


if __name__ == "__main__":
    try:
        main()
    except (DiscoseqError, OSError) as error:
        sys.exit(f"error: {error}")
