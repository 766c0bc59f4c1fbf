"""Where models are: a directory, a name among those that come with discoseq or lie in the cache folder, or the hub."""

from __future__ import annotations

import os
from pathlib import Path

from discoseq.errors import ParserError
from discoseq.parser.hub import download, is_hub_name

BUNDLED = Path(__file__).resolve().parents[1] / "bundled"
VARIABLE = "DISCOSEQ_MODELS"
_MARK = "config.json"


def cache_folder() -> Path:
    """Where the user's own models are looked for by name."""
    return Path(os.environ.get(VARIABLE) or Path.home() / ".cache" / "discoseq")


def find_model(name: str | Path) -> Path:
    """The directory of a model; USER/NAME is fetched from the hub, and an unknown name gets a list of the others."""
    path = Path(name)
    if _is_model(path):
        return path
    is_path = len(path.parts) > 1 or path.is_absolute()
    if not is_path:
        for folder in (BUNDLED, cache_folder()):
            if _is_model(folder / path):
                return folder / path
    if path.is_dir():
        raise ParserError(f"{path}: there is no {_MARK} in this directory, so it is no model")
    if is_hub_name(str(name)):
        found = download(str(name))
        if not _is_model(found):
            raise ParserError(f"{name} is on the hub, but there is no {_MARK} in it, so it is no model")
        return found
    raise ParserError(f"there is no model {str(name)!r}: {_what_there_is()}")


def named_models() -> dict[str, Path]:
    """All models that have a name, those that came with discoseq first, each with its directory."""
    found: dict[str, Path] = {}
    for folder in (BUNDLED, cache_folder()):
        for name in _names(folder):
            found.setdefault(name, folder / name)
    return found


def _is_model(directory: Path) -> bool:
    return (directory / _MARK).is_file()


def _what_there_is() -> str:
    bundled, cached = _names(BUNDLED), _names(cache_folder())
    if not bundled and not cached:
        return f"it is no directory, and no model came with discoseq or is in {cache_folder()}; name a directory"
    found = [*bundled, *(f"{name} (in {cache_folder()})" for name in cached)]
    return f"it is no directory, and the models with a name are {', '.join(found)}"


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if _is_model(path)) if folder.is_dir() else []
