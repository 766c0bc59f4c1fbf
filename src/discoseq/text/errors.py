"""What can be wrong with a text."""

from discoseq.errors import DiscoseqError


class TextError(DiscoseqError):
    """A text that can't be cut into sentences and words."""
