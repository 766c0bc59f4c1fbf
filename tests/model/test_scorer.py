"""The scorer that search follows says what the network says of the whole sequence, whatever became of its rows."""

import numpy as np
import pytest
import torch

from discoseq.batching.sentence_batch import encode_in_parts
from discoseq.batching.state_features import Views, front_of, labels_of
from discoseq.linearization.action_vocabulary import PAD_INDEX
from discoseq.linearization.state import Ints, ParserState
from discoseq.model import ancestry as ancestry_module
from discoseq.model import decoder as decoder_module
from discoseq.model.ancestry import Ancestry
from discoseq.model.bundle import Model
from discoseq.model.scorer import NetworkScorer
from discoseq.model.settings import ModelSettings
from discoseq.model.workspace import Workspace
from model.small import EVERYTHING, FETCHING, PLAIN, TREES, small_model


class History:
    """Of every row, all it has been through; and what the network says of it from the beginning."""

    def __init__(self, model: Model, sentences: list[list[str]]) -> None:
        self.model = model
        self.sentences = sentences
        self.rows: list[tuple[int, list[int], list[Views]]] = [(i, [], []) for i in range(len(sentences))]

    def follow(self, state: ParserState, parents: Ints, last_actions: Ints) -> None:
        masks = (state.stack_mask(), state.buffer_mask())
        views = Views(*map(torch.from_numpy, (*masks, front_of(state), labels_of(state))))
        rows = []
        for row, (parent, action) in enumerate(zip(parents.tolist(), last_actions.tolist(), strict=True)):
            sentence, given, seen = self.rows[parent]
            now = Views(views.stack[row], views.buffer[row], views.front[row], views.labels[row])
            rows.append((sentence, [*given, action], [*seen, now]))
        self.rows = rows

    def scores(self, row: int) -> np.ndarray:
        sentence, given, seen = self.rows[row]
        words = self.sentences[sentence]
        network = self.model.network
        (encoded,) = encode_in_parts(self.model.vocabularies, [words])
        views = Views(
            torch.stack([view.stack[: len(words)] for view in seen])[None],
            torch.stack([view.buffer[: len(words)] for view in seen])[None],
            torch.stack([view.front for view in seen])[None],
            torch.stack([view.labels for view in seen])[None],
        )
        scores = network.decoder(torch.tensor([given]), network.encode(encoded), encoded.is_word, views)
        return np.asarray(scores[0, -1])


def follow_at_random(model: Model, sentences: list[list[str]], beams: list[list[int]], seed: int) -> None:
    """At each step every sentence has as many rows as `beams` says for it, which come from any of those it had."""
    history = History(model, sentences)
    scorer = NetworkScorer(model.network, encode_in_parts(model.vocabularies, sentences))
    random = np.random.default_rng(seed)
    state = model.machine.start([len(words) for words in sentences])
    sentence_of_row: Ints = np.arange(len(sentences))
    parents: Ints = np.arange(len(sentences))
    last_actions: Ints = np.full(len(sentences), PAD_INDEX)
    for counts in beams:
        history.follow(state, parents, last_actions)
        scores = scorer.step(state, parents, last_actions, model.machine.action_mask(state))
        expected = np.stack([history.scores(row) for row in range(len(state))])
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
        rows = [np.flatnonzero(sentence_of_row == sentence) for sentence in range(len(sentences))]
        parents = np.concatenate([random.choice(rows[i], count) for i, count in enumerate(counts) if count])
        sentence_of_row = sentence_of_row[parents]
        state = state.select(parents)
        mask = model.machine.action_mask(state)
        last_actions = np.where(mask, random.random(mask.shape), -1).argmax(axis=1)
        state = model.machine.apply(state, last_actions)


