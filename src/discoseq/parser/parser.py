"""The facade: load a model, parse sentences, score and train."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from itertools import tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import torch

from discoseq.decoding.decode import Candidate, decode
from discoseq.decoding.derivation import Derivation, derive
from discoseq.decoding.score_trees import score_trees
from discoseq.errors import ParserError, first_line
from discoseq.evaluation import Scores, evaluate
from discoseq.model.directory import load_model, save_model
from discoseq.model.model_files import CARD, read_extra
from discoseq.model.network import Model
from discoseq.parser.model_registry import find_model, upload
from discoseq.search.beam import DEFAULT_PRUNE, DEFAULT_SCORE, Score, SearchOptions
from discoseq.search.search import BATCH_WORDS
from discoseq.text.sentences import LineBreaks, read_sentences, split_sentences
from discoseq.text.tokenization import DEFAULT_LANGUAGE, Language, language_named, tokenize
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Token, Tree

if TYPE_CHECKING:
    from discoseq.training.config import Config

DEFAULT_BEAM = 10  # docs/parsing.md has its cost and its gain
FIRST_CHUNK, LARGEST_CHUNK = 8, 1024  # sentences

Sentence: TypeAlias = str | Sequence[str] | Sequence[Token]  # raw text, words, or tokens with tags
Item = TypeVar("Item")


class Parser:
    """Sentences in, trees out.

    >>> parser = Parser.load("en")
    >>> tree = parser.parse("Which letter did Ben find?")
    >>> print(tree)
    (ROOT (SBARQ (SQ (VP (WHNP 0=Which 1=letter) 4=find) 2=did (NP 3=Ben))) 5=?)
    """

    def __init__(
        self,
        *models: Model,
        language: str = DEFAULT_LANGUAGE,
        abbreviations: Iterable[str] = (),
        about: Mapping[str, object] | None = None,
        score: Score = DEFAULT_SCORE,
    ) -> None:
        """A parser with one model, or an ensemble whose probabilities are averaged; `save` writes `about` with it.

        `abbreviations` are more of them than the language has, such as `Abt.`, for raw text. The best tree is the one
        with the best `score`: the sum of the log-probabilities of its actions, their mean, or the joint score, for
        which a model needs an ancestor head.
        """
        if not models:
            raise ParserError("a parser needs at least one model")
        self.rules = language_named(language).with_abbreviations(abbreviations)
        _check_same_actions(models)
        if score == "joint" and not any(model.heads.ancestors for model in models):
            raise ParserError("the joint score needs a model that was trained with an ancestor head")
        self.models = models
        self.language = language
        self.about = dict(about or {})
        self.search_score = SearchOptions(score=score).score

    @classmethod
    def load(
        cls,
        name: str | Path | Sequence[str | Path],
        language: str | None = None,
        device: str | None = None,
        abbreviations: Iterable[str] = (),
        score: Score | None = None,
    ) -> Parser:
        """Load a model directory, an installed model, one in the user's cache folder, or USER/NAME on the hub.

        A list of them is an ensemble. The language, by whose rules raw text is tokenized, and the score, by which the
        best tree is chosen, are those of the (first) model unless others are given. An ensemble does better without the
        joint score (docs/results.md), and has the sum instead.
        """
        names = [name] if isinstance(name, str | Path) else list(name)
        if not names:
            raise ParserError("name at least one model to load")
        if device is not None:
            _check_device(device)
        folders = [find_model(one) for one in names]
        models = [load_model(folder) for folder in folders]
        if device is not None:
            for model in models:
                model.network.to(device)
        about = _read_about(folders[0]) if len(folders) == 1 else {}
        extra = read_extra(folders[0])
        chosen = language or str(extra.get("language") or DEFAULT_LANGUAGE)
        chosen_score = score or extra.get("score") or DEFAULT_SCORE
        if score is None and chosen_score == "joint" and len(models) > 1:
            chosen_score = "sum"
        return cls(*models, language=chosen, abbreviations=abbreviations, about=about, score=chosen_score)

    @classmethod
    def train(cls, config: Config | str | Path, out: str | Path) -> Parser:
        """Fit a model to a treebank, as `discoseq train` does, and load it from OUT/model."""
        from discoseq.training.config import read_config
        from discoseq.training.run import start_run

        settings = read_config(config) if isinstance(config, str | Path) else config
        for _ in start_run(settings, Path(out)):
            pass
        return cls.load(Path(out) / "model")

    def save(self, directory: str | Path, is_compact: bool = False) -> None:
        """Write a model directory that `load` reads; a compact one has rounded weights and half the size."""
        if len(self.models) > 1:
            raise ParserError(f"{directory}: an ensemble can't be saved as one model; save its members one by one")
        extra = {**self.about, "language": self.language, "score": self.search_score}
        save_model(self.models[0], directory, extra, is_compact)

    def push_to_hub(self, name: str, is_private: bool = False, is_compact: bool = False) -> str:
        """Upload the model to the Hugging Face hub as USER/NAME; the address of the commit."""
        with TemporaryDirectory() as folder:
            self.save(Path(folder) / "model", is_compact)
            return upload(Path(folder) / "model", name, is_private)

    def __repr__(self) -> str:
        count = "" if len(self.models) == 1 else f", {len(self.models)} models"
        return f"Parser({self.language}, {self.models[0].machine.linearization.name}{count})"

    def tokenize(self, sentence: str) -> list[str]:
        """The words of the raw text of one sentence, by the rules of the parser's language."""
        return [word.text for word in tokenize(sentence, self.rules)]

    def parse(self, sentence: Sentence, beam_size: int = DEFAULT_BEAM) -> Tree:
        """The best tree of one sentence: raw text, which is tokenized, words, or tokens.

        Raw text that seems to have several sentences is refused; `parse_text` is for these.

        >>> parser.parse(["Ben", "slept", "."])
        >>> parser.parse([Token("Ben", "NNP"), Token("slept", "VBD"), Token(".", ".")])
        """
        return self.nbest(sentence, 1, beam_size)[0].tree

    def parse_text(self, text: str, beam_size: int = DEFAULT_BEAM, line_breaks: str = LineBreaks.GUESS) -> list[Tree]:
        """The trees of all sentences of a raw text, where a line break is guess, sentence or space (docs/text.md)."""
        sentences = read_sentences(StringIO(text), self.rules, line_breaks)
        return list(self.parse_all([[word.text for word in sentence.words] for sentence in sentences], beam_size))

    def parse_all(
        self, sentences: Iterable[Sentence], beam_size: int = DEFAULT_BEAM, batch_words: int = BATCH_WORDS
    ) -> Generator[Tree]:
        """A tree for every sentence, lazily and in order; an empty sentence has a tree without words.

        Sentences are read ahead by at most 1,024, so the input may be endless; an error in the middle is raised after
        the trees before it. `batch_words` bounds words times hypotheses that are searched together, and with them
        memory: a very long sentence gets a smaller beam.

        >>> for tree in parser.parse_all(line.split() for line in open("tokenized.txt")): ...
        """
        found = self.nbest_all(sentences, 1, beam_size, batch_words)
        return (candidates[0].tree for candidates in found)

    def nbest(self, sentence: Sentence, n: int, beam_size: int = DEFAULT_BEAM) -> list[Candidate]:
        """The n best trees of one sentence with their probabilities; fewer only if it has no more different trees.

        >>> for candidate in parser.nbest("Ben slept.", 5): print(candidate.share, candidate.tree)
        """
        options = self._options(n, beam_size, n)
        if isinstance(sentence, str):
            _check_one_sentence(sentence, self.rules)
        tokens = _tokens_of(sentence, self.rules)
        if not tokens:
            raise ParserError("the sentence has no words")
        return decode(self.models, [tokens], options)[0]

    def nbest_all(
        self,
        sentences: Iterable[Sentence],
        n: int,
        beam_size: int = DEFAULT_BEAM,
        batch_words: int = BATCH_WORDS,
        required: int | None = None,
    ) -> Generator[list[Candidate]]:
        """As `nbest`, for every sentence, lazily and in order as `parse_all`.

        With `required`, only so many candidates are searched for in any case, and up to n kept where they are found.
        """
        if isinstance(sentences, str):
            raise ParserError("sentences are expected, not one string; parse_text splits a text into sentences")
        options = self._options(n, beam_size, n if required is None else required)
        return self._candidates(sentences, options, batch_words)

    def _options(self, n: int, beam_size: int, required: int) -> SearchOptions:
        for what, value in (("the beam size", beam_size), ("the number of trees", n)):
            if value < 1:
                raise ParserError(f"{what} must be at least 1, not {value}")
        prune = None if self.search_score == "mean" else DEFAULT_PRUNE  # a mean may rise again
        return SearchOptions(max(n, beam_size), n, self.search_score, prune, required=required)

    def _candidates(
        self, sentences: Iterable[Sentence], options: SearchOptions, batch_words: int
    ) -> Generator[list[Candidate]]:
        first = LARGEST_CHUNK if isinstance(sentences, Sequence) else FIRST_CHUNK
        for chunk in chunks(_all_tokens(sentences, self.rules), first, LARGEST_CHUNK):
            yield from decode(self.models, chunk, options, batch_words)

    def score(self, tree: Tree) -> float:
        """The log-probability of a tree given its words; minus infinity for one that the model can't build."""
        return score_trees(self.models, [tree])[0]

    def derivation(self, item: Candidate | Tree) -> Derivation:
        """The actions that built a candidate, or by which training would build a tree, each with its alternatives.

        >>> for step in parser.derivation(parser.nbest("Ben slept.", 1)[0]).steps: print(step.replayed.action)
        """
        return derive(self.models, item)

    def evaluate(self, trees: Iterable[Tree], beam_size: int = DEFAULT_BEAM, rules: str = "disco") -> Scores:
        """Parse the words of gold trees and compare.

        By the rules disco, `pos_accuracy` is that of the model's own tags, if it predicts tags. EVALB's rules depend on
        the tags of the parses, so there gold tags are passed in and kept, as is usual, and their accuracy is 100.
        """
        gold, inputs = tee(map(drop_functions, trees))
        is_tagged = rules == "disco" and any(model.heads.tags for model in self.models)
        sentences: Iterable[Sentence] = (tree.words if is_tagged else tree.tokens for tree in inputs)
        return evaluate(gold, self.parse_all(sentences, beam_size), rules)


