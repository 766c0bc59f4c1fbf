"""The losses equal a slow computation from their definition."""

import math

import pytest
import torch
from torch import Tensor

from discoseq.training.loss import action_loss, head_loss


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
@pytest.mark.parametrize("is_masked", [True, False])
def test_the_loss_of_actions_is_a_smoothed_cross_entropy_over_those_allowed(is_masked: bool, smoothing: float) -> None:
    scores, targets, is_allowed = a_case()
    expected = 0.0
    for row, step in torch.nonzero(targets).tolist():
        allowed = is_allowed[row, step].nonzero()[:, 0].tolist() if is_masked else list(range(7))
        expected += cross_entropy_by_hand(scores[row, step].tolist(), int(targets[row, step]), allowed, smoothing)
    found = action_loss(scores, targets, is_allowed if is_masked else None, smoothing)
    assert float(found) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("is_masked", [True, False])
def test_scores_of_forbidden_actions_and_of_padding_have_no_gradient(is_masked: bool) -> None:
    scores, targets, is_allowed = a_case()
    scores.requires_grad_()
    torch.autograd.backward(action_loss(scores, targets, is_allowed if is_masked else None, 0.1))
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert not scores.grad[targets == 0].any()
    if is_masked:
        assert not scores.grad[~is_allowed].any()
    else:
        assert scores.grad[targets != 0].all()


def test_the_loss_of_tags_leaves_out_words_without_one() -> None:
    torch.manual_seed(1)
    scores, tags = torch.randn(2, 4, 5), torch.tensor([[2, 3, 4, 0], [1, 0, 0, 0]])
    expected = -sum(
        float(scores[row, word].log_softmax(0)[tags[row, word]]) for row, word in torch.nonzero(tags).tolist()
    )
    assert float(head_loss(scores, tags)) == pytest.approx(expected, rel=1e-5)
