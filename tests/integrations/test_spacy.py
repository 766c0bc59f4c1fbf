"""The component gives the parser's trees: alone, in batches, in processes, and after saving and loading."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from discoseq import Parser, Tree
from discoseq.errors import IntegrationError, ParserError
from discoseq.integrations.spacy import SpacyComponent

torch.set_num_threads(1)  # tests run side by side

TEXTS = [
    "What will the committee do about it? It works.",
    "",
    "He (Ben) left early.",
    " \n ",
    "Which letter did the director forget to sign?\n\nHe didn't say so.",
]
BEAM = 2


@pytest.fixture(scope="module")
def english() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("discoseq", config={"beam": BEAM})
    return nlp


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load("en")


def trees(docs: list[Doc]) -> list[tuple[Tree, ...]]:
    return [doc._.trees for doc in docs]


def test_the_component_is_there_without_an_import_of_discoseq() -> None:
    code = """
import spacy
nlp = spacy.blank("nl")
nlp.add_pipe("sentencizer")
nlp.add_pipe("discoseq", config={"beam": 1})
for sentence in nlp("Dat boek heeft hij niet gelezen. Niets.").sents:
    print(sentence._.parse_string)
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    dutch = Parser.load("nl")
    first, second = (dutch.parse(words.split(), 1) for words in ("Dat boek heeft hij niet gelezen .", "Niets ."))
    assert first.is_discontinuous
    assert [Tree.fromstring(line) for line in done.stdout.splitlines()] == [first, second], done.stderr


def test_the_trees_are_those_of_the_parser(english: Language, parser: Parser) -> None:
    doc = english(TEXTS[0])
    assert " ".join(token.text for token in doc) == "What will the committee do about it ? It works ."
    assert doc._.trees == tuple(parser.parse(sentence.text, BEAM) for sentence in doc.sents)
    assert doc._.trees[0].is_discontinuous
    assert [token.tag_ for token in doc] == [tag for tree in doc._.trees for tag in tree.tags]


def test_words_keep_their_spelling_and_are_parsed_with_that_of_the_treebank(english: Language, parser: Parser) -> None:
    (tree,) = english(TEXTS[2])._.trees
    expected = parser.parse(TEXTS[2], BEAM)
    assert tree.words == ("He", "(", "Ben", ")", "left", "early", ".")
    assert expected.words[1] == "-LRB-"
    assert (tree.root, tree.tags) == (expected.root, expected.tags)


def test_batches_give_the_same_trees(english: Language) -> None:
    alone = trees([english(text) for text in TEXTS])
    assert [len(found) for found in alone] == [2, 0, 1, 0, 2]
    for batch_size in (2, 1000):
        assert trees(list(english.pipe(TEXTS, batch_size=batch_size))) == alone


