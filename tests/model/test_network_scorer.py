"""The scorer that search follows computes what the network computes for the whole sequence of every row."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from discoseq.batching.sentence_batch import encode_in_batches
from discoseq.batching.state_features import StateFeatures, StateMasks
from discoseq.decoding.decode import encode
from discoseq.linearizations.action_vocabulary import PAD_INDEX
from discoseq.linearizations.state import Ints, ParserState
from discoseq.model import beam_cache as cache_module
from discoseq.model import network_scorer as scorer_module
from discoseq.model.beam_cache import BeamCache
from discoseq.model.network import Model
from discoseq.model.network_scorer import NetworkScorer
from discoseq.model.settings import ModelSettings
from model.small import EVERYTHING, PLAIN, POINTER, TREES, small_model


class History:
    """All that every row has been through, and the network's scores for it from the beginning."""

    def __init__(self, model: Model, sentences: list[list[str]]) -> None:
        self.model = model
        self.sentences = sentences
        self.rows: list[tuple[int, list[int], list[tuple[StateMasks, StateFeatures]]]] = [
            (i, [], []) for i in range(len(sentences))
        ]

    def follow(self, state: ParserState, parents: Ints, previous_actions: Ints) -> None:
        masks, features = StateMasks.of(state), StateFeatures.of(state)
        rows = []
        for row, (parent, action) in enumerate(zip(parents.tolist(), previous_actions.tolist(), strict=True)):
            sentence, previous, seen = self.rows[parent]
            now = (
                StateMasks(masks.stack[row], masks.buffer[row]),
                StateFeatures(features.words[row], features.labels[row]),
            )
            rows.append((sentence, [*previous, action], [*seen, now]))
        self.rows = rows

    def scores(self, row: int) -> np.ndarray:
        sentence, previous, seen = self.rows[row]
        words = self.sentences[sentence]
        network = self.model.network
        (encoded,) = encode_in_batches(self.model.vocabularies, [words])
        masks = StateMasks(
            torch.stack([masks.stack[: len(words)] for masks, _ in seen])[None],
            torch.stack([masks.buffer[: len(words)] for masks, _ in seen])[None],
        )
        features = StateFeatures(
            torch.stack([features.words for _, features in seen])[None],
            torch.stack([features.labels for _, features in seen])[None],
        )
        source = network.decoder.read(network.encode(encoded), encoded.is_word)
        return np.asarray(network.decoder(source, torch.tensor([previous]), masks, features)[0, -1])


def new_scorer(model: Model, sentences: list[list[str]], cache: BeamCache | None = None) -> NetworkScorer:
    scorer = NetworkScorer(model.network.decoder, encode(model, sentences), cache or BeamCache())
    scorer.start(range(len(sentences)))
    return scorer


def follow_at_random(model: Model, sentences: list[list[str]], beams: list[list[int]], seed: int) -> NetworkScorer:
    """At each step every sentence has as many rows as `beams` says for it, which come from any of those it had."""
    history = History(model, sentences)
    scorer = new_scorer(model, sentences)
    random = np.random.default_rng(seed)
    state = model.machine.start([len(words) for words in sentences])
    sentence_of_row: Ints = np.arange(len(sentences))
    parents: Ints = np.arange(len(sentences))
    previous_actions: Ints = np.full(len(sentences), PAD_INDEX)
    for counts in beams:
        history.follow(state, parents, previous_actions)
        scores = scorer.step(state, parents, previous_actions)
        expected = np.stack([history.scores(row) for row in range(len(state))])
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
        rows = [np.flatnonzero(sentence_of_row == sentence) for sentence in range(len(sentences))]
        parents = np.concatenate([random.choice(rows[i], count) for i, count in enumerate(counts) if count])
        sentence_of_row = sentence_of_row[parents]
        state = state.select(parents)
        mask = model.machine.action_mask(state)
        previous_actions = np.where(mask, random.random(mask.shape), -1).argmax(axis=1)
        state = model.machine.apply(state, previous_actions)
    return scorer


SENTENCES = [list(tree.words) for tree in TREES]
BEAMS = {
    "growing and shrinking": [[1] * 5, [2] * 5, [3, 1, 3, 2, 3], [4, 1, 1, 4, 1], [1, 2, 1, 1, 1], [3] * 5, [2] * 5],
    "one after the other leaves": [[3] * 5, [3, 0, 3, 3, 3], [3, 0, 3, 2, 0], [1, 0, 0, 3, 0], [0, 0, 0, 3, 0]],
    "all but one leave": [[2] * 5, [0, 0, 3, 0, 0], [0, 0, 5, 0, 0], [0, 0, 1, 0, 0], [0, 0, 2, 0, 0]],
    "narrow and wide": [
        [2] * 5,
        [4] * 5,
        [1] * 5,
        [3] * 5,
        [2, 1, 1, 2, 1],
        [1] * 5,
        [3] * 5,
        [1] * 5,
        [2] * 5,
    ],
    "greedy": [[1] * 5, [1] * 5, [1, 0, 1, 1, 1], [1, 0, 1, 1, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]],
}


