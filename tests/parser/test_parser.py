"""The facade: what goes in, what comes out, and in what order."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch

from discoseq.batching.vocabularies import Vocabularies
from discoseq.decoding.decode import decode
from discoseq.errors import ConfigError, ModelError, ParserError, SearchError, TextError
from discoseq.linearizations.linearization import linearization
from discoseq.model.model_files import read_extra
from discoseq.model.network import Heads, Model
from discoseq.parser.output import confidences
from discoseq.parser.parser import Parser, Sentence, chunks
from discoseq.search.beam import SearchOptions
from discoseq.treebanks.files import parse_trees
from discoseq.trees.tree import Constituent, Token, Tree
from model.small import CONTINUOUS, PLAIN, TREES, VECTORS, small_model
from parser.odd import LONG, ODD_TEXTS, ODD_WORDS
from parser.trained import ROOT, example_trees, trained, trained_directory
from tree_strategies import without_tags


def test_what_was_learnt_is_parsed_right_tags_included() -> None:
    assert list(trained().parse_all(tree.words for tree in example_trees())) == example_trees()


def test_raw_text_words_and_tokens_are_sentences() -> None:
    parser, text = trained(), "Which letter did Ben find?"
    expected = next(tree for tree in example_trees() if tree.words[1] == "letter")
    assert (
        without_tags(parser.parse(text))
        == "(ROOT (SBARQ (SQ (VP (WHNP 0=Which 1=letter) 4=find) 2=did (NP 3=Ben))) 5=?)"
    )
    assert parser.parse(text) == expected
    assert parser.parse(expected.words) == expected
    assert parser.parse(expected.tokens) == expected
    assert parser.parse_text(f"{text} {text}\n\n{text}") == [expected] * 3


def test_given_tags_are_kept_and_missing_ones_predicted() -> None:
    first, _, *others = example_trees()[0].tokens
    tokens = [Token("Anna"), Token("found", "ODD", lemma="find", function="HD"), *(Token(x.word) for x in others)]
    tree = trained().parse(tokens)
    assert [token.tag for token in tree.tokens] == [first.tag, "ODD", *(x.tag for x in others)]
    assert tree.tokens[1] == replace(tokens[1], function=None)


def test_a_model_without_a_tag_head_leaves_tags_open() -> None:
    assert {token.tag for token in Parser(small_model(heads=Heads())).parse(["a", "b"]).tokens} == {None}


@pytest.mark.parametrize("beam_size", [1, 3])
def test_parsing_many_gives_what_parsing_each_gives(beam_size: int) -> None:
    model = small_model(PLAIN)
    parser = Parser(model)
    sentences = [list(tree.words) for tree in TREES] * 2 + ODD_WORDS[:3]
    found = decode([model], [[Token(word) for word in words] for words in sentences], SearchOptions(beam_size))
    expected = [candidates[0].tree for candidates in found]
    assert list(parser.parse_all(sentences, beam_size)) == expected
    assert list(parser.parse_all(sentences, beam_size, batch_words=30)) == expected
    assert [parser.parse(words, beam_size) for words in sentences[-4:]] == expected[-4:]


def test_no_sentence_breaks_the_parser() -> None:
    parser = trained()
    for words in [*ODD_WORDS, LONG]:
        assert list(parser.parse(words, 1).words) == words
    for tree in parser.parse_all(ODD_TEXTS, 2):  # in a list, a text of any look is one sentence
        assert tree.tokens


def test_an_empty_sentence_is_refused_alone_and_an_empty_tree_among_others() -> None:
    parser = trained()
    empties: list[Sentence] = ["", " \u00a0\n", [], ()]
    for empty in empties:
        with pytest.raises(ParserError, match="the sentence has no words"):
            parser.parse(empty)
    trees = list(parser.parse_all(["", ["Anna"], []]))
    assert [len(tree.tokens) for tree in trees] == [0, 1, 0]
    assert parser.parse_text(" \n ") == []


def test_a_text_of_several_sentences_is_no_sentence() -> None:
    parser, text = trained(), "Anna slept. Ben slept."
    for call in (parser.parse, lambda text: parser.nbest(text, 2)):
        with pytest.raises(ParserError, match="seems to have 2 sentences; use parse_text, or if it is one sentence"):
            call(text)
    assert [tree.words for tree in parser.parse_text(text)] == [("Anna", "slept", "."), ("Ben", "slept", ".")]
    assert parser.parse("Anna slept.\n").words == ("Anna", "slept", ".")


def test_one_sentence_that_looks_like_two_can_be_parsed() -> None:
    parser, text = trained(), "He works at the Sect. Office."
    with pytest.raises(ParserError, match="2 sentences"):
        parser.parse(text)
    words = ("He", "works", "at", "the", "Sect.", "Office", ".")
    assert parser.parse(parser.tokenize(text)).words == words
    assert [tree.words for tree in parser.parse_all([text])] == [words]  # whoever has a list has split the text


def test_a_string_is_no_list_of_sentences() -> None:
    # at once, not when the first tree is asked for
    with pytest.raises(ParserError, match="not one string; parse_text splits a text into sentences"):
        trained().parse_all("Anna slept.")
    with pytest.raises(ParserError, match="the beam size must be at least 1"):
        trained().parse_all(["Anna slept."], beam_size=0)
    with pytest.raises(ParserError, match="the number of trees must be at least 1"):
        trained().nbest_all(["Anna slept."], 0)


def test_what_is_shown_of_a_parser_and_its_results_is_short() -> None:
    parser = trained()
    assert repr(parser) == "Parser(en, in-order+swap)"
    assert repr(Parser(*parser.models * 2)) == "Parser(en, in-order+swap, 2 models)"
    (candidate,) = parser.nbest(["Anna", "slept"], 1)
    assert repr(candidate) == (
        f"Candidate({candidate.tree!r}, log_probability={candidate.log_probability:.4f}, share=1.0000)"
    )
    one = "<1 sentence: F1 100.00, discontinuous F1 undefined>"
    slept = next(tree for tree in example_trees() if not tree.is_discontinuous)
    assert repr(parser.evaluate([slept])) == f"Scores(disco, all={one}, short={one})"


def test_a_sentence_of_something_else_is_refused() -> None:
    with pytest.raises(ParserError, match="found 7"):
        trained().parse([7])  # type: ignore[arg-type]


def test_endless_sentences_are_read_ahead_only_a_little() -> None:
    read = 0

    def sentences() -> Iterator[list[str]]:
        nonlocal read
        while True:
            read += 1
            yield ["Anna", "slept"]

    trees = Parser(small_model()).parse_all(sentences(), beam_size=1)
    next(trees)
    assert read == 8
    assert len(list(islice(trees, 999))) == 999
    assert read <= 1000 + 1024


def test_sentences_before_an_error_are_parsed_and_the_error_says_where_it_is() -> None:
    def sentences() -> Iterator[list[str]]:
        for _ in range(5):
            yield ["Anna", "slept"]
        raise OSError("the line is dead")

    trees: list[Tree] = []
    with pytest.raises(OSError, match="the line is dead") as caught:
        trees.extend(trained().parse_all(sentences(), beam_size=1))
    assert len(trees) == 5
    assert caught.value.__notes__ == ["while sentence 6 was read"]
    with pytest.raises(ParserError, match="sentence 3: a sentence is a string"):
        trees.extend(trained().parse_all([["Anna"], ["Ben"], [7]], beam_size=1))  # type: ignore[list-item]
    assert len(trees) == 7


def test_a_list_is_read_at_once() -> None:
    class Counted(list[list[str]]):
        read = 0

        def __iter__(self) -> Iterator[list[str]]:
            for item in super().__iter__():
                self.read += 1
                yield item

    sentences = Counted([["Anna"]] * 1500)
    next(Parser(small_model()).parse_all(sentences, beam_size=1))
    assert sentences.read == 1024


def test_chunks_hold_all_items_in_order() -> None:
    for size in (0, 1, 8, 8 + 1, 1000):
        pieces = list(chunks(range(size), 8))
        assert [item for piece in pieces for item in piece] == list(range(size))
        assert all(0 < len(piece) <= 1024 for piece in pieces)


def test_the_best_trees_come_with_their_probabilities() -> None:
    parser = trained()
    candidates = parser.nbest("Ben found a letter.", 5)
    assert candidates[0].tree == parser.parse("Ben found a letter.")
    assert len({candidate.tree for candidate in candidates}) == len(candidates) == 5
    assert sorted(candidates, key=lambda x: -x.log_probability) == candidates
    assert sum(candidate.share for candidate in candidates) == pytest.approx(1)
    total = sum(candidate.probability for candidate in candidates)
    assert [x.share for x in candidates] == pytest.approx([x.probability / total for x in candidates])


@pytest.mark.parametrize("n", [2, 10, 30])
def test_there_are_as_many_trees_as_asked_for(n: int) -> None:
    sentences = [list(tree.words) for tree in example_trees()[:5]] + [["Anna"], ["It", "works"]]
    for candidates in trained().nbest_all(sentences, n, beam_size=2):
        assert len({candidate.tree for candidate in candidates}) == len(candidates) == n


def test_there_are_fewer_trees_only_where_no_more_exist() -> None:
    trees = parse_trees("(X (Y (A 0=a)))\n(Y (A 0=a) (A 1=b))\n", "discbracket")
    vocabularies = Vocabularies.of(trees, linearization("in-order"), 1)
    parser = Parser(Model.create(PLAIN, vocabularies, "in-order", Heads(), unary_limit=2))
    found = [without_tags(candidate.tree) for candidate in parser.nbest(["a"], 100)]
    chains = [f"({top} ({phrase} 0=a))" for top in "XY" for phrase in "XY"]
    assert sorted(found) == sorted(["(X 0=a)", "(Y 0=a)", *chains])
    assert len(parser.nbest(["a", "b"], 100)) == 100


def test_a_tree_is_scored_as_search_scores_it() -> None:
    parser = trained()
    best = parser.nbest("Anna found the old book.", 1)[0]
    assert parser.score(best.tree) == pytest.approx(best.log_probability, abs=1e-4)
    unknown = Constituent("UNHEARD-OF", best.tree.root.children)
    assert parser.score(Tree(unknown, best.tree.tokens)) == -math.inf


def test_confidence_is_the_share_of_those_who_agree() -> None:
    candidates = trained().nbest("Ben found a letter that Anna put away.", 8)
    tree = candidates[0].tree
    found = confidences(tree, candidates)
    assert [constituent for constituent, _ in found] == list(tree.root.walk())
    for constituent, confidence in found:
        agreeing = [
            candidate.share
            for candidate in candidates
            if any((x.label, x.cover) == (constituent.label, constituent.cover) for x in candidate.tree.root.walk())
        ]
        assert confidence == pytest.approx(sum(agreeing))
        assert candidates[0].share - 1e-9 <= confidence <= 1


def test_evaluation_gives_the_words_and_compares_the_trees() -> None:
    scores = trained().evaluate(iter(example_trees()))
    assert (scores.all.sentences, scores.all.f1) == (20, 100.0)
    assert scores.all.pos_accuracy == 100.0
    untrained = Parser(small_model())
    assert (untrained.evaluate(example_trees(), 1).all.pos_accuracy or 0.0) < 50.0  # its own tags
    continuous = [tree for tree in CONTINUOUS if len(tree.tokens) > 1]
    in_order = Parser(small_model(name="in-order"))
    assert in_order.evaluate(continuous, 1, rules="evalb").all.pos_accuracy == 100.0  # gold ones
    assert trained().evaluate(example_trees(), beam_size=1, rules="disco").all.exact_match == 100.0
    assert (Parser(small_model()).evaluate(example_trees(), 1).all.f1 or 0.0) < 100.0


def test_the_score_is_that_of_the_models_training_unless_another_is_given(tmp_path: Path) -> None:
    trained_parser = trained()
    by_mean = Parser(*trained_parser.models, score="mean")
    by_mean.save(tmp_path / "model")
    sentence = ["Was", "it", "a", "strange", "thing", "?"]
    (found,), (other,) = by_mean.nbest(sentence, 1), trained_parser.nbest(sentence, 1)
    assert found.score == pytest.approx(found.log_probability / len(found.actions))
    assert other.score == pytest.approx(other.log_probability)
    assert Parser.load(tmp_path / "model").nbest(sentence, 1)[0].score == found.score
    assert Parser.load(tmp_path / "model", score="sum").nbest(sentence, 1)[0].score == other.score
    with pytest.raises(SearchError, match="the score must be sum, mean, joint, not 'median'"):
        Parser.load(tmp_path / "model", score="median")  # type: ignore[arg-type]


def test_a_model_may_have_the_joint_score_but_an_ensemble_has_it_only_where_it_is_asked_for(tmp_path: Path) -> None:
    Parser(small_model(), score="joint").save(tmp_path / "one")
    Parser(small_model(seed=2)).save(tmp_path / "two")
    both = [tmp_path / "one", tmp_path / "two"]
    assert Parser.load(tmp_path / "one").search_score == "joint"
    assert Parser.load(both).search_score == "sum"
    assert Parser.load(both, score="joint").search_score == "joint"


def test_the_joint_score_needs_an_ancestor_head() -> None:
    with pytest.raises(ParserError, match="the joint score needs a model that was trained with an ancestor head"):
        Parser(small_model(heads=Heads()), score="joint")


def test_a_saved_parser_is_loaded_again(tmp_path: Path) -> None:
    parser = Parser(trained().models[0], language="nl", about=trained().about)
    parser.save(tmp_path / "copy")
    again = Parser.load(tmp_path / "copy")
    assert again.language == "nl"
    assert Parser.load(tmp_path / "copy", language="de").language == "de"
    assert Parser.load(str(tmp_path / "copy"), device="cpu").parse("Anna slept.") == trained().parse("Anna slept.")
    assert (tmp_path / "copy" / "README.md").read_text() == (trained_directory() / "README.md").read_text()
    assert read_extra(tmp_path / "copy")["training"] == read_extra(trained_directory())["training"]
    parser.save(tmp_path / "compact", is_compact=True)
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("copy", "compact")]
    assert sizes[1] < 0.6 * sizes[0]
    assert Parser.load(tmp_path / "compact").parse("Anna slept.").words == ("Anna", "slept", ".")


def test_training_does_not_overwrite_a_run(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(ConfigError, match="holds a run"):
        Parser.train(ROOT / "examples" / "tiny.toml", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file: can't make this folder"):
        Parser.train(ROOT / "examples" / "tiny.toml", tmp_path / "file")


def test_an_ensemble_of_the_same_model_is_that_model() -> None:
    alone, twice = trained(), Parser.load([trained_directory()] * 2)
    one, two = (parser.nbest("Ben found a letter.", 3) for parser in (alone, twice))
    assert [x.tree for x in one] == [x.tree for x in two]
    assert [x.log_probability for x in one] == pytest.approx([x.log_probability for x in two], abs=1e-4)
    assert twice.score(one[1].tree) == pytest.approx(alone.score(one[1].tree), abs=1e-4)


def test_an_ensemble_averages_probabilities() -> None:
    models = [small_model(seed=seed) for seed in (1, 2)]
    tree = TREES[1]
    mean, twice = Parser(*models).score(tree), Parser(models[0], models[0]).score(tree)
    each = [Parser(model).score(tree) for model in models]
    assert twice == pytest.approx(each[0], abs=1e-4)
    assert mean not in (pytest.approx(each[0], abs=1e-4), pytest.approx(each[1], abs=1e-4))
    # the mean of probabilities is at least their geometric mean, at every step and so over all of them
    assert mean > sum(each) / 2
    best = Parser(*models).nbest(tree.words, 1)[0]
    assert Parser(*models).score(best.tree) == pytest.approx(best.log_probability, abs=1e-4)


def test_models_that_differ_make_no_ensemble(tmp_path: Path) -> None:
    first, other = small_model(), small_model(name="in-order+swap#k")
    with pytest.raises(ParserError, match=r"models 1 and 2 .* differ \(in-order\+swap, in-order\+swap#k\)"):
        Parser(first, other)
    with pytest.raises(ParserError, match="action vocabularies differ"):
        Parser(first, trained().models[0])
    with pytest.raises(ParserError, match="save its members one by one"):
        Parser(first, first).save(tmp_path / "both")


def test_what_can_not_be_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParserError, match="at least one model"):
        Parser()
    with pytest.raises(TextError, match="unknown language 'tlh'"):
        Parser(small_model(), language="tlh")
    with pytest.raises(ParserError, match="name at least one model"):
        Parser.load([])
    with pytest.raises(ParserError, match="the number of trees must be at least 1, not 0"):
        trained().nbest("Anna slept.", 0)
    with pytest.raises(ParserError, match="the beam size must be at least 1, not 0"):
        trained().parse("Anna slept.", beam_size=0)
    with pytest.raises(ModelError):
        Parser(small_model(VECTORS)).parse("It needs vectors.")


@pytest.mark.parametrize("device", ["cuda:99", "klingon", "", "meta"])
def test_a_device_that_is_not_there_is_named(device: str) -> None:
    with pytest.raises(ParserError, match=rf"^the device '{device}' can't be used here \(.+\)$"):
        Parser.load(trained_directory(), device=device)


def test_parsing_does_not_touch_the_number_of_threads() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        trees = trained().parse_all(["Anna slept."] * 2)
        next(trees)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
