"""The files of a model directory, and what can be read of it without PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from discoseq.errors import ModelError
from discoseq.storage import checksum

CONFIG, VOCABULARIES, WEIGHTS, CARD = ("config.json", "vocabularies.json", "model.safetensors", "README.md")
TOKENIZER = "tokenizer.json"  # of the language model, if there is one
FILES = (CONFIG, VOCABULARIES, WEIGHTS, CARD, TOKENIZER)


def read_config(directory: str | Path) -> dict[str, Any]:
    """The contents of config.json."""
    return read_json(Path(directory) / CONFIG)


def read_extra(directory: str | Path) -> dict[str, Any]:
    """What `save_model` was given beside the model, such as data and seed."""
    extra = read_config(directory).get("extra", {})
    return extra if isinstance(extra, dict) else {}


def model_fingerprint(directory: Path) -> str:
    """The checksums of the files of a model; other files in its directory do not count."""
    return " ".join(checksum(directory / file) for file in FILES if (directory / file).is_file())


def check_replaceable(directory: Path) -> None:
    """Only a model directory may be replaced: a mistyped path must not cost anyone their files."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise ModelError(f"{directory}: this is a file; a model is a directory")
    others = sorted(path.name for path in directory.iterdir() if path.name not in FILES)
    if others:
        raise ModelError(
            f"{directory}: the directory holds {others[0]}, which is not part of a model; name another one"
        )


def read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path}: the model is incomplete: there is no such file") from None
    except json.JSONDecodeError as error:
        raise ModelError(f"{path}:{error.lineno}: the file is damaged or truncated ({error.msg})") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: can't be read ({error})") from None
    if not isinstance(value, dict):
        raise ModelError(f"{path}: expected a table, found {type(value).__name__}")
    return value
