"""Finding models: a directory, the name of a bundled or cached model, or USER/NAME on the Hugging Face hub."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discoseq.errors import ParserError, first_line, import_extra
from discoseq.model.directory import CONFIG, FILES
from discoseq.storage import cache_folder

BUNDLED = Path(__file__).resolve().parents[1] / "bundled"
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")


def find_model(name: str | Path) -> Path:
    """The directory of a model; USER/NAME is downloaded from the hub."""
    path = Path(name)
    if _is_model(path):
        return path
    is_path = len(path.parts) > 1 or path.is_absolute()
    if not is_path and str(name) in named_models():
        return named_models()[str(name)]
    if path.is_dir():
        raise ParserError(f"{path}: this directory is no model: it has no {CONFIG}")
    if is_hub_name(str(name)):
        return _download(str(name))
    names = ", ".join(named_models()) or "none"
    raise ParserError(f"there is no model {str(name)!r}; name a directory, or one of: {names}")


def named_models() -> dict[str, Path]:
    """All models that have a name, bundled ones first, each with its directory."""
    found: dict[str, Path] = {}
    for folder in (BUNDLED, cache_folder("models")):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if _is_model(path):
                found.setdefault(path.name, path)
    return found


def is_hub_name(name: str) -> bool:
    """Whether it has the form USER/NAME."""
    return _HUB_NAME.fullmatch(name) is not None


def upload(folder: Path, name: str, is_private: bool) -> str:
    """Upload a model directory to USER/NAME on the hub, which is created if needed; the address of the commit."""
    if not is_hub_name(name):
        raise ParserError(f"{name!r} is no name on the hub; use USER/NAME")
    api = _import_hub().HfApi()
    what = f"the model can't be uploaded to the hub as {name}"
    _ask(what, api.create_repo, name, private=is_private, exist_ok=True)
    commit = _ask(what, api.upload_folder, repo_id=name, folder_path=folder, allow_patterns=list(FILES))
    return str(commit.commit_url)


def _download(name: str) -> Path:
    """The directory of a model in the hub's cache on this machine, updated from the hub."""
    what = f"there is no directory {name}, and the model can't be downloaded from the hub"
    found = Path(_ask(what, _import_hub().snapshot_download, name, allow_patterns=list(FILES)))
    if not _is_model(found):
        raise ParserError(f"{name} on the hub is no model: it has no {CONFIG}")
    return found


def _is_model(directory: Path) -> bool:
    return (directory / CONFIG).is_file()


def _import_hub() -> Any:
    hub = import_extra("huggingface_hub", "hub", "a model on the Hugging Face hub")
    utilities = importlib.import_module("huggingface_hub.utils")
    utilities.disable_progress_bars()
    utilities.logging.set_verbosity_error()
    return hub


def _ask(what: str, function: Callable[..., Any], *arguments: object, **options: object) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as error:  # the hub raises errors of many kinds
        if type(error).__name__ == "RepositoryNotFoundError":
            raise ParserError(f"{what}: it is not there, or it is private and you are not logged in") from None
        raise ParserError(f"{what} ({first_line(error)})") from None
