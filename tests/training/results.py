"""What a generator of events returns, for tests that are not about the events."""

from collections.abc import Generator
from typing import TypeVar

from discoseq.training.config import Config
from discoseq.training.data import TrainingData, load_data

Result = TypeVar("Result")


def result_of(events: Generator[object, None, Result]) -> Result:
    """Run to the end."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def data_of(config: Config) -> TrainingData:
    """The trees of a configuration."""
    return result_of(load_data(config))
