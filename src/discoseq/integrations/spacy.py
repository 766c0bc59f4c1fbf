"""The spaCy component `discoseq`: parses the sentences of documents, which keep their tokens and boundaries.

>>> nlp = spacy.blank("en")
>>> nlp.add_pipe("sentencizer")
>>> nlp.add_pipe("discoseq", config={"model": "en"})
>>> [sentence._.parse_string for sentence in nlp("It works. Does it?").sents]
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from discoseq.errors import IntegrationError, MissingExtraError

try:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.util import raise_error
except ImportError:
    raise MissingExtraError("discoseq.integrations.spacy needs spacy: pip install 'discoseq[spacy]'") from None

from discoseq.integrations.spacy_attributes import register_attributes
from discoseq.integrations.spacy_spans import set_trees, words_of
from discoseq.parser.parser import DEFAULT_BEAM, Parser, chunks, limit_resources
from discoseq.search.search import BATCH_WORDS

ErrorHandler: TypeAlias = Callable[[str, Any, list[Doc], Exception], None]  # as spaCy calls it

register_attributes()


class SpacyComponent:
    """Writes a tree for every sentence; discoseq.integrations.spacy_spans says where."""

    def __init__(self, name: str, model: str, beam: int, batch_words: int, device: str | None) -> None:
        for what, value in (("beam", beam), ("batch_words", batch_words)):
            if value < 1:
                raise IntegrationError(f"{what} must be at least 1, not {value}")
        self.name = name
        self.model = model
        self.beam = beam
        self.batch_words = batch_words
        self.device = device
        self.error_handler: ErrorHandler = raise_error
        self.parser = Parser.load(model, device=device)
        self._process = os.getpid()

    def __call__(self, doc: Doc) -> Doc:
        _check_sentences(doc)
        return next(self._parse([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The documents in order; the sentences of `batch_size` of them are parsed together."""
        for batch in chunks(stream, batch_size, batch_size):
            docs = []
            for doc in batch:
                try:
                    _check_sentences(doc)
                    docs.append(doc)
                except IntegrationError as error:
                    self.error_handler(self.name, self, [doc], error)
            yield from self._parse(docs)

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Called by spaCy's `nlp.set_error_handler`, for documents that can't be parsed."""
        self.error_handler = error_handler

    def get_error_handler(self) -> ErrorHandler:
        return self.error_handler

    def _parse(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        if os.getpid() != self._process:
            # a forked process lacks the threads of the one before, and torch would wait for them for ever
            limit_resources(1)
            self._process = os.getpid()
        spelling = self.parser.rules.spelling  # `(` is `-LRB-` to a model that has learnt from a Penn treebank
        sentences = [list(doc.sents) for doc in docs]
        words = [
            [spelling.get(token.text, token.text) for token in words_of(sentence)]
            for parts in sentences
            for sentence in parts
        ]
        trees = self.parser.parse_all(words, self.beam, self.batch_words)
        for doc, parts in zip(docs, sentences, strict=True):
            set_trees(doc, [(sentence, next(trees)) for sentence in parts])
            yield doc

    def __getstate__(self) -> dict[str, Any]:
        # a worker process that is not forked loads the model again
        return {name: value for name, value in vars(self).items() if name != "parser"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.parser = Parser.load(self.model, device=self.device)
        self._process = os.getpid()


@Language.factory(
    "discoseq",
    requires=["doc.sents"],
    assigns=["doc.spans", "doc._.trees", "span._.labels", "span._.constituents", "token.tag"],
    default_config={"model": None, "beam": DEFAULT_BEAM, "batch_words": BATCH_WORDS, "device": None},
)
def create_component(
    nlp: Language, name: str, model: str | None, beam: int, batch_words: int, device: str | None
) -> SpacyComponent:
    """What `nlp.add_pipe("discoseq")` makes; without a model it is the one with the name of the pipeline's language."""
    return SpacyComponent(name, model or str(nlp.lang), beam, batch_words, device)


def _check_sentences(doc: Doc) -> None:
    if not doc.has_annotation("SENT_START"):
        shown = doc.text if len(doc.text) <= 40 else doc.text[:40] + "..."
        remedy = "nlp.add_pipe('sentencizer', before='discoseq')"
        raise IntegrationError(f"the document {shown!r} has no sentence boundaries; add a sentencizer: {remedy}")
