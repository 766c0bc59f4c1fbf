"""The losses equal a slow computation from their definition, and the learning rate rises and falls."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from discoseq.batching.examples import Batch
from discoseq.model.network import NetworkScores
from discoseq.training.config import TrainingSettings
from discoseq.training.update import action_loss, head_loss, learning_rate, total_loss

PAPER = TrainingSettings()


def cross_entropy_by_hand(scores: list[float], target: int, allowed: list[int], smoothing: float) -> float:
    """Between the softmax of the allowed scores and a target of which a part is spread evenly over the allowed."""
    total = sum(math.exp(scores[action]) for action in allowed)
    logs = {action: scores[action] - math.log(total) for action in allowed}
    wanted = {action: smoothing / len(allowed) + (1 - smoothing) * (action == target) for action in allowed}
    return -sum(wanted[action] * logs[action] for action in allowed)


def a_case() -> tuple[Tensor, Tensor, Tensor]:
    """Scores of 2 sequences of 5 steps over 7 actions; the second has 3 steps, then padding."""
    torch.manual_seed(1)
    targets = torch.randint(1, 7, (2, 5))
    targets[1, 3:] = 0
    is_allowed = (torch.rand(2, 5, 7) < 0.5).scatter(-1, targets[..., None], True)
    return 3 * torch.randn(2, 5, 7), targets, is_allowed


@pytest.mark.parametrize("smoothing", [0.0, 0.01, 0.3])
def test_the_loss_of_actions_is_a_smoothed_cross_entropy_over_those_allowed(smoothing: float) -> None:
    scores, targets, is_allowed = a_case()
    expected = 0.0
    for row, step in torch.nonzero(targets).tolist():
        allowed = is_allowed[row, step].nonzero()[:, 0].tolist()
        expected += cross_entropy_by_hand(scores[row, step].tolist(), int(targets[row, step]), allowed, smoothing)
    found = action_loss(scores, targets, is_allowed, smoothing)
    assert float(found) == pytest.approx(expected, rel=1e-5)


def test_smoothing_over_the_vocabulary_loses_what_falls_on_forbidden_actions() -> None:
    scores, targets, is_allowed = a_case()
    expected = 0.0
    for row, step in torch.nonzero(targets).tolist():
        allowed = is_allowed[row, step].nonzero()[:, 0].tolist()
        logs = scores[row, step, allowed].log_softmax(0).tolist()
        wanted = [0.3 / 7 + (1 - 0.3) * (action == int(targets[row, step])) for action in allowed]
        expected -= sum(share * log for share, log in zip(wanted, logs, strict=True))
    found = action_loss(scores, targets, is_allowed, 0.3, is_smoothed_over_all=True)
    assert float(found) == pytest.approx(expected, rel=1e-5)
    assert float(found) != pytest.approx(float(action_loss(scores, targets, is_allowed, 0.3)), rel=1e-3)


def test_a_loss_that_is_not_masked_is_the_cross_entropy_over_the_whole_vocabulary() -> None:
    scores, targets, is_allowed = a_case()
    batch = cast(Batch, SimpleNamespace(targets=targets, is_allowed=is_allowed, weights=None))
    settings = replace(PAPER, masked_loss=False, label_smoothing=0.0)
    total, of_actions = total_loss(NetworkScores(scores, None, None), batch, settings)
    expected = cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum")
    assert float(total) == float(of_actions) == pytest.approx(float(expected), rel=1e-5)


def test_scores_of_forbidden_actions_and_of_padding_have_no_gradient() -> None:
    scores, targets, is_allowed = a_case()
    scores.requires_grad_()
    torch.autograd.backward(action_loss(scores, targets, is_allowed, 0.1))
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert not scores.grad[targets == 0].any()
    assert not scores.grad[~is_allowed].any()


def test_the_loss_of_tags_leaves_out_words_without_one() -> None:
    torch.manual_seed(1)
    scores, tags = torch.randn(2, 4, 5), torch.tensor([[2, 3, 4, 0], [1, 0, 0, 0]])
    expected = -sum(
        float(scores[row, word].log_softmax(0)[tags[row, word]]) for row, word in torch.nonzero(tags).tolist()
    )
    assert float(head_loss(scores, tags)) == pytest.approx(expected, rel=1e-5)


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
