"""Trees in spaCy's documents: constituents as spans.

The trees of a document are its span group `discoseq`: a span for every constituent, from its first to its last token,
parents before children. The id of a discontinuous one lists its parts: `discoseq 0-1 4-7` is the span's first token
and its fifth to seventh. So the trees are saved, copied and merged by all of spaCy's own means. Tags are the tokens'.

White space that is a token is no part of a tree: no constituent begins or ends with it, and it makes no gap.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from spacy.tokens import Doc, Span, SpanGroup
from spacy.tokens import Token as SpacyToken

from discoseq.errors import IntegrationError
from discoseq.trees.covers import blocks as blocks_of_cover
from discoseq.trees.draft import ROOT, Draft
from discoseq.trees.tree import Child, Constituent, Token, Tree

Part: TypeAlias = Span | SpacyToken

GROUP = "discoseq"

_PARTS = re.compile(r"discoseq((?: [0-9]+-[0-9]+)+)")


def words_of(sentence: Span) -> list[SpacyToken]:
    """The tokens that are parsed: all except white space."""
    return [token for token in sentence if not token.is_space]


def as_span(part: Part) -> Span:
    """A token as a span of its own."""
    return part if isinstance(part, Span) else part.doc[part.i : part.i + 1]


def set_trees(doc: Doc, sentences: Iterable[tuple[Span, Tree]]) -> None:
    """Write the trees of all sentences into the document, and tags where its tokens have none."""
    spans: list[Span] = []
    for sentence, tree in sentences:
        words = words_of(sentence)
        places = [token.i for token in words]
        spans.extend(_span(doc, places, constituent, constituent.label) for constituent in tree.subtrees() if words)
        for token, parsed in zip(words, tree.tokens, strict=True):
            if not token.tag and parsed.tag:
                token.tag_ = parsed.tag
    doc.spans[GROUP] = SpanGroup(doc, name=GROUP, spans=spans)


class Sentence:
    """A tree, and where its words are in the document; it does not keep the document alive."""

    def __init__(self, places: list[int], root: Constituent) -> None:
        self.places = places  # of every word: the index of its token in the document
        self.root = root
        self.phrases: dict[int, Child] = {}  # by their covers; of a unary chain the highest
        self.parents: dict[int, int] = {}  # the cover of the next larger constituent
        for constituent in root.walk():
            self.phrases.setdefault(constituent.cover, constituent)
            for child in constituent.children:
                cover = _cover(child)
                self.phrases.setdefault(cover, child)
                if cover != constituent.cover:
                    self.parents[cover] = constituent.cover

    def tree(self, doc: Doc) -> Tree:
        tokens = (doc[i] for i in self.places)
        return Tree(self.root, tuple(Token(token.text, token.tag_ or None) for token in tokens))


@dataclass(frozen=True, slots=True)
class Node:
    """All constituents of a sentence that have the same words, or a word."""

    sentence: Sentence
    phrase: Child  # the highest

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(constituent.label for constituent in self._chain())

    @property
    def parent(self) -> "Node | None":
        above = self.sentence.parents.get(_cover(self.phrase))
        return None if above is None else Node(self.sentence, self.sentence.phrases[above])

    @property
    def children(self) -> "list[Node]":
        *_, lowest = [None, *self._chain()]
        if lowest is None or lowest.token_count == 1:
            return []
        return [Node(self.sentence, child) for child in lowest.children]

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Where its parts begin and end in the document."""
        return _places_of_blocks(self.sentence.places, self.phrase)

    def span(self, doc: Doc) -> Span:
        return _span(doc, self.sentence.places, self.phrase)

    def _chain(self) -> Iterator[Constituent]:
        phrase = self.phrase
        while not isinstance(phrase, int):
            yield phrase
            if len(phrase.children) > 1:
                return
            phrase = phrase.children[0]


def find_node(part: Part) -> Node | None:
    """The constituent or the word that a span or a token is; None for white space."""
    span = as_span(part)
    words = words_of(span)
    if not words:
        return None
    sentence = sentence_at(span.doc, words[0].i)
    if sentence is not None and words[-1].i <= sentence.places[-1]:
        phrase = sentence.phrases.get(_cover_of_span(span, sentence.places))
        if phrase is not None:
            return Node(sentence, phrase)
    raise IntegrationError(f"the span {span.text!r} (tokens {span.start} to {span.end - 1}) is not a constituent")