@pytest.mark.parametrize("long", [1, 2, 64])
@pytest.mark.parametrize("beams", BEAMS.values(), ids=BEAMS)
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (EVERYTHING, "in-order+swap"),
        (PLAIN, "in-order+swap"),
        (POINTER, "in-order+shift#k"),
        (replace(PLAIN, dedicated_layers=1), "in-order+swap"),
    ],
    ids=["everything", "plain", "pointer", "dedicated in one layer"],
)
@torch.inference_mode()
def test_rows_may_be_reordered_repeated_and_dropped_with_their_sentences(
    settings: ModelSettings, name: str, beams: list[list[int]], long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_LONG", long)
    monkeypatch.setattr(scorer_module, "_ACTIONS_A_WORD", 0)  # so that the cache grows several times
    monkeypatch.setattr(scorer_module, "_MORE_ACTIONS", 2)
    model = small_model(settings, name)
    scorer = follow_at_random(model, SENTENCES, beams, seed=len(beams))
    assert scorer.cache._shared or long == 64 or beams != BEAMS["narrow and wide"]
    assert not scorer.cache._shared or long < 64


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_cache_follows_every_row_and_uses_free_slots_again(seed: int) -> None:
    random, cache = np.random.default_rng(seed), BeamCache()
    cache.start(3, 2, 1, 2, torch.zeros(3, 8))
    histories: list[list[float]] = [[], [], []]
    for step in range(30):
        count = int(random.integers(1, 9))
        parents = np.sort(random.integers(0, len(histories), count)) if step else np.arange(3)
        histories = [list(histories[parent]) for parent in parents]
        cache.follow(parents, np.arange(len(parents)), len(parents))
        slots = cache._slots
        assert len(set(slots.tolist())) == len(slots)
        assert cache._used <= 8  # no more than there were rows at any time
        memory = cache._layers[0]
        for row, slot in enumerate(slots.tolist()):
            assert memory[0, slot, 0, :step, 0].tolist() == histories[row]
            memory[:, slot, :, step] = 100.0 * step + row
            histories[row].append(100.0 * step + row)
        cache.length += 1


def test_the_memory_of_a_cache_does_not_grow_from_search_to_search() -> None:
    cache, sizes = BeamCache(), []
    for _ in range(4):
        cache.start(4, 8, 1, 2, torch.zeros(4, 8))
        for _ in range(40):  # five times as many actions as there was room for
            cache.follow(np.arange(4), np.arange(4), 4)
            cache.length += 1
        sizes.append(cache._buffers[0].numel())
    needed = 2 * 4 * 8 * 40
    assert max(sizes) < 4 * needed


@torch.inference_mode()
def test_a_cache_is_used_by_the_next_batch_without_a_trace() -> None:
    model, cache = small_model(PLAIN), BeamCache()
    results = []
    for sentences in (SENTENCES, SENTENCES[:2], SENTENCES):
        scorer = new_scorer(model, sentences, cache)
        state, parents = model.machine.start([len(words) for words in sentences]), np.arange(len(sentences))
        previous: Ints = np.full(len(sentences), PAD_INDEX)
        for _ in range(4):
            scores = scorer.step(state, parents, previous)
            parents = np.repeat(np.arange(len(state)), 2) if len(state) < 20 else np.arange(len(state))
            state = state.select(parents)
            previous = np.where(model.machine.action_mask(state), scores[parents], -np.inf).argmax(axis=1)
            state = model.machine.apply(state, previous)
        results.append(scores)
        for buffer in cache._buffers:
            buffer.fill_(torch.nan)
    np.testing.assert_array_equal(results[0], results[2])


@torch.inference_mode()
def test_a_sequence_may_be_longer_than_the_first_guess() -> None:
    model = small_model(PLAIN)
    words = ["Haus"] * 12
    history = History(model, [words])
    scorer = new_scorer(model, [words])
    capacity = 4 * len(words) + 16
    state = model.machine.start([len(words)])
    parents, previous_actions = np.arange(1), np.full(1, PAD_INDEX)
    for step in range(capacity + 6):
        history.follow(state, parents, previous_actions)
        mask = model.machine.action_mask(state)
        scores = scorer.step(state, parents, previous_actions)
        if step % 32 == 0 or step > capacity - 2:
            np.testing.assert_allclose(scores[0], history.scores(0), rtol=1e-4, atol=1e-5)
        previous_actions = np.where(mask, scores, -np.inf).argmax(axis=1)
        state = model.machine.apply(state, previous_actions)
