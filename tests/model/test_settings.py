"""Every switch does what it says, and a choice that makes no network is refused."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from discoseq.errors import ModelError
from discoseq.model.encoder import Encoder
from discoseq.model.layers import Residual
from discoseq.model.settings import ModelSettings
from model.small import EVERYTHING, FETCHING, PLAIN, TREES, batch_of, small_model


@pytest.mark.parametrize(("buffer_heads", "stack_heads"), [(0, 0), (1, 1), (2, 1), (0, 2), (3, 1)])
def test_so_many_heads_see_each_view(buffer_heads: int, stack_heads: int) -> None:
    model = small_model(replace(PLAIN, buffer_heads=buffer_heads, stack_heads=stack_heads))
    batch = batch_of(model, TREES)
    mask = model.network.decoder.head_mask(batch.sentences.is_word, batch.views, torch.zeros(1))
    everything = batch.sentences.is_word[:, None, :].expand_as(batch.views.stack)
    views = [batch.views.buffer] * buffer_heads + [batch.views.stack] * stack_heads
    views += [everything] * (PLAIN.heads - len(views))
    found = mask.bias == 0
    if mask.sees_something is not None:
        found = found & (mask.sees_something == 1)
    assert torch.equal(found.expand(-1, 4, batch.targets.shape[1], -1), torch.stack(views, dim=1))


def test_without_dedicated_heads_stack_and_buffer_do_not_matter() -> None:
    for count, matters in [(0, False), (1, True)]:
        model = small_model(replace(PLAIN, buffer_heads=count, stack_heads=count))
        batch = batch_of(model, TREES)
        other = replace(batch, views=replace(batch.views, stack=batch.views.buffer, buffer=batch.views.stack))
        assert torch.equal(model.network(batch).actions, model.network(other).actions) != matters


def test_the_words_in_front_matter_to_a_pointed_decoder_alone() -> None:
    for is_pointed in (False, True):
        model = small_model(replace(PLAIN, pointed=is_pointed))
        batch = batch_of(model, TREES)
        other = replace(batch, views=replace(batch.views, front=batch.views.front.flip(-1)))
        assert torch.equal(model.network(batch).actions, model.network(other).actions) != is_pointed
        assert any("point" in name for name in model.network.state_dict()) == is_pointed


def test_no_word_in_front_is_a_zero_vector() -> None:
    model = small_model(FETCHING, "in-order+shift#k")  # which looks at all there are
    batch = batch_of(model, TREES)
    given = []
    point = model.network.decoder.point
    assert point is not None
    point.register_forward_pre_hook(lambda module, inputs: given.append(inputs[0]))
    encoded = model.network.encode(batch.sentences)
    model.network(batch)
    front = given[0].view(*batch.views.front.shape, -1)
    for (row, step, which), word in zip(torch.cartesian_prod(*map(torch.arange, batch.views.front.shape)).tolist(),
                                        batch.views.front.flatten().tolist(), strict=True):  # fmt: skip
        expected = encoded[row, word] if word >= 0 else torch.zeros(EVERYTHING.width)
        assert torch.equal(front[row, step, which], expected)


def test_only_a_tagger_tags() -> None:
    for has_tagger in (False, True):
        model = small_model(replace(PLAIN, tagger=has_tagger))
        tags = model.network(batch_of(model, TREES)).tags
        assert (tags is not None) == has_tagger
        if tags is not None:
            assert tags.shape == (len(TREES), 6, len(model.vocabularies.tags))


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
    assert isinstance(network.encoder, Encoder)
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
        ({"heads": 3}, "3 heads"),
        ({"hidden": 0}, "hidden"),
        ({"decoder_layers": 0}, "at least one layer"),
        ({"dropout": 1.0}, "dropout"),
        ({"word_dropout": -0.1}, "word_dropout"),
        ({"stack_heads": -1}, "negative"),
        ({"stack_heads": 2, "buffer_heads": 3}, "more heads"),
        ({"word_width": -1}, "negative"),
        ({"word_width": 0, "character_filters": 0}, "features"),
        ({"character_width": 0}, "character_width"),
    ],
)
def test_a_choice_that_makes_no_network_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        small_model(replace(PLAIN, **wrong))


def test_the_defaults_are_the_papers() -> None:
    s = ModelSettings()
    assert (s.encoder_layers, s.decoder_layers, s.width, s.heads, s.hidden, s.dropout) == (6, 6, 256, 4, 512, 0.3)
    assert (s.pre_norm, s.stack_heads, s.buffer_heads, s.pointed, s.tagger) == (False, 1, 1, False, False)