def sentence_at(doc: Doc, place: int) -> Sentence | None:
    """The sentence with the token; None if it has no tree."""
    sentences = sentences_of(doc)
    number = bisect_right(sentences, place, key=lambda sentence: sentence.places[0]) - 1
    return sentences[number] if number >= 0 and place <= sentences[number].places[-1] else None


def sentences_of(doc: Doc) -> list[Sentence]:
    """The sentences of a document in order, from its span group."""
    if GROUP not in doc.spans:
        raise IntegrationError("the document has no trees; add the component: nlp.add_pipe('discoseq')")
    group = doc.spans[GROUP]
    sizes = len(group), len(doc)
    known = _known.get(doc)
    if known is None or known.group is not group or known.sizes != sizes:
        known = _known[doc] = _Known(group, sizes, list(_read_sentences(doc, group)))
    return known.sentences


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read from a document, and from what; it is read again when the tokens or the group are others."""

    group: SpanGroup
    sizes: tuple[int, int]  # of the group and of the document
    sentences: list[Sentence]


_known: "WeakKeyDictionary[Doc, _Known]" = WeakKeyDictionary()


def _read_sentences(doc: Doc, group: SpanGroup) -> Iterator[Sentence]:
    spans: list[Span] = []  # of the current sentence
    for span in _checked_spans(doc, group):
        if spans and span.start >= spans[0].end:
            yield _read_sentence(doc, spans)
            spans = []
        spans.append(span)
    if spans:
        yield _read_sentence(doc, spans)


def _checked_spans(doc: Doc, group: SpanGroup) -> list[Span]:
    """All spans of the group; an error if they are no longer those that they were, as spaCy does not move them."""
    try:
        spans = list(group)
        if all(doc[x.start : x.end].start_char == x.start_char and x[-1].idx + len(x[-1]) == x.end_char for x in spans):
            return spans
    except IndexError:  # beyond the end of the document
        pass
    raise IntegrationError("tokens were merged or split after parsing; add discoseq after the component that does it")


def _read_sentence(doc: Doc, spans: list[Span]) -> Sentence:
    """The tree of spans that are in pre-order: the parent of each is the last one before it that contains it."""
    places = [token.i for token in words_of(doc[spans[0].start : spans[0].end])]
    draft = Draft.rooted(spans[0].label_)
    for i in places:
        draft.add_token(Token(doc[i].text))
    ancestors = [(ROOT, _cover_of_span(spans[0], places))]
    for span in spans[1:]:
        cover = _cover_of_span(span, places)
        while len(ancestors) > 1 and cover & ~ancestors[-1][1]:
            ancestors.pop()
        node = draft.add(span.label_, ancestors[-1][0])
        ancestors.append((node, cover))
        for start, end in blocks_of_cover(cover):
            draft.token_parents[start:end] = [node] * (end - start)
    return Sentence(places, draft.freeze().root)


def _cover_of_span(span: Span, places: list[int]) -> int:
    """The words of a span as bits; those of a discontinuous constituent are in its id."""
    parts = [(span.start, span.end)]
    match = _PARTS.fullmatch(span.id_) if span.id in span.vocab.strings else None  # type: ignore[operator] # also an id
    if match is not None:
        ends = [tuple(map(int, part.split("-"))) for part in match[1].split()]
        parts = [(span.start + first, span.start + last) for first, last in ends]
    cover = 0
    for start, end in parts:
        cover |= (1 << bisect_left(places, end)) - (1 << bisect_left(places, start))
    return cover


def _span(doc: Doc, places: list[int], phrase: Child, label: str = "") -> Span:
    parts = _places_of_blocks(places, phrase)
    start, end = parts[0][0], parts[-1][1]
    name = " ".join([GROUP, *(f"{first - start}-{last - start}" for first, last in parts)]) if len(parts) > 1 else ""
    return Span(doc, start, end, label=label, span_id=name)


def _places_of_blocks(places: list[int], phrase: Child) -> list[tuple[int, int]]:
    """The blocks of a constituent or a word as spans of the document, end left out."""
    parts = ((phrase, phrase + 1),) if isinstance(phrase, int) else phrase.blocks
    return [(places[start], places[end - 1] + 1) for start, end in parts]


def _cover(phrase: Child) -> int:
    return 1 << phrase if isinstance(phrase, int) else phrase.cover