def test_sentences_of_all_documents_of_a_batch_are_parsed_together(
    english: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    parse_all = Parser.parse_all

    def counted(parser: Parser, sentences: list[list[str]], beam: int, batch_words: int) -> Iterator[Tree]:
        parsed.append(len(sentences))
        return parse_all(parser, sentences, beam, batch_words)

    monkeypatch.setattr(Parser, "parse_all", counted)
    assert len(list(english.pipe(TEXTS, batch_size=3))) == 5
    assert parsed == [3, 3]


def test_processes_give_the_same_trees_where_torch_has_started_threads() -> None:
    code = """
import spacy, torch
torch.set_num_threads(2)
nlp = spacy.blank("nl")
nlp.add_pipe("sentencizer")
nlp.add_pipe("discoseq", config={"beam": 2})
texts = ["Dat boek heeft hij niet gelezen. Niets.", "", "Het werkt."]
alone = [doc._.trees for doc in nlp.pipe(texts)]
print([doc._.trees for doc in nlp.pipe(texts, n_process=2, batch_size=1)] == alone, torch.get_num_threads())
"""
    # a forked process that waits for threads of its parent would wait for ever
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.split() == ["True", "2"], done.stderr


def test_a_component_can_be_sent_to_a_new_process(english: Language) -> None:
    component = english.get_pipe("discoseq")
    assert isinstance(component, SpacyComponent)
    written = pickle.dumps(component)
    assert len(written) < 10_000  # the model is loaded again
    again = pickle.loads(written)
    assert (again.name, again.beam) == ("discoseq", BEAM)
    sentences = english.select_pipes(enable="sentencizer")
    doc = again(english(TEXTS[0]))
    sentences.restore()
    assert doc._.trees == english(TEXTS[0])._.trees


def test_a_saved_pipeline_has_the_configuration(tmp_path: Path, english: Language) -> None:
    english.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.config["components"]["discoseq"] == english.config["components"]["discoseq"]
    assert again(TEXTS[0])._.trees == english(TEXTS[0])._.trees
    assert english.config["components"]["discoseq"]["beam"] == BEAM


def test_a_model_may_be_a_directory(english: Language, tmp_path: Path) -> None:
    Parser.load("nl").save(tmp_path / "model")
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("discoseq", config={"model": str(tmp_path / "model"), "beam": 1})
    assert nlp("Het werkt.")._.trees[0].words == ("Het", "werkt", ".")


def test_a_long_sentence_has_a_tree() -> None:
    nlp = spacy.blank("nl")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("discoseq", config={"beam": 1})
    doc = nlp(" ".join(["hij", "zag", "de", "oude", "man"] * 100))
    assert len(doc) == 500
    assert len(doc._.trees[0].words) == 500
    assert sum(len(span._.labels) for span in next(doc.sents)._.constituents) == len(doc.spans["discoseq"])


def test_a_document_without_sentence_boundaries_is_an_error_that_names_the_sentencizer(english: Language) -> None:
    component = english.get_pipe("discoseq")
    doc = Doc(english.vocab, words=["It", "works"])
    with pytest.raises(
        IntegrationError, match=r"'It works ' has no sentence boundaries; add a sentencizer: nlp.add_pi"
    ):
        component(doc)


def test_an_error_handler_leaves_out_the_document_with_the_error(english: Language) -> None:
    component = english.get_pipe("discoseq")
    assert isinstance(component, SpacyComponent)
    left_out: list[str] = []
    before = component.get_error_handler()
    component.set_error_handler(lambda name, proc, docs, error: left_out.extend(doc.text for doc in docs))
    good = Doc(english.vocab, words=["It", "works"], sent_starts=[True, False])
    bad = Doc(english.vocab, words=["Not", "so"])
    assert list(component.pipe([bad, good])) == [good]
    component.set_error_handler(before)
    assert left_out == ["Not so "]


@pytest.mark.parametrize(
    ("config", "error", "reason"),
    [
        ({"model": "klingon"}, ParserError, "there is no model 'klingon'"),
        ({"beam": 0}, IntegrationError, "beam must be at least 1, not 0"),
        ({"batch_words": -1}, IntegrationError, "batch_words must be at least 1, not -1"),
        ({}, ParserError, "there is no model 'fi'"),
    ],
)
def test_a_wrong_configuration_is_an_error_at_once(
    config: dict[str, object], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        spacy.blank("fi").add_pipe("discoseq", config=config)


def test_spacy_knows_what_the_component_needs() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("discoseq")
    analysis = nlp.analyze_pipes()
    assert analysis is not None
    assert analysis["problems"]["discoseq"] == ["doc.sents"]


def test_without_spacy_one_sentence_says_what_to_install() -> None:
    code = """
import sys
sys.modules["spacy"] = None  # to import it is now an error
from discoseq import DiscoseqError
try:
    import discoseq.integrations.spacy
except DiscoseqError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "discoseq.integrations.spacy needs spacy: pip install 'discoseq[spacy]'\n"
