"""Every switch does what it says, and a choice that makes no network is refused."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from discoseq.batching.state_features import StateMasks
from discoseq.errors import ModelError
from discoseq.model.encoder import TransformerEncoder
from discoseq.model.layers import Residual
from discoseq.model.network import Heads
from discoseq.model.settings import ModelSettings, check_settings
from model.small import EVERYTHING, PLAIN, POINTER, TREES, batch_of, small_model


@pytest.mark.parametrize(("buffer_heads", "stack_heads"), [(0, 0), (1, 1), (2, 1), (0, 2), (3, 1)])
def test_so_many_heads_see_stack_and_buffer(buffer_heads: int, stack_heads: int) -> None:
    model = small_model(replace(PLAIN, buffer_heads=buffer_heads, stack_heads=stack_heads))
    batch = batch_of(model, TREES)
    mask = model.network.decoder._head_mask(batch.sentences.is_word, batch.masks, torch.zeros(1))
    everything = batch.sentences.is_word[:, None, :].expand_as(batch.masks.stack)
    views = [batch.masks.buffer] * buffer_heads + [batch.masks.stack] * stack_heads
    views += [everything] * (PLAIN.heads - len(views))
    found = mask.bias == 0
    if mask.sees_something is not None:
        found = found & (mask.sees_something == 1)
    assert torch.equal(found.expand(-1, 4, batch.targets.shape[1], -1), torch.stack(views, dim=1))


def test_without_dedicated_heads_stack_and_buffer_do_not_matter() -> None:
    for count, matters in [(0, False), (1, True)]:
        model = small_model(replace(PLAIN, buffer_heads=count, stack_heads=count))
        batch = batch_of(model, TREES)
        other = replace(batch, masks=StateMasks(batch.masks.buffer, batch.masks.stack))
        assert torch.equal(model.network(batch).actions, model.network(other).actions) != matters


@pytest.mark.parametrize("kind", ["none", "words", "corners", "labels"])
def test_each_kind_of_state_features_matters_where_it_is_chosen(kind: str) -> None:
    model = small_model(replace(PLAIN, state_features=kind))
    batch = batch_of(model, TREES)
    count = {"none": 0, "words": 3, "corners": 7, "labels": 7}[kind]
    for number in range(8):
        words = batch.features.words.clone()
        words[..., number] = (words[..., number] + 1).clamp(max=0)
        other = replace(batch, features=replace(batch.features, words=words))
        assert torch.equal(model.network(batch).actions, model.network(other).actions) != (number < count)
    other = replace(batch, features=replace(batch.features, labels=batch.features.labels.flip(-1)))
    assert torch.equal(model.network(batch).actions, model.network(other).actions) != (kind == "labels")


@torch.no_grad()
def test_a_feature_word_is_projected_by_its_part_of_the_matrix_and_no_word_is_zero() -> None:
    model = small_model(POINTER, "in-order+shift#k")  # which has all feature words
    batch = batch_of(model, TREES)
    decoder = model.network.decoder
    assert decoder.embed_words is not None
    encoded = model.network.encode(batch.sentences)
    source = decoder.read(encoded, batch.sentences.is_word)
    assert source.features is not None
    words = batch.features.words
    found = decoder._sum_feature_words(source.features, words, torch.arange(len(TREES))[:, None])
    for row, step in torch.cartesian_prod(*map(torch.arange, words.shape[:2])).tolist():
        nothing = torch.zeros(EVERYTHING.width)
        vectors = [encoded[row, word] if word >= 0 else nothing for word in words[row, step].tolist()]
        assert torch.allclose(found[row, step], decoder.embed_words(torch.cat(vectors)), atol=1e-5)


@pytest.mark.parametrize("heads", [Heads(), Heads(tags=True), Heads(ancestors=True), Heads(True, True)])
def test_a_network_has_the_heads_it_is_asked_for(heads: Heads) -> None:
    model = small_model(PLAIN, heads=heads)
    scores = model.network(batch_of(model, TREES))
    assert model.heads == heads
    assert (scores.tags is not None, scores.ancestors is not None) == (heads.tags, heads.ancestors)
    if scores.tags is not None:
        assert scores.tags.shape == (len(TREES), 6, len(model.vocabularies.tags))
    if scores.ancestors is not None:
        assert scores.ancestors.shape == (len(TREES), 6, len(model.vocabularies.ancestors))


def test_the_norm_stands_before_the_function_or_after_the_sum() -> None:
    x = torch.randn(2, 3, 8)
    before, after = Residual(8, 0.0, True), Residual(8, 0.0, False)
    assert torch.equal(before(x, torch.sin), x + torch.sin(before.norm(x)))
    assert torch.equal(after(x, torch.sin), after.norm(x + torch.sin(x)))


def test_pre_norm_norms_what_leaves_the_last_layer() -> None:
    for is_pre_norm in (False, True):
        names = set(small_model(replace(PLAIN, pre_norm=is_pre_norm)).network.state_dict())
        assert ({"encoder.norm.weight", "decoder.norm.weight"} <= names) == is_pre_norm


def test_encoder_and_decoder_have_each_their_number_of_layers() -> None:
    network = small_model(replace(PLAIN, encoder_layers=3, decoder_layers=1)).network
    assert isinstance(network.encoder, TransformerEncoder)
    assert (len(network.encoder.layers), len(network.decoder.layers)) == (3, 1)


def test_positions_tell_the_encoder_the_order_of_words() -> None:
    for has_positions in (False, True):
        model = small_model(replace(PLAIN, positions=has_positions))
        batch = batch_of(model, TREES[:1])
        turned = replace(
            batch.sentences, words=batch.sentences.words.flip(1), spelling_of=batch.sentences.spelling_of.flip(1)
        )
        encoded, backwards = model.network.encode(batch.sentences), model.network.encode(turned).flip(1)
        assert torch.allclose(encoded, backwards, atol=1e-5) != has_positions


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 33}, "even"),
        ({"heads": 3}, "multiple of heads, which is 3"),
        ({"hidden": 0}, "hidden"),
        ({"decoder_layers": 0}, "decoder_layers is 0; it must be at least 1"),
        ({"width": 10**9}, "width is 1000000000; it must be at most 8,192"),
        ({"width": -1}, "width is -1; it must be at least 4"),
        ({"encoder_layers": 10**6}, "encoder_layers is 1000000; it must be at most 200"),
        ({"hidden": 10**9}, "hidden is 1000000000; it must be at most 65,536"),
        ({"word_width": 10**9}, "word_width is 1000000000; it must be at most 8,192"),
        ({"width": 8192, "hidden": 65536, "encoder_layers": 200}, "the layers would have .* weights"),
        ({"dropout": 1.0}, "dropout"),
        ({"word_dropout": -0.1}, "word_dropout"),
        ({"stack_heads": -1}, "at least 0"),
        ({"stack_heads": 2, "buffer_heads": 3}, "exceed the 4 heads"),
        ({"word_width": -1}, "at least 0"),
        ({"encoder": "rnn"}, "one of transformer, lstm"),
        ({"encoder": "lstm", "encoder_layers": 0}, "at least 1 for an LSTM"),
        ({"state_features": "all"}, "one of none, words, corners, labels"),
        ({"pointer": True}, "corners or labels"),
    ],
)
def test_a_choice_that_makes_no_network_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        small_model(replace(PLAIN, **wrong))


def test_a_word_without_features_is_refused() -> None:
    with pytest.raises(ModelError, match="a word needs features"):
        check_settings(replace(PLAIN, word_width=0, character_filters=0))


def test_the_defaults_are_the_papers() -> None:
    s = ModelSettings()
    assert (s.encoder_layers, s.decoder_layers, s.width, s.heads, s.hidden, s.dropout) == (6, 6, 256, 4, 512, 0.3)
    assert (s.pre_norm, s.stack_heads, s.buffer_heads, s.state_features, s.pointer) == (False, 1, 1, "none", False)
