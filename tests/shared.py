"""The folder of oracles and open treebanks beside the checkout; tests that use it skip, and say so, where it is not."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(*parts: str) -> Path:
    """A path below the shared folder."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not beside the checkout")
    return path
