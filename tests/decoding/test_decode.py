"""Parsing: a tree for every sentence, in their order, whatever the network and the linearization."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from discoseq.decoding.decode import decode, encode
from discoseq.errors import ModelError, SearchError
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.linearization import LINEARIZATIONS, longest_unary_chain
from discoseq.model.beam_cache import BeamCache
from discoseq.model.network import Model
from discoseq.model.network_scorer import NetworkScorer
from discoseq.search.beam import Score, SearchOptions
from discoseq.training.update import action_loss
from discoseq.trees.tree import Token, Tree
from model.small import EVERYTHING, TREES, VECTORS, batch_of, small_model, trees_for, vectors_of


def best(
    model: Model,
    sentences: Sequence[Sequence[Token]],
    beam_size: int = 1,
    batch_words: int = 8000,
    vectors: Sequence[np.ndarray] | None = None,
) -> list[Tree]:
    found = decode([model], sentences, SearchOptions(beam_size), batch_words, vectors)
    return [candidates[0].tree for candidates in found]


def sentence(*words: str) -> list[Token]:
    return [Token(word) for word in words]


def words(tokens: Sequence[Token]) -> list[str]:
    return [token.word for token in tokens]


SENTENCES = [
    sentence("der", "Mann", "mit", "dem", "Hut"),
    sentence("</s>"),
    sentence("=", "(", "10\u00a0000", "\U0001f600", "<pad>", "#", ")"),
    sentence("Ruhe", "!"),
    sentence(*["Buch"] * 14),
]
WORDS = [words(tokens) for tokens in SENTENCES]


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_an_untrained_network_builds_a_tree_over_every_sentence(name: str, beam_size: int) -> None:
    model = small_model(name=name)
    trees = best(model, SENTENCES, beam_size)
    assert [words(tree.tokens) for tree in trees] == WORDS
    assert all(longest_unary_chain(tree.root) <= model.machine.unary_limit for tree in trees)


@pytest.mark.parametrize("beam_size", [1, 5])
@pytest.mark.parametrize("batch_words", [70, 100, 4000])  # the longest sentence has 14 words
def test_the_trees_do_not_depend_on_the_batches(beam_size: int, batch_words: int) -> None:
    model = small_model()
    expected = [best(model, [tokens], beam_size)[0] for tokens in SENTENCES]
    assert best(model, SENTENCES, beam_size, batch_words) == expected


def test_a_sentence_that_is_too_long_for_the_beam_gets_a_smaller_one() -> None:
    model = small_model()
    for budget, beam in ((1, 1), (28, 2), (69, 4), (70, 5)):
        (found,) = decode([model], [SENTENCES[-1]], SearchOptions(5, nbest=5), budget)
        assert found == decode([model], [SENTENCES[-1]], SearchOptions(beam, nbest=beam))[0]


def greedy(model: Model, tokens: list[Token]) -> Tree:
    """One sentence, one action after the other, and the best of them taken."""
    scorer = NetworkScorer(model.network.decoder, encode(model, [words(tokens)]), BeamCache())
    scorer.start([0])
    state, actions = model.machine.start([len(tokens)]), []
    last = np.array([PAD_INDEX])
    while not state.is_finished[0]:
        is_allowed = model.machine.action_mask(state)
        scores = scorer.step(state, np.arange(1), last)
        last = np.where(is_allowed, scores, -np.inf).argmax(axis=1)
        actions.append(int(last[0]))
        state = model.machine.apply(state, last)
    return model.machine.linearization.build(tokens, model.vocabularies.actions.decode(actions))


@pytest.mark.parametrize("name", ["in-order+swap", "top-down+shift#k", "bottom-up+swap#k"])
def test_a_beam_of_one_is_greedy(name: str) -> None:
    model = small_model(name=name)
    with torch.inference_mode():
        expected = [greedy(model, tokens) for tokens in SENTENCES]
    assert [tree.root for tree in best(model, SENTENCES, 1)] == [tree.root for tree in expected]


@pytest.mark.parametrize("name", ["in-order+swap", "enriched-top-down", "bottom-up+shift#k"])
def test_what_a_network_has_learnt_by_heart_it_parses_right(name: str) -> None:
    trees = trees_for(name)
    model = learnt_by_heart(name)
    for beam_size in (1, 3):
        assert [tree.root for tree in best(model, [tree.tokens for tree in trees], beam_size)] == [
            tree.root for tree in trees
        ]


def test_pruning_changes_no_tree_that_a_network_is_sure_of() -> None:
    model = learnt_by_heart("in-order+swap")
    sentences = [tree.tokens for tree in TREES]
    options = [SearchOptions(6, prune=prune) for prune in (None, 5.0, 1.0)]
    found = [[parses[0].tree for parses in decode([model], sentences, each)] for each in options]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("score", ["sum", "mean"])
@pytest.mark.parametrize("name", ["in-order+swap", "bottom-up+swap#k"])
def test_the_parses_of_a_sentence_are_different_and_stand_best_first(name: str, score: Score) -> None:
    model = small_model(name=name)
    options = SearchOptions(6, 4, score, prune=None)
    found = decode([model], SENTENCES, options)
    assert max(map(len, found)) == 4
    for tokens, parses in zip(SENTENCES, found, strict=True):
        assert len({parse.tree for parse in parses}) == len(parses)
        assert [parse.score for parse in parses] == sorted((parse.score for parse in parses), reverse=True)
        for parse in parses:
            assert words(parse.tree.tokens) == words(tokens)
            assert parse.log_probability == pytest.approx(sum(parse.step_log_probabilities), abs=1e-3)
            assert len(parse.actions) == len(parse.step_log_probabilities)
            divisor = len(parse.actions) if score == "mean" else 1
            assert parse.score == pytest.approx(parse.log_probability / divisor)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_network_that_has_come_apart_still_gives_trees(beam_size: int) -> None:
    model = small_model()
    with torch.no_grad():
        for parameter in model.network.decoder.parameters():
            parameter.fill_(torch.nan)
    assert [words(tree.tokens) for tree in best(model, SENTENCES, beam_size)] == WORDS


def test_a_sentence_of_five_hundred_words_gets_a_tree() -> None:
    model = small_model(name="bottom-up+shift#k")
    tokens = sentence(*["Buch"] * 500)
    (tree, short) = best(model, [tokens, sentence("Haus")])
    assert words(tree.tokens) == words(tokens)
    assert len(short.tokens) == 1


def learnt_by_heart(name: str) -> Model:
    model = small_model(replace(EVERYTHING, dropout=0.0, word_dropout=0.0), name)
    model.network.train()
    batch = batch_of(model, trees_for(name))
    optimizer = torch.optim.Adam(model.network.parameters(), 3e-3)
    for _ in range(60):
        optimizer.zero_grad()
        torch.autograd.backward(action_loss(model.network(batch).actions, batch.targets, batch.is_allowed, 0.0))
        optimizer.step()
    return model


def test_vectors_go_with_their_sentences() -> None:
    model = small_model(VECTORS)
    vectors = [vectors_of(model, tree) for tree in TREES]
    sentences = [tree.tokens for tree in TREES]
    expected = [best(model, [tokens], vectors=[array])[0] for tokens, array in zip(sentences, vectors, strict=True)]
    assert best(model, sentences, vectors=vectors) == expected
    with pytest.raises(ModelError, match="needs a vector of 20 numbers"):
        best(model, sentences)


def test_parsing_leaves_the_network_in_the_mode_it_was_in() -> None:
    model = small_model()
    for is_training in (True, False):
        model.network.train(is_training)
        assert best(model, SENTENCES) == best(model, SENTENCES)
        assert model.network.training == is_training
    in_need = small_model(VECTORS)
    in_need.network.train()
    with pytest.raises(ModelError):
        best(in_need, SENTENCES)
    assert in_need.network.training


def test_a_sentence_without_words_has_a_tree_without_words() -> None:
    found = decode([small_model()], [SENTENCES[0], [], SENTENCES[1]])
    assert [words(candidates[0].tree.tokens) for candidates in found] == [WORDS[0], [], WORDS[1]]


def test_a_beam_of_nothing_is_refused() -> None:
    with pytest.raises(SearchError, match="beam size must be at least 1"):
        best(small_model(), SENTENCES, 0)


def test_no_sentences_give_no_trees() -> None:
    assert best(small_model(), []) == []
