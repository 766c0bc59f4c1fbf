"""What can be wrong with a model."""

from discoseq.errors import DiscoseqError


class ModelError(DiscoseqError):
    """A model that can't be built, saved, loaded or used."""
