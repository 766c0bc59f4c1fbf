"""Models on the Hugging Face hub: a repository there holds the files of a model directory, and nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discoseq.errors import MissingExtraError, ParserError, first_line
from discoseq.model.directory import FILES

_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")


def is_hub_name(name: str) -> bool:
    """Whether it has the form USER/NAME."""
    return _NAME.fullmatch(name) is not None


def download(name: str) -> Path:
    """The directory of a model in the hub's cache on this machine; what is new on the hub is fetched first."""
    what = f"there is no directory {name}, and no such model can be had from the hub"
    return Path(_ask(what, _import_hub().snapshot_download, name, allow_patterns=list(FILES)))


def upload(folder: Path, name: str, is_private: bool) -> str:
    """Put a model directory into a repository, which is made if there is none; the address of the commit."""
    if not is_hub_name(name):
        raise ParserError(f"{name!r} is no name on the hub; write USER/NAME")
    api = _import_hub().HfApi()
    what = f"the model can't be put on the hub as {name}"
    _ask(what, api.create_repo, name, private=is_private, exist_ok=True)
    commit = _ask(what, api.upload_folder, repo_id=name, folder_path=folder, allow_patterns=list(FILES))
    return str(commit.commit_url)


def _import_hub() -> Any:
    try:
        import huggingface_hub
        from huggingface_hub.utils import disable_progress_bars, logging
    except ImportError:
        raise MissingExtraError("models on the hub need huggingface_hub: pip install 'discoseq[hub]'") from None
    disable_progress_bars()
    logging.set_verbosity_error()
    return huggingface_hub


def _ask(what: str, ask: Callable[..., Any], *arguments: object, **options: object) -> Any:
    try:
        return ask(*arguments, **options)
    except Exception as error:  # the hub has many ways to be out of reach
        if type(error).__name__ == "RepositoryNotFoundError":
            raise ParserError(f"{what}: it is not there, or private and you are not logged in") from None
        raise ParserError(f"{what} ({first_line(error)})") from None