def chunks(items: Iterable[Item], first: int = LARGEST_CHUNK, largest: int = LARGEST_CHUNK) -> Iterator[list[Item]]:
    """All items in order. If the first chunk is small, results come soon; the next ones are larger, for speed.

    What was read before an error is delivered before the error is raised.
    """
    size = first
    chunk: list[Item] = []
    try:
        for item in items:
            chunk.append(item)
            if len(chunk) == size:
                yield chunk
                chunk = []
                size = min(4 * size, largest)
    except Exception:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def limit_resources(threads: int) -> None:
    """Limit torch in a process of our own, the command's or a worker's; one thread is best for small models.

    Every shape of a convolution has compiled code, of which oneDNN would keep a thousand: some hundred megabytes.
    """
    torch.set_num_threads(threads)
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "32")


def _check_device(device: str) -> None:
    try:
        torch.zeros(1, device=device).item()
    except Exception as error:  # torch raises errors of many kinds
        raise ParserError(f"the device {device!r} can't be used here ({first_line(error)})") from None


def _check_one_sentence(text: str, language: Language) -> None:
    count = len(split_sentences(text, language))
    if count > 1:
        remedy = "if it is one sentence, parse its words: parser.parse(parser.tokenize(text))"
        raise ParserError(f"the text seems to have {count} sentences; use parse_text, or {remedy}")


