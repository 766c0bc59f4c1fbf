"""Attention: nothing outside a mask has any weight, and a head that sees nothing contributes zeros."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from discoseq.model.decoder import Decoder
from discoseq.model.layers import CrossAttention, DecoderLayer, HeadMask, SelfAttention
from model.small import EVERYTHING, TREES, batch_of, small_model

BATCH, HEADS, STEPS, WORDS, WIDTH = 3, 4, 7, 9, 32


def random_mask(seed: int) -> Tensor:
    """Head 0 sees nothing at all, head 1 nothing at its first steps, the others something at random."""
    visible = torch.rand(BATCH, HEADS, STEPS, WORDS, generator=torch.Generator().manual_seed(seed)) < 0.4
    visible[:, 0] = False
    visible[:, 1, :3] = False
    return visible


def attend(cross: CrossAttention, x: Tensor, source: Tensor, visible: Tensor) -> Tensor:
    return cross.forward(x, source, HeadMask.of(visible, x))


def by_hand(cross: CrossAttention, x: Tensor, source: Tensor, visible: Tensor) -> Tensor:
    """Head by head and step by step over the visible words alone."""
    queries = cross.project_query(x).view(BATCH, STEPS, HEADS, -1)
    keys, values = source  # (batch, heads, words, head width)
    heads = torch.zeros(BATCH, STEPS, HEADS, WIDTH // HEADS)
    for b, h, t in torch.cartesian_prod(torch.arange(BATCH), torch.arange(HEADS), torch.arange(STEPS)).tolist():
        seen = visible[b, h, t].nonzero()[:, 0]
        if len(seen):
            weights = (keys[b, h, seen] @ queries[b, t, h] / (WIDTH // HEADS) ** 0.5).softmax(0)
            heads[b, t, h] = weights @ values[b, h, seen]
    return torch.nn.functional.linear(heads.flatten(2), cross.out.weight, cross.out.bias)


@pytest.mark.parametrize("seed", range(3))
def test_attention_equals_softmax_over_the_visible_words(seed: int) -> None:
    torch.manual_seed(seed)
    cross = CrossAttention(WIDTH, HEADS)
    x, source = torch.randn(BATCH, STEPS, WIDTH), cross.keys_and_values(torch.randn(BATCH, WORDS, WIDTH))
    visible = random_mask(seed)
    assert torch.allclose(attend(cross, x, source, visible), by_hand(cross, x, source, visible), atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 9, 33, 200])
def test_a_word_outside_the_mask_has_exactly_no_weight(length: int) -> None:
    torch.manual_seed(length)
    cross = CrossAttention(WIDTH, HEADS)
    x = torch.randn(2, 5, WIDTH)
    keys, values = (part.detach() for part in cross.keys_and_values(torch.randn(2, length, WIDTH)))
    visible = torch.rand(2, HEADS, 5, length) < 0.5
    is_seen = visible.any(dim=2)[..., None]  # by a head at any step
    before = attend(cross, x, torch.stack([keys, values]), visible)
    after = attend(cross, x, torch.where(is_seen, torch.stack([keys, values]), 1e4), visible)
    assert torch.equal(before, after)


def test_nothing_flows_back_to_what_is_not_visible() -> None:
    torch.manual_seed(1)
    cross = CrossAttention(WIDTH, HEADS)
    x = torch.randn(BATCH, STEPS, WIDTH, requires_grad=True)
    keys, values = (part.detach().requires_grad_() for part in cross.keys_and_values(torch.randn(BATCH, WORDS, WIDTH)))
    visible = random_mask(1)
    torch.autograd.backward(attend(cross, x, torch.stack([keys, values]), visible).square().sum())
    is_seen = visible.any(dim=2)
    for part in (keys, values):
        assert part.grad is not None
        assert part.grad.isfinite().all()
        assert not part.grad[~is_seen].any()
        assert part.grad[is_seen].any()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in [x, *cross.parameters()])


def test_a_head_that_sees_nothing_contributes_zeros() -> None:
    torch.manual_seed(1)
    cross = CrossAttention(WIDTH, HEADS)
    x, source = torch.randn(BATCH, STEPS, WIDTH), cross.keys_and_values(torch.randn(BATCH, WORDS, WIDTH))
    nothing = torch.zeros(BATCH, HEADS, STEPS, WORDS, dtype=torch.bool)
    assert torch.equal(attend(cross, x, source, nothing), cross.out.bias.expand(BATCH, STEPS, WIDTH))


def test_self_attention_without_a_mask_looks_back_alone() -> None:
    torch.manual_seed(1)
    attention = SelfAttention(WIDTH, HEADS)
    x = torch.randn(2, STEPS, WIDTH)
    longer = torch.cat([x, torch.randn(2, 3, WIDTH)], dim=1)
    assert torch.allclose(attention(longer, None)[:, :STEPS], attention(x, None), atol=1e-6)


def test_in_every_layer_the_first_head_sees_the_buffer_the_second_the_stack_and_the_rest_all_words() -> None:
    model = small_model()
    batch = batch_of(model, TREES)
    decoder: Decoder = model.network.decoder
    masks: list[HeadMask] = []
    for layer in decoder.layers:
        assert isinstance(layer, DecoderLayer)
        layer.cross_attention.register_forward_pre_hook(lambda module, inputs: masks.append(inputs[2]))
    model.network(batch)
    assert len(masks) == EVERYTHING.decoder_layers
    everything = batch.sentences.is_word[:, None, :].expand_as(batch.masks.stack)
    for mask in masks:
        assert mask.sees_something is not None
        for head, visible in enumerate([batch.masks.buffer, batch.masks.stack, everything, everything]):
            assert torch.equal((mask.bias[:, head] == 0) & (mask.sees_something[:, head] == 1), visible)


def test_the_heads_may_be_dedicated_in_the_lowest_layers_only() -> None:
    settings = replace(EVERYTHING, dedicated_layers=1)
    model = small_model(settings)
    masks: list[HeadMask] = []
    for layer in model.network.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        layer.cross_attention.register_forward_pre_hook(lambda module, inputs: masks.append(inputs[2]))
    batch = batch_of(model, TREES)
    scores = model.network(batch).actions
    first, second = masks
    assert first.bias.shape[1:3] == (4, batch.targets.shape[1])
    assert torch.equal(second.bias[:, 0, 0] == 0, batch.sentences.is_word)
    both = small_model(EVERYTHING)
    assert not torch.allclose(scores, both.network(batch).actions)


def test_a_sentence_begins_with_an_empty_stack_and_ends_with_an_empty_buffer_and_trains_all_the_same() -> None:
    model = small_model()
    batch = batch_of(model, TREES)
    assert not batch.masks.stack[:, 0].any()
    assert not batch.masks.buffer[0, len(batch.targets[0]) - 1].any()
    torch.autograd.backward(model.network(batch).actions.square().mean())
    for name, parameter in model.network.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), name
