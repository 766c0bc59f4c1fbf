"""Every tree can be written into spaCy's documents and read again; spans lead through it as in benepar."""

import gc
import weakref

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

import discoseq.integrations.spacy  # noqa: F401 - defines the attributes
from discoseq.errors import IntegrationError
from discoseq.integrations.spacy_spans import GROUP, set_trees
from discoseq.trees.tree import Tree
from tree_strategies import trees

WHAT = "(S (SQ (VP (WHNP (WP 0=What)) (VB 4=do)) (MD 1=will) (NP (DT 2=the) (NN 3=man))) (. 5=?))"
IT = "(S (NP (PRP It)) (VP (VBZ works)) (. .))"
SPACE = "\n"
VOCAB = spacy.blank("en").vocab


def doc_of(*treebank: Tree, spaces: bool = False, vocab: Vocab = VOCAB) -> Doc:
    """A document of the trees' words, with white space before, after and between all words if this is asked for."""
    words: list[str] = []
    starts: list[bool | int | None] = []
    for tree in treebank:
        sentence = [part for word in tree.words for part in (word, SPACE)] if spaces else list(tree.words)
        sentence = [SPACE, *sentence] if spaces else sentence
        starts.extend(i == 0 for i in range(len(sentence)))
        words.extend(sentence)
    doc = Doc(vocab, words=words, sent_starts=starts)
    set_trees(doc, zip(doc.sents, treebank, strict=True))
    return doc


def tree(text: str) -> Tree:
    return Tree.fromstring(text)


@given(treebank=st.lists(trees(), min_size=1, max_size=3), spaces=st.booleans())
def test_every_tree_comes_back(treebank: list[Tree], spaces: bool) -> None:
    doc = doc_of(*treebank, spaces=spaces)
    assert doc._.trees == tuple(treebank)
    assert [sentence._.tree for sentence in doc.sents] == treebank
    assert len(doc.spans[GROUP]) == sum(1 for one in treebank for _ in one.subtrees())


@given(one=trees(max_tokens=7), spaces=st.booleans())
def test_a_walk_over_spans_meets_every_constituent_with_its_words_and_labels(one: Tree, spaces: bool) -> None:
    doc = doc_of(one, spaces=spaces)
    (sentence,) = doc.sents
    found = [
        (
            label,
            tuple(token.text for block in span._.blocks for token in block if not token.is_space),
            len(span._.blocks),
        )
        for span in sentence._.constituents
        for label in span._.labels
    ]
    assert found == [(phrase.label, one.leaves(phrase), phrase.fan_out) for phrase in one.subtrees()]
    for span in sentence._.constituents:
        for child in span._.children:
            assert child._.parent == span
        assert span == next(sentence._.constituents) or span in span._.parent._.children


@given(one=trees(max_tokens=7))
def test_the_spans_of_the_group_are_the_constituents(one: Tree) -> None:
    doc = doc_of(one)
    for span, phrase in zip(doc.spans[GROUP], one.subtrees(), strict=True):
        assert (span.label_, span.start, span.end) == (phrase.label, phrase.first, phrase.last + 1)
        assert [(block.start, block.end) for block in span._.blocks] == list(phrase.blocks)
        assert span.label_ in span._.labels


@given(treebank=st.lists(trees(max_tokens=6), min_size=1, max_size=2))
def test_all_of_spacys_ways_to_save_a_document_keep_its_trees(treebank: list[Tree]) -> None:
    doc = doc_of(*treebank)
    known = doc._.trees
    assert Doc(Vocab()).from_bytes(doc.to_bytes())._.trees == known
    (stored,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab())
    assert stored._.trees == known
    assert doc.copy()._.trees == known
    assert Doc.from_docs([doc, doc])._.trees == known + known


def test_the_attributes_are_those_of_benepar() -> None:
    doc = doc_of(tree(IT))
    (sentence,) = doc.sents
    assert sentence._.labels == ("S",)
    assert sentence._.parse_string == IT
    assert [str(span) for span in sentence._.children] == ["It", "works", "."]
    assert [str(span) for span in sentence._.constituents] == ["It works .", "It", "works", "."]
    assert sentence._.parent is None
    assert doc[0:1]._.labels == doc[0]._.labels == ("NP",)
    assert doc[0]._.parse_string == "(NP (PRP It))"
    assert doc[0]._.parent == sentence
    assert (doc[2]._.labels, doc[2]._.parse_string) == ((), "(. .)")
    assert list(doc[2:3]._.children) == []


