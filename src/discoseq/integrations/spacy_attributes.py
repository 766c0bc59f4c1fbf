"""What `_` offers of a tree in spaCy: benepar's attributes, and `blocks`, `tree` and `trees`.

A constituent is a span from its first to its last token. A span of one's own, `doc[2:5]`, is the continuous constituent
of exactly these words. A discontinuous constituent is reached from a sentence or a token.
"""

from collections.abc import Iterator

from spacy.tokens import Doc, Span
from spacy.tokens import Token as SpacyToken

from discoseq.decoding.decode import EMPTY_TREE
from discoseq.integrations.spacy_spans import Part, as_span, find_node, sentence_at, sentences_of, words_of
from discoseq.trees.notation import format_phrase
from discoseq.trees.tree import Tree


def register_attributes() -> None:
    """Define the attributes under `_`; those of the same name are replaced."""
    getters = {"labels": labels, "parse_string": parse_string, "parent": parent, "blocks": blocks, "tree": tree_of}
    for name, getter in getters.items():
        Span.set_extension(name, getter=getter, force=True)
        SpacyToken.set_extension(name, getter=getter, force=True)
    Span.set_extension("constituents", getter=constituents, force=True)
    Span.set_extension("children", getter=children, force=True)
    Doc.set_extension("trees", getter=trees_of, force=True)


def trees_of(doc: Doc) -> tuple[Tree, ...]:
    """The trees of all sentences that have words."""
    return tuple(sentence.tree(doc) for sentence in sentences_of(doc))


def tree_of(part: Part) -> Tree:
    """The tree of the sentence that a span or a token is in; a tree without words if it is white space."""
    words = words_of(as_span(part))
    sentence = sentence_at(part.doc, words[0].i) if words else None
    return EMPTY_TREE if sentence is None else sentence.tree(part.doc)


def labels(part: Part) -> tuple[str, ...]:
    """The labels of all constituents with exactly these words, parents first; none for a word without phrase."""
    node = find_node(part)
    return () if node is None else node.labels


def parse_string(part: Part) -> str:
    """The constituent in brackets; in discbracket, with token indices of its sentence, if there is a gap in it."""
    node = find_node(part)
    return "" if node is None else format_phrase(node.sentence.tree(part.doc), node.phrase)


def blocks(part: Part) -> tuple[Span, ...]:
    """The parts of a constituent, without the gaps between them; one if it is continuous."""
    node = find_node(part)
    return () if node is None else tuple(part.doc[start:end] for start, end in node.blocks)


def parent(part: Part) -> Span | None:
    """The constituent above, which has more words; None for a whole sentence."""
    node = find_node(part)
    above = None if node is None else node.parent
    return None if above is None else above.span(part.doc)


def children(span: Span) -> Iterator[Span]:
    """The constituents and words right below, those of one word included; a word has none."""
    node = find_node(span)
    return iter(()) if node is None else (child.span(span.doc) for child in node.children)


def constituents(span: Span) -> Iterator[Span]:
    """The constituent and all below it, words included, parents before children; a unary chain is one span."""
    node = find_node(span)
    agenda = [] if node is None else [node]
    while agenda:
        node = agenda.pop()
        yield node.span(span.doc)
        agenda.extend(reversed(node.children))
