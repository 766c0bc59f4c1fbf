"""The scorer that search follows says what the network says of the whole sequence, whatever became of its rows."""

import numpy as np
import pytest
import torch

from discoseq.batching.sentences import encode_sentences
from discoseq.batching.views import Views, views_of
from discoseq.linearization.state import Ints, ParserState
from discoseq.linearization.vocabulary import PAD_INDEX
from discoseq.model import cache as cache_module
from discoseq.model.bundle import Model
from discoseq.model.scorer import NetworkScorer
from model.small import EVERYTHING, PLAIN, TREES, small_model


class History:
    """Of every row, all it has been through; and what the network says of it from the beginning."""

    def __init__(self, model: Model, sentences: list[list[str]]) -> None:
        self.model = model
        self.sentences = sentences
        self.rows: list[tuple[int, list[int], list[Views]]] = [(i, [], []) for i in range(len(sentences))]

    def follow(self, state: ParserState, parents: Ints, last_actions: Ints) -> None:
        views = views_of(state)
        rows = []
        for row, (parent, action) in enumerate(zip(parents.tolist(), last_actions.tolist(), strict=True)):
            sentence, given, seen = self.rows[parent]
            now = Views(views.stack[row], views.buffer[row], views.front[row])
            rows.append((sentence, [*given, action], [*seen, now]))
        self.rows = rows

    def scores(self, row: int) -> np.ndarray:
        sentence, given, seen = self.rows[row]
        words = self.sentences[sentence]
        network = self.model.network
        encoded = encode_sentences(self.model.vocabularies, [words])
        views = Views(
            torch.stack([view.stack[: len(words)] for view in seen])[None],
            torch.stack([view.buffer[: len(words)] for view in seen])[None],
            torch.stack([view.front for view in seen])[None],
        )
        scores = network.decoder(torch.tensor([given]), network.encode(encoded), encoded.is_word, views)
        return np.asarray(scores[0, -1])


@pytest.mark.parametrize("is_pointed", [True, False])
@torch.inference_mode()
def test_rows_may_be_reordered_repeated_and_dropped_with_their_sentences(
    is_pointed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_CHUNK", 5)  # so that the cache grows several times
    model = small_model(EVERYTHING if is_pointed else PLAIN)
    sentences = [list(tree.words) for tree in TREES]
    history = History(model, sentences)
    scorer = NetworkScorer(model.network, encode_sentences(model.vocabularies, sentences))
    random = np.random.default_rng(1)
    state = model.machine.start([len(words) for words in sentences])
    alive, beam = list(range(len(sentences))), 1
    parents: Ints = np.arange(len(sentences))
    last_actions: Ints = np.full(len(sentences), PAD_INDEX)
    for step in range(13):
        history.follow(state, parents, last_actions)
        scores = scorer.step(state, parents, last_actions)
        expected = np.stack([history.scores(row) for row in range(len(state))])
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
        is_leaving = step in (4, 7, 8)  # sentences in the middle, then at the ends
        alive = [x for x in range(len(alive)) if not is_leaving or x % 2 == step % 2]
        beam_before, beam = beam, min(3, beam * 2)
        parents = np.array([x * beam_before + random.integers(beam_before) for x in alive for _ in range(beam)])
        state = state.select(parents)
        mask = model.machine.action_mask(state)
        last_actions = np.where(mask, random.random(mask.shape), -1).argmax(axis=1)
        state = model.machine.apply(state, last_actions)
    assert len(alive) == 1


@torch.inference_mode()
def test_a_sequence_may_be_longer_than_what_the_cache_begins_with() -> None:
    model = small_model(PLAIN)
    words = ["Haus"] * 60
    history = History(model, [words])
    scorer = NetworkScorer(model.network, encode_sentences(model.vocabularies, [words]))
    state = model.machine.start([60])
    parents, last_actions = np.arange(1), np.full(1, PAD_INDEX)
    for step in range(2 * cache_module._CHUNK + 3):
        history.follow(state, parents, last_actions)
        scores = scorer.step(state, parents, last_actions)
        if step % 32 == 0 or step > 2 * cache_module._CHUNK - 2:
            np.testing.assert_allclose(scores[0], history.scores(0), rtol=1e-4, atol=1e-5)
        mask = model.machine.action_mask(state)
        last_actions = np.where(mask, scores, -np.inf).argmax(axis=1)
        state = model.machine.apply(state, last_actions)
