"""Weights in fewer bytes."""

import pytest
import torch

from discoseq.model.compact import pack, unpack


@pytest.fixture
def weights() -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    return {"table": torch.randn(40_000, 32), "square": torch.randn(64, 64), "bias": torch.randn(64)}


def test_a_large_table_takes_a_byte_a_number_and_the_rest_two(weights: dict[str, torch.Tensor]) -> None:
    packed = pack(weights)
    size = sum(tensor.numel() * tensor.element_size() for tensor in packed.values())
    assert size == 40_000 * 32 + 40_000 * 4 + 2 * (64 * 64 + 64)


def test_unpacking_gives_nearly_what_was_packed(weights: dict[str, torch.Tensor]) -> None:
    unpacked = unpack(pack(weights))
    assert unpacked.keys() == weights.keys()
    for name, tensor in weights.items():
        assert unpacked[name].dtype == torch.float32
        largest = tensor.abs().amax(dim=-1, keepdim=True)  # half a step of the row's scale is the most that is lost
        assert ((unpacked[name] - tensor).abs() <= largest * 0.5 / 127 + 1e-6).all()


def test_what_is_not_packed_is_left_as_it_is(weights: dict[str, torch.Tensor]) -> None:
    unpacked = unpack(weights)
    assert all(torch.equal(unpacked[name], weights[name]) for name in weights)


def test_whole_numbers_stay_as_they_are() -> None:
    table = {"bytes": torch.randint(0, 256, (40_000, 32), dtype=torch.uint8)}
    assert torch.equal(unpack(pack(table))["bytes"], table["bytes"])


def test_a_table_with_a_row_of_zeros_comes_back(weights: dict[str, torch.Tensor]) -> None:
    weights["table"][0] = 0.0
    assert torch.equal(unpack(pack(weights))["table"][0], torch.zeros(32))


def test_packing_twice_changes_nothing_more(weights: dict[str, torch.Tensor]) -> None:
    once = unpack(pack(weights))
    twice = unpack(pack(once))
    assert all(torch.allclose(once[name], twice[name], atol=1e-6) for name in weights)
