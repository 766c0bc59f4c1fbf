"""The folder of a run, and what stands in the way of using it."""

from pathlib import Path

from discoseq.errors import ConfigError


def check_unused(folder: Path) -> None:
    """A run is gone on with, or left alone."""
    if (folder / "checkpoints").exists():
        raise ConfigError(f"{folder} holds a run: go on with it by discoseq train --resume, or choose another folder")


def make_folder(folder: Path) -> None:
    """With those above it; it may be there already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: can't make this folder ({error.strerror})") from None
