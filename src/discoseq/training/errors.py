"""What can be wrong with a training run that its user can mend."""

from discoseq.errors import DiscoseqError


class ConfigError(DiscoseqError):
    """A configuration that can't be: an unknown key, a value of the wrong kind, a file that is not there."""


class CheckpointError(DiscoseqError):
    """A checkpoint that can't be written or read."""
