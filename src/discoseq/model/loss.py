"""What the network is trained to make small."""

from torch import Tensor
from torch.nn.functional import cross_entropy

from discoseq.batching.vocabularies import PAD
from discoseq.linearization.action_vocabulary import PAD_INDEX


def action_loss(
    scores: Tensor,
    targets: Tensor,
    is_allowed: Tensor | None,
    smoothing: float,
    taught: Tensor | None = None,
    teacher_weight: float = 0.0,
) -> Tensor:
    """Cross-entropy summed over all actions, with a little of the target spread over all those allowed.

    Scores (batch, steps, actions), targets (batch, steps), `is_allowed` like the scores or None for everything;
    `taught` like the scores: probabilities that are targets, too.
    """
    scores = scores.float()
    if is_allowed is not None:
        scores = scores.masked_fill(~is_allowed, -float("inf"))
    log_probabilities = scores.log_softmax(dim=-1)
    gold = log_probabilities.gather(-1, targets[..., None])[..., 0]
    if is_allowed is None:
        even = log_probabilities.mean(dim=-1)
    else:
        even = log_probabilities.masked_fill(~is_allowed, 0.0).sum(dim=-1) / is_allowed.sum(dim=-1)
    losses = -(1 - smoothing) * gold - smoothing * even
    if taught is not None:
        # what is not allowed has the probability 0 and a logarithm of minus infinity: it counts for nothing
        softly = -(taught * log_probabilities.masked_fill(taught == 0, 0.0)).sum(dim=-1)
        losses = (1 - teacher_weight) * losses + teacher_weight * softly
    return losses.masked_fill(targets == PAD_INDEX, 0.0).sum()


def tag_loss(scores: Tensor, tags: Tensor) -> Tensor:
    """Cross-entropy summed over all words that have a tag: scores (batch, words, tags), tags (batch, words)."""
    return cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=PAD, reduction="sum")
