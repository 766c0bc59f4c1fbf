from dataclasses import replace

import pytest

from discoseq.training.config import TrainingSettings
from discoseq.training.optimizer import learning_rate

PAPER = TrainingSettings()


def test_the_papers_schedule_rises_and_falls_with_the_inverse_square_root() -> None:
    assert learning_rate(PAPER, 2000, 0.1) == pytest.approx(1e-7 + (5e-4 - 1e-7) / 2)
    assert learning_rate(PAPER, 4000, 0.1) == pytest.approx(5e-4)
    assert learning_rate(PAPER, 16000, 0.5) == pytest.approx(2.5e-4)
    assert learning_rate(PAPER, 10**20, 1.0) == 1e-9


def test_the_linear_schedule_ends_at_nothing() -> None:
    linear = replace(PAPER, schedule="linear", warmup_steps=10)
    assert learning_rate(linear, 5, 0.0) == pytest.approx(2.5e-4, rel=1e-3)
    assert learning_rate(linear, 11, 0.25) == pytest.approx(3.75e-4)
    assert learning_rate(linear, 99, 1.0) == 1e-9


def test_there_may_be_no_warm_up() -> None:
    assert learning_rate(replace(PAPER, warmup_steps=0), 4, 0.0) == pytest.approx(2.5e-4)