def _all_tokens(sentences: Iterable[Sentence], language: Language) -> Iterator[tuple[Token, ...]]:
    """The tokens of every sentence; an error says which sentence it is about."""
    number = 1
    try:
        for sentence in sentences:
            yield _tokens_of(sentence, language)
            number += 1
    except ParserError as error:
        raise ParserError(f"sentence {number}: {error}") from None
    except Exception as error:
        error.add_note(f"while sentence {number} was read")
        raise


def _tokens_of(sentence: Sentence, language: Language) -> tuple[Token, ...]:
    """Raw text is tokenized; tokens lose their functions, which belong to a tree."""
    if isinstance(sentence, str):
        return tuple(Token(word.text) for word in tokenize(sentence, language))
    return tuple(_token(item) for item in sentence)


def _token(item: object) -> Token:
    if isinstance(item, str):
        return Token(item)
    if isinstance(item, Token):
        return item if item.function is None else replace(item, function=None)
    raise ParserError(f"a sentence is a string or a sequence of strings or tokens; found {item!r}")


def _check_same_actions(models: Sequence[Model]) -> None:
    first = models[0]
    for number, other in enumerate(models[1:], 2):
        names = [model.machine.linearization.name for model in (first, other)]
        if names[0] != names[1]:
            raise ParserError(
                f"models 1 and {number} can't form an ensemble: their linearizations differ ({names[0]}, {names[1]})"
            )
        if first.vocabularies.actions.tokens != other.vocabularies.actions.tokens:
            raise ParserError(f"models 1 and {number} can't form an ensemble: their action vocabularies differ")


def _read_about(folder: Path) -> dict[str, Any]:
    card = folder / CARD
    return read_extra(folder) | ({"card": card.read_text(encoding="utf-8")} if card.is_file() else {})
