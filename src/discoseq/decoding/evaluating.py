"""A network as it is to be used, not trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(network: nn.Module) -> Iterator[None]:
    """No dropout inside; after it, whatever was before."""
    was_training = network.training
    network.eval()
    try:
        yield
    finally:
        network.train(was_training)
