"""What can go wrong between two sets of trees that are each well-formed."""

from discoseq.errors import DiscoseqError


class EvaluationError(DiscoseqError):
    """Gold and predicted trees can't be compared; the message names the sentence and the reason."""
