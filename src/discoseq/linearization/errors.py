"""What can be wrong with a sequence, a linearization's name or a tree given to the wrong linearization."""

from discoseq.errors import DiscoseqError


class LinearizationError(DiscoseqError):
    """A tree that can't be linearized, a sequence that is no tree, or a name that nobody knows."""


class ActionError(LinearizationError):
    """An action that can't be applied where it stands; `position` counts from 1, past the end for what is missing."""

    def __init__(self, position: int, token: str, reason: str) -> None:
        self.position = position
        self.token = token
        self.reason = reason
        super().__init__(f"action {position} ({token}): {reason}")

    def __reduce__(self) -> tuple[type["ActionError"], tuple[int, str, str]]:
        return ActionError, (self.position, self.token, self.reason)
