"""Atomic writes and checksums of files and folders, records of what work was begun with, the cache folder."""

import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

CACHE_VARIABLE = "DISCOSEQ_CACHE"
_UNFINISHED = ".discoseq-"

Record: TypeAlias = Mapping[str, object]  # what work was begun with, by name: options, checksums of what is read


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path beside the target; the file gets the target's name when the block ends without an error."""
    partial = _beside(path, "partial")
    try:
        yield partial
        _sync(partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder beside the target, which it replaces when the block ends without an error."""
    partial, old = _beside(folder, "partial"), _beside(folder, "old")
    try:
        partial.mkdir(parents=True)
        yield partial
        for path in partial.iterdir():
            _sync(path)
        _replace_folder(partial, folder, old)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def atomic_files(folder: Path, last: str) -> Iterator[Path]:
    """A temporary folder whose files move into the target folder when the block ends without an error.

    The file `last` is deleted first and moved last, so it exists only together with the other files of its run.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder))
    try:
        yield partial
        (folder / last).unlink(missing_ok=True)
        for path in sorted(partial.iterdir(), key=lambda path: (path.name == last, path.name)):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def was_interrupted(folder: Path, last: str) -> bool:
    """Whether a process was killed while `atomic_files` moved files into the folder."""
    return not (folder / last).exists() and any(folder.glob(f"{_UNFINISHED}*"))


def cache_folder(kind: str) -> Path:
    """Where `models` or `vectors` of the user are: below $DISCOSEQ_CACHE, by default ~/.cache/discoseq."""
    return Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache" / "discoseq") / kind


def checksum(path: Path) -> str:
    """The sha256 of a file, or of the names and contents of all files in a folder."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if not file.is_file():
            continue
        if path.is_dir():
            digest.update(file.relative_to(path).as_posix().encode())
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()


def differences(before: Record, now: Record) -> str:
    """What differs between a record that was read from a file and that of this command; empty if nothing does."""
    names = [name for name in {**before, **now} if before.get(name) != json.loads(json.dumps(now.get(name)))]
    return ", ".join(_described(name, before.get(name)) for name in names)


def _beside(path: Path, kind: str) -> Path:
    """A name with the number of this process, and one that processes of other machines do not have either."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.{kind}")


def _sync(path: Path) -> None:
    """Flush a file to disk before it gets its name: a crash must not leave a name without contents."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _replace_folder(new: Path, folder: Path, old: Path) -> None:
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise


def _described(name: str, value: object) -> str:
    """A name, and its value in the other command unless that is a list of checksums."""
    if isinstance(value, list):
        return name
    return f"{name} (not given there)" if value is None or value is False else f"{name} (there {value})"
