"""The learning rate at every step."""

from discoseq.training.settings import TrainingSettings


def learning_rate(settings: TrainingSettings, step: int, progress: float) -> float:
    """Of the given step, counted from 1, when so much (0 to 1) of the training is done.

    It rises linearly over the warm-up; then it falls with the inverse square root of the step (Vaswani et al., 2017),
    or linearly to nothing.
    """
    s = settings
    if step <= s.warmup_steps:
        return s.first_learning_rate + (s.learning_rate - s.first_learning_rate) * step / s.warmup_steps
    if s.schedule == "inverse-sqrt":
        return max(s.last_learning_rate, s.learning_rate * (max(1, s.warmup_steps) / step) ** 0.5)
    return max(s.last_learning_rate, s.learning_rate * (1 - progress))