SENTENCES = [list(tree.words) for tree in TREES]
BEAMS = {
    "growing and shrinking": [[1] * 5, [2] * 5, [3, 1, 3, 2, 3], [4, 1, 1, 4, 1], [1, 2, 1, 1, 1], [3] * 5, [2] * 5],
    "one after the other leaves": [[3] * 5, [3, 0, 3, 3, 3], [3, 0, 3, 2, 0], [1, 0, 0, 3, 0], [0, 0, 0, 3, 0]],
    "all but one leave": [[2] * 5, [0, 0, 3, 0, 0], [0, 0, 5, 0, 0], [0, 0, 1, 0, 0], [0, 0, 2, 0, 0]],
    "greedy": [[1] * 5, [1] * 5, [1, 0, 1, 1, 1], [1, 0, 1, 1, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]],
}


@pytest.mark.parametrize("beams", BEAMS.values(), ids=BEAMS)
@pytest.mark.parametrize(
    ("settings", "name"),
    [(EVERYTHING, "in-order+swap"), (PLAIN, "in-order+swap"), (FETCHING, "in-order+shift#k")],
    ids=["everything", "plain", "fetching"],
)
@torch.inference_mode()
def test_rows_may_be_reordered_repeated_and_dropped_with_their_sentences(
    settings: ModelSettings, name: str, beams: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ancestry_module, "_LEAST_GROWTH", 1)  # so that the memory grows several times
    monkeypatch.setattr(decoder_module, "_ACTIONS_A_WORD", 0)
    monkeypatch.setattr(decoder_module, "_ACTIONS_MORE", 2)
    model = small_model(settings, name)
    follow_at_random(model, SENTENCES, beams, seed=len(beams))


def test_a_place_that_no_one_remembers_is_used_again() -> None:
    ancestry = Ancestry(2, capacity=4)
    for _ in range(40):  # two rows each, of which the first has all the children: the other's past is forgotten
        ancestry.follow(np.array([0, 0, len(ancestry.sentence_of_row) // 2, len(ancestry.sentence_of_row) // 2]))
        places = ancestry.allot()
        assert places[0] != places[1]
        assert places[2] != places[3]
    assert (ancestry.is_past.sum(axis=1) == 40).all()
    assert ancestry.reach.tolist() == [41, 41]


@torch.inference_mode()
def test_a_workspace_is_left_to_the_next_batch_without_a_trace() -> None:
    model, workspace = small_model(PLAIN), Workspace()
    results = []
    for sentences in (SENTENCES, SENTENCES[:2], SENTENCES):
        scorer = NetworkScorer(model.network, encode_in_parts(model.vocabularies, sentences), workspace)
        scorer.restart(4, range(len(sentences)))
        state, parents = model.machine.start([len(words) for words in sentences]), np.arange(len(sentences))
        last_actions: Ints = np.full(len(sentences), PAD_INDEX)
        for _ in range(4):
            scores = scorer.step(state, parents, last_actions, model.machine.action_mask(state))
            parents = np.repeat(np.arange(len(state)), 2) if len(state) < 20 else np.arange(len(state))
            state = state.select(parents)
            last_actions = np.where(model.machine.action_mask(state), scores[parents], -np.inf).argmax(axis=1)
            state = model.machine.apply(state, last_actions)
        results.append(scores)
        for buffer in workspace.tensors(2, (1000,), torch.zeros(1)):
            buffer.fill_(torch.nan)
    np.testing.assert_array_equal(results[0], results[2])


@torch.inference_mode()
def test_a_sequence_may_be_longer_than_what_the_memory_begins_with() -> None:
    model = small_model(PLAIN)
    words = ["Haus"] * 12
    history = History(model, [words])
    scorer = NetworkScorer(model.network, encode_in_parts(model.vocabularies, [words]))
    capacity = 4 * len(words) + 16
    state = model.machine.start([len(words)])
    parents, last_actions = np.arange(1), np.full(1, PAD_INDEX)
    for step in range(capacity + 6):
        history.follow(state, parents, last_actions)
        mask = model.machine.action_mask(state)
        scores = scorer.step(state, parents, last_actions, mask)
        if step % 32 == 0 or step > capacity - 2:
            np.testing.assert_allclose(scores[0], history.scores(0), rtol=1e-4, atol=1e-5)
        last_actions = np.where(mask, scores, -np.inf).argmax(axis=1)
        state = model.machine.apply(state, last_actions)
