"""What can be wrong with a search."""

from discoseq.errors import DiscoseqError


class SearchError(DiscoseqError):
    """A search that can't be done as asked."""
