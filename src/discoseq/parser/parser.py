"""The facade: load a model, parse sentences, score and train."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import tee
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from discoseq.decoding.parse import BATCH_WORDS
from discoseq.errors import ParserError
from discoseq.evaluation import Scores, evaluate
from discoseq.model.bundle import Model
from discoseq.model.directory import CARD, load_model, read_extra, save_model
from discoseq.parser.candidates import Candidate
from discoseq.parser.decode import decode
from discoseq.parser.hub import upload
from discoseq.parser.inputs import Sentence, tokens_of
from discoseq.parser.places import find_model
from discoseq.parser.probability import log_probability
from discoseq.parser.reading_ahead import chunks
from discoseq.parser.threads import limited_threads
from discoseq.search.options import SearchOptions
from discoseq.text.languages import DEFAULT_LANGUAGE, language_named
from discoseq.text.tokenization import read_sentences
from discoseq.trees.transforms import drop_functions
from discoseq.trees.tree import Tree

if TYPE_CHECKING:
    from discoseq.training.settings import Config

DEFAULT_BEAM = 10  # docs/parsing.md says what it costs and gains


class Parser:
    """Sentences in, trees out.

    >>> parser = Parser.load("en")
    >>> tree = parser.parse("Which letter did Ben find?")
    >>> print(tree)
    (ROOT (SBARQ (SQ (VP (WHNP 0=Which 1=letter) 4=find) 2=did (NP 3=Ben))) 5=?)
    """

    def __init__(
        self, *models: Model, language: str = DEFAULT_LANGUAGE, about: Mapping[str, object] | None = None
    ) -> None:
        """Of one model, or of several whose probabilities are averaged; `about` is what `save` writes beside it."""
        if not models:
            raise ParserError("a parser needs a model")
        language_named(language)
        _check_alike(models)
        self.models = models
        self.language = language
        self.about = dict(about or {})

    @classmethod
    def load(
        cls,
        name: str | Path | Sequence[str | Path],
        language: str | None = None,
        device: str | None = None,
    ) -> Parser:
        """A model directory, a model that came with discoseq, one in the user's cache folder, or USER/NAME on the hub.

        A list is an ensemble.

        The language, by which raw text is cut into words, is the one the model was trained on unless another is given.
        """
        names = [name] if isinstance(name, str | Path) else list(name)
        folders = [find_model(one) for one in names]
        models = [load_model(folder) for folder in folders]
        if device is not None:
            for model in models:
                model.network.to(device)
        about = _read_about(folders[0]) if len(folders) == 1 else {}
        languages = [read_extra(folder).get("language") for folder in folders]
        return cls(*models, language=language or str(languages[0] or DEFAULT_LANGUAGE), about=about)

    @classmethod
    def train(cls, config: Config | str | Path, out: str | Path) -> Parser:
        """Fit a model to a treebank, as `discoseq train` does, and load it from OUT/model."""
        from discoseq.training.config import read_config
        from discoseq.training.data import load_data
        from discoseq.training.folder import check_unused, make_folder
        from discoseq.training.loop import train
        from discoseq.training.outcome import Outcome

        settings = read_config(config) if isinstance(config, str | Path) else config
        folder = Path(out)
        check_unused(folder)
        data = load_data(settings.data)
        make_folder(folder)
        outcome = Outcome(folder, settings, data.checksums)
        for event in train(settings, data, folder, is_resumed=False):
            outcome.note(event)
        return cls.load(folder / "model")

    def save(self, directory: str | Path, is_compact: bool = False) -> None:
        """Write a model directory that `load` reads; a compact one has rounded weights and takes half the room."""
        if len(self.models) > 1:
            raise ParserError(f"{directory}: an ensemble is no model of its own; its members are saved one by one")
        save_model(self.models[0], directory, {**self.about, "language": self.language}, is_compact)

    def push_to_hub(self, name: str, is_private: bool = False, is_compact: bool = False) -> str:
        """Put the model on the Hugging Face hub as USER/NAME, whence `load` gets it; the address of the commit."""
        with TemporaryDirectory() as folder:
            self.save(Path(folder) / "model", is_compact)
            return upload(Path(folder) / "model", name, is_private)

    def parse(self, sentence: Sentence, beam_size: int = DEFAULT_BEAM) -> Tree:
        """The best tree of one sentence: of raw text, which is cut into words, of words, or of tokens.

        >>> parser.parse(["Ben", "slept", "."])
        >>> parser.parse([Token("Ben", "NNP"), Token("slept", "VBD"), Token(".", ".")])
        """
        return self.nbest(sentence, 1, beam_size)[0].tree

    def parse_text(self, text: str, beam_size: int = DEFAULT_BEAM) -> list[Tree]:
        """The trees of all sentences of a raw text; none where it is empty."""
        return list(self.parse_all(read_sentences(text.splitlines(keepends=True), self.language), beam_size))

    def parse_all(
        self,
        sentences: Iterable[Sentence],
        beam_size: int = DEFAULT_BEAM,
        batch_tokens: int = BATCH_WORDS,
        threads: int = 1,
    ) -> Generator[Tree]:
        """A tree for every sentence, in order, as they are asked for; an empty sentence has a tree without words.

        No more is read ahead than is good for speed, so the sentences may be without end. `batch_tokens` bounds words
        times hypotheses that are worked on at once, and with them memory: a sentence too long for its beam gets a
        smaller one. More threads than 1 pay for large models only: the products of a small one are done before a second
        thread has begun.

        >>> for tree in parser.parse_all(line.split() for line in open("tokenized.txt")): ...
        """
        for candidates in self.nbest_all(sentences, 1, beam_size, batch_tokens, threads):
            yield candidates[0].tree

    def nbest(self, sentence: Sentence, n: int, beam_size: int = DEFAULT_BEAM) -> list[Candidate]:
        """The best trees of one sentence with their probabilities; fewer than n where the beam ends in fewer.

        >>> for candidate in parser.nbest("Ben slept.", 5): print(candidate.share, candidate.tree)
        """
        tokens = tokens_of(sentence, self.language)
        if not tokens:
            raise ParserError("the sentence has no words")
        with limited_threads(1):
            return decode(self.models, [tokens], SearchOptions(max(n, beam_size), n), BATCH_WORDS)[0]

    def nbest_all(
        self,
        sentences: Iterable[Sentence],
        n: int,
        beam_size: int = DEFAULT_BEAM,
        batch_tokens: int = BATCH_WORDS,
        threads: int = 1,
    ) -> Generator[list[Candidate]]:
        """As `nbest`, for every sentence, in order and as they are asked for, as `parse_all`."""
        options = SearchOptions(max(n, beam_size), n)
        for chunk in chunks(sentences):
            tokens = [tokens_of(sentence, self.language) for sentence in chunk]
            with limited_threads(threads):
                found = decode(self.models, tokens, options, batch_tokens)
            yield from found

    def score(self, tree: Tree) -> float:
        """The log-probability of a tree, given its words; minus infinity for one that the model can't build."""
        return log_probability(self.models, tree)

    def evaluate(self, trees: Iterable[Tree], beam_size: int = DEFAULT_BEAM, rules: str = "disco") -> Scores:
        """Parse the words of gold trees and compare; the gold tags are put back, as everyone does."""
        gold, given = tee(map(drop_functions, trees))
        return evaluate(gold, self.parse_all((tree.tokens for tree in given), beam_size), rules)


def _check_alike(models: Sequence[Model]) -> None:
    first = models[0]
    for number, other in enumerate(models[1:], 2):
        names = [model.machine.linearization.name for model in (first, other)]
        if names[0] != names[1]:
            raise ParserError(f"models 1 and {number} do not go together: one is {names[0]}, the other {names[1]}")
        if first.vocabularies.actions.tokens != other.vocabularies.actions.tokens:
            raise ParserError(f"models 1 and {number} do not go together: their action vocabularies are different")


def _read_about(folder: Path) -> dict[str, Any]:
    card = folder / CARD
    return read_extra(folder) | ({"card": card.read_text(encoding="utf-8")} if card.is_file() else {})