def test_a_discontinuous_constituent_is_a_span_with_blocks() -> None:
    doc = doc_of(tree(WHAT))
    phrase = doc[4]._.parent
    assert phrase._.labels == ("VP",)
    assert (phrase.start, phrase.end) == (0, 5)
    assert [str(block) for block in phrase._.blocks] == ["What", "do"]
    assert phrase._.parse_string == "(VP (WHNP (WP 0=What)) (VB 4=do))"
    # the clause has the same first and last token
    clause = phrase._.parent
    assert clause._.labels == doc[0:5]._.labels == ("SQ",)
    assert (clause.start, clause.end) == (0, 5)
    assert clause != phrase
    assert clause == doc[0:5]
    assert next(doc.sents)._.parse_string == WHAT


def test_a_span_of_ones_own_is_a_constituent_or_an_error() -> None:
    doc = doc_of(tree(WHAT), tree(IT))
    assert doc[2:4]._.labels == ("NP",)
    for start, end in ((1, 4), (2, 5), (4, 7), (0, 9)):
        with pytest.raises(IntegrationError, match=rf"\(tokens {start} to {end - 1}\) is not a constituent"):
            doc[start:end]._.labels  # noqa: B018
    assert doc[1:4]._.tree == tree(WHAT)
    assert Span(doc, 2, 4, label="PERSON", span_id="Q42")._.labels == ("NP",)


def test_white_space_belongs_to_no_constituent() -> None:
    doc = Doc(VOCAB, words=["\n", "the", "\n", "man", " ", "\n\n"], sent_starts=[True, *[False] * 4, True])
    set_trees(doc, zip(doc.sents, [tree("(NP (DT the) (NN man))"), tree("(ROOT )")], strict=True))
    first, second = doc.sents
    assert first._.labels == doc[1:4]._.labels == doc[0:5]._.labels == ("NP",)
    assert [(child.start, child.end) for child in first._.children] == [(1, 2), (3, 4)]
    assert [(span.start, span.end) for span in first._.blocks] == [(1, 4)]
    for blank in (second, doc[2:3], doc[2], doc[2:2]):
        assert (blank._.labels, blank._.parse_string, blank._.parent, blank._.blocks) == ((), "", None, ())
        assert blank._.tree.words == ()
    assert list(second._.children) == list(second._.constituents) == []
    assert [one.words for one in doc._.trees] == [("the", "man")]
    assert doc[2].tag_ == ""


def test_tags_are_those_of_the_tokens() -> None:
    doc = Doc(VOCAB, words=["It", "works", "."], tags=["PRON", "", ""], sent_starts=[True, False, False])
    set_trees(doc, [(next(doc.sents), tree(IT))])
    assert [token.tag_ for token in doc] == ["PRON", "VBZ", "."]
    assert doc._.trees[0].tags == ("PRON", "VBZ", ".")
    doc[1].tag_ = "VERB"
    assert doc._.trees[0].tags == ("PRON", "VERB", ".")
    assert doc[1]._.parse_string == "(VP (VERB works))"


def test_trees_that_are_written_again_replace_those_before() -> None:
    doc = doc_of(tree(IT))
    assert doc[0:2]._.tree == tree(IT)
    set_trees(doc, [(next(doc.sents), tree("(X (Y (PRP It) (VBZ works)) (. .))"))])
    assert doc[0:2]._.labels == ("Y",)


def test_what_is_read_from_a_document_does_not_keep_it_alive() -> None:
    doc = doc_of(tree(IT))
    assert doc._.trees
    gone = weakref.ref(doc)
    del doc
    gc.collect()
    assert gone() is None


def test_a_document_without_trees_is_an_error() -> None:
    doc = Doc(VOCAB, words=["a"])
    with pytest.raises(IntegrationError, match=r"the document has no trees; add the component: nlp.add_pipe"):
        doc._.trees  # noqa: B018
    with pytest.raises(IntegrationError, match="no trees"):
        doc[0]._.labels  # noqa: B018


@pytest.mark.parametrize("place", [2, 6])
@pytest.mark.parametrize("is_read_before", [False, True])
def test_tokens_that_were_merged_after_parsing_are_an_error(place: int, is_read_before: bool) -> None:
    doc = doc_of(tree(WHAT), tree(IT))
    assert not is_read_before or doc._.trees
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[place : place + 2])
    with pytest.raises(IntegrationError, match="tokens were merged or split after parsing; add discoseq after"):
        doc._.trees  # noqa: B018
