"""Finding models: a directory of a model or of a training run, a name, or USER/NAME on the Hugging Face hub.

A name is that of the model in discoseq itself, of a model package, or of a directory in the user's cache folder. A
model package declares an entry point of the group `discoseq.models`: the name of the model, and a Python package whose
folder is the model directory.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import discoseq
from discoseq.errors import ParserError, first_line, import_extra
from discoseq.model.model_files import CONFIG, FILES
from discoseq.storage import cache_folder

BUNDLED = Path(__file__).resolve().parents[1] / "bundled"
ENTRY_POINTS = "discoseq.models"
PACKAGED = ("de", "nl")  # models that have a package in models/; a package may be missing
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model that can be loaded by its name; version and licence are those of its package, if it has one."""

    name: str
    directory: Path
    package: str | None = None
    version: str | None = None
    licence: str | None = None


def find_model(name: str | Path) -> Path:
    """The directory of a model; USER/NAME is downloaded from the hub."""
    path = Path(name)
    if _is_model(path):
        return path
    is_path = len(path.parts) > 1 or path.is_absolute()
    found = None if is_path else next((model for model in _each_named() if model.name == str(name)), None)
    if found is not None:
        return found.directory
    if _is_model(path / "model"):  # the folder of a training run
        return path / "model"
    if (path / "checkpoints").is_dir():
        raise ParserError(
            f"{path}: this training run is not finished, so it has no model yet; go on with it by "
            f"discoseq train --resume --out {path}"
        )
    if path.is_dir():
        raise ParserError(f"{path}: this directory is no model: it has no {CONFIG}")
    if is_hub_name(str(name)):
        return _download(str(name))
    if str(name) in PACKAGED:
        raise ParserError(
            f"the model {name} is in the package discoseq-{name}, which is not installed; "
            f"in a checkout of discoseq, install it with `pip install ./models/{name}`"
        )
    names = ", ".join(model.name for model in named_models()) or "none"
    raise ParserError(f"there is no model {str(name)!r}; name a directory, or one of: {names}")


def named_models() -> list[NamedModel]:
    """All models that have a name; of two with the same name the one that `find_model` takes."""
    found: dict[str, NamedModel] = {}
    for model in _each_named():
        found.setdefault(model.name, model)
    return list(found.values())


def _each_named() -> Iterator[NamedModel]:
    """The model of discoseq itself, those of model packages, and those of the cache folder."""
    for path in _model_folders(BUNDLED):
        yield NamedModel(path.name, path, "discoseq", discoseq.__version__, "Apache-2.0")
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        spec = find_spec(point.value)  # found, and not imported
        package = point.dist
        for folder in map(Path, (spec.submodule_search_locations or []) if spec else []):
            if _is_model(folder) and package is not None:
                licence = package.metadata.json.get("license_expression")
                yield NamedModel(point.name, folder, package.name, package.version, str(licence) if licence else None)
    for path in _model_folders(cache_folder("models")):
        yield NamedModel(path.name, path)


def _model_folders(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if _is_model(path)] if folder.is_dir() else []


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
