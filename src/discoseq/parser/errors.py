"""What can be wrong with a request to the parser."""

from discoseq.errors import DiscoseqError


class ParserError(DiscoseqError):
    """A model that is not there, models that do not go together, or a sentence that is none."""
