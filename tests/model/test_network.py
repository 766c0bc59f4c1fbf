"""The network as a whole: padding changes nothing, a cache changes nothing, seeds decide everything."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from discoseq.batching.sentence_batch import encode_sentences
from discoseq.batching.state_features import StateFeatures, StateMasks
from discoseq.errors import ModelError
from discoseq.model.beam_cache import BeamCache, BeamGrid
from discoseq.model.layers import Dropout
from discoseq.model.network import Model
from discoseq.model.settings import ModelSettings
from discoseq.training.update import action_loss, head_loss
from model.small import EVERYTHING, PLAIN, POINTER, TREES, VECTORS, batch_of, small_model

SETTINGS = {
    "everything": EVERYTHING,
    "plain": PLAIN,
    "pre-norm": replace(EVERYTHING, pre_norm=True),
    "no dedicated heads": replace(EVERYTHING, stack_heads=0, buffer_heads=0),
    "corners": replace(EVERYTHING, state_features="corners"),
    "labels": replace(EVERYTHING, state_features="labels"),
    "pointer": POINTER,
    "pointer and labels": replace(POINTER, state_features="labels"),
    "LSTM": replace(EVERYTHING, encoder="lstm"),
    "vectors": VECTORS,
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_padding_changes_nothing(settings: ModelSettings) -> None:
    model = small_model(settings)
    together = batch_of(model, TREES)
    all_encoded, all_scores = model.network.encode(together.sentences), model.network(together)
    for row, tree in enumerate(TREES):
        alone = batch_of(model, [tree])
        words, steps = len(tree.tokens), alone.targets.shape[1]
        scores = model.network(alone)
        assert_close(all_encoded[row, :words], model.network.encode(alone.sentences)[0])
        assert_close(all_scores.actions[row, :steps], scores.actions[0])
        if scores.tags is not None and all_scores.tags is not None:
            assert_close(all_scores.tags[row, :words], scores.tags[0])
        if scores.ancestors is not None and all_scores.ancestors is not None:
            assert_close(all_scores.ancestors[row, :words], scores.ancestors[0])


def test_the_loss_of_a_batch_is_the_sum_of_the_losses_of_its_sentences() -> None:
    model = small_model()
    together = total_loss(model, *range(len(TREES)))
    alone = [total_loss(model, row) for row in range(len(TREES))]
    assert_close(together, torch.stack(alone).sum())


def test_the_gradient_of_a_batch_is_the_sum_of_those_of_its_sentences() -> None:
    model = small_model()
    torch.autograd.backward(total_loss(model, *range(len(TREES))))
    together = {name: parameter.grad for name, parameter in model.network.named_parameters()}
    model.network.zero_grad()
    for row in range(len(TREES)):
        torch.autograd.backward(total_loss(model, row))
    for name, parameter in model.network.named_parameters():
        expected = together[name]
        assert (parameter.grad is None) == (expected is None)
        if expected is not None and parameter.grad is not None:
            assert torch.allclose(parameter.grad, expected, rtol=1e-3, atol=1e-4), name


def test_equal_seeds_give_equal_losses_and_others_do_not() -> None:
    assert training_losses(1) == training_losses(1)
    assert training_losses(1) != training_losses(2)


def test_dropout_is_for_training() -> None:
    model = small_model(replace(EVERYTHING, dropout=0.5, word_dropout=0.5))
    batch = batch_of(model, TREES)
    assert torch.equal(model.network(batch).actions, model.network(batch).actions)
    model.network.train()
    assert not torch.equal(model.network(batch).actions, model.network(batch).actions)


def test_a_rate_of_none_makes_training_and_use_the_same() -> None:
    model = small_model(replace(EVERYTHING, dropout=0.0, word_dropout=0.0))
    batch = batch_of(model, TREES)
    expected = model.network(batch).actions
    model.network.train()
    assert torch.equal(model.network(batch).actions, expected)


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_drops_at_its_rate_and_keeps_the_mean(rate: float) -> None:
    torch.manual_seed(1)
    x = torch.ones(999, 333, requires_grad=True)
    y = Dropout(rate)(x)
    torch.autograd.backward(y.sum())
    assert abs(float((y == 0).float().mean()) - rate) < 0.004
    assert torch.allclose(y[y != 0], torch.tensor(1 / (1 - rate)))
    assert x.grad is not None
    assert torch.equal(x.grad, y)
    # neighbours come from one draw of 64 bits, and still know nothing of each other
    pairs = (y[:, :-1] == 0) & (y[:, 1:] == 0)
    assert abs(float(pairs.float().mean()) - rate**2) < 0.005


def test_a_dropped_word_is_an_unknown_one() -> None:
    model = small_model(replace(PLAIN, word_dropout=0.999, character_filters=0, dropout=0.0))
    known = encode_sentences(model.vocabularies, [["Das", "Buch"]])
    unknown = encode_sentences(model.vocabularies, [["Qqq", "Zzz"]])
    expected = model.network.encode(unknown)
    assert not torch.allclose(model.network.encode(known), expected, atol=1e-3)
    model.network.train()
    torch.manual_seed(1)
    assert_close(model.network.encode(known), expected)


def test_the_characters_tell_unknown_words_apart() -> None:
    model = small_model(PLAIN)
    one, other = (model.network.encode(encode_sentences(model.vocabularies, [[w]])) for w in ("gelacht", "Häuser"))
    assert not torch.allclose(one, other, atol=1e-3)


@pytest.mark.parametrize("vectors", [None, 5])
def test_a_network_that_reads_vectors_says_what_it_misses(vectors: int | None) -> None:
    model = small_model(SETTINGS["vectors"])
    sentences = encode_sentences(model.vocabularies, [["Das", "Buch"]])
    if vectors:
        sentences = sentences.with_vectors([np.zeros((2, vectors), dtype=np.float32)])
    with pytest.raises(ModelError, match=r"vectors? of 20 numbers"):
        model.network.encode(sentences)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_decoding_with_a_cache_equals_the_whole_sequence_at_once(settings: ModelSettings) -> None:
    model = small_model(settings)
    batch = batch_of(model, TREES)
    expected = model.network(batch).actions
    decoder, cache, rows = model.network.decoder, BeamCache(), torch.arange(len(TREES))
    encoded = model.network.encode(batch.sentences)
    source = decoder.read(encoded, batch.sentences.is_word)
    with torch.inference_mode():
        cache.start(len(TREES), 4, len(decoder.layers), decoder.heads, encoded)
        for step in range(batch.previous.shape[1]):
            cache.follow(np.arange(len(TREES)), np.arange(len(TREES)), len(TREES))
            masks = StateMasks(batch.masks.stack[:, step], batch.masks.buffer[:, step])
            features = StateFeatures(batch.features.words[:, step], batch.features.labels[:, step])
            grid = BeamGrid(len(TREES), 1)
            found = decoder.step(source, batch.previous[:, step], masks, features, rows, grid, cache)
            assert_close(found, expected[:, step])


def total_loss(model: Model, *rows: int) -> Tensor:
    batch = batch_of(model, [TREES[row] for row in rows])
    scores = model.network(batch)
    assert scores.tags is not None
    actions = action_loss(scores.actions, batch.targets, batch.is_allowed, 0.1)
    return actions + head_loss(scores.tags, batch.tags)


def training_losses(seed: int) -> list[float]:
    model = small_model(seed=seed)
    model.network.train()
    batch = batch_of(model, TREES)
    optimizer = torch.optim.Adam(model.network.parameters(), 1e-3)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = action_loss(model.network(batch).actions, batch.targets, batch.is_allowed, 0.01)
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses


def assert_close(one: Tensor, other: Tensor) -> None:
    assert torch.allclose(one, other, rtol=1e-5, atol=1e-5), float((one - other).abs().max())
