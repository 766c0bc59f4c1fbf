"""The files of a corpus and of its trees: on disk, or wherever fsspec finds a URL."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

from discoseq.errors import DiscoseqError, TreebankError, first_line
from discoseq.storage import atomic_file
from discoseq.treebanks.files import natural_key
from discoseq.treebanks.streams import GZIP_MAGIC, Buffered, errors_named

FileSystem: TypeAlias = Any  # of fsspec, which has no types

_MAGIC = "*?["  # in a pattern of file names
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to be read: its name as people write it, and where every worker finds it."""

    name: str
    url: str


def find_files(patterns: Sequence[str]) -> list[CorpusFile]:
    """The files of all paths, globs, folders and URLs, in the order given; numbers in names are sorted as numbers.

    A file that is found twice is read once, and hidden files of a folder are not read.
    """
    files: dict[str, CorpusFile] = {}
    for pattern in patterns:
        with _remote_errors(pattern):
            system, path = _resolve(pattern)
            for found in _matches(system, path, pattern):
                url = _url(system, found, pattern if found == path else None)
                key = system.unstrip_protocol(found)  # a URL may be spelled in several ways
                files.setdefault(key, CorpusFile(_name(system, found, url, pattern), url))
    return list(files.values())


@contextmanager
def open_content(url: str) -> Iterator[Buffered]:
    """The bytes of a file, decompressed if it is gzipped; going back to an earlier place is slow then."""
    with storage_errors(url):
        system, path = _resolve(url)
        with system.open(path, "rb", block_size=_BUFFER) as raw, io.BufferedReader(raw, _BUFFER) as stream:
            if stream.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
                with gzip.GzipFile(fileobj=stream) as content:
                    yield io.BufferedReader(cast(io.RawIOBase, content), _BUFFER)
            else:
                yield stream


@contextmanager
def atomic_remote_file(url: str) -> Iterator[Path]:
    """A path on this machine's disk; its content is the file at the URL when the block ends without an error.

    Elsewhere than on disk, the file is uploaded under another name and then renamed.
    """
    with storage_errors(url):
        system, path = _resolve(url)
        if _is_local(system):
            with atomic_file(Path(path)) as partial:
                yield partial
            return
        with TemporaryDirectory(prefix="discoseq-") as folder:
            local = Path(folder) / path.rpartition("/")[2]
            with atomic_file(local) as partial:  # for its name alone, which no other process has
                uploaded = f"{path.rpartition('/')[0]}/{partial.name}"
                yield partial
                with _remote_errors(url):
                    _upload(system, partial, uploaded, path)


def make_folder(url: str) -> None:
    """Make a folder where file systems have folders."""
    with _remote_errors(url):
        system, path = _resolve(url)
        system.makedirs(path, exist_ok=True)


def sizes_in(url: str) -> dict[str, int]:
    """The names of the files right in a folder, hidden ones included, with their sizes; none if there is no folder."""
    with _remote_errors(url):
        system, path = _resolve(url)
        system.invalidate_cache()
        try:
            entries = system.ls(path, detail=True)
        except FileNotFoundError:
            return {}
        return {entry["name"].rpartition("/")[2]: entry["size"] for entry in entries if entry["type"] == "file"}


def size_of(url: str) -> int | None:
    """The size of a file, or None if there is none."""
    with _remote_errors(url):
        system, path = _resolve(url)
        try:
            return int(system.info(path)["size"])
        except FileNotFoundError:
            return None


def delete(urls: Sequence[str]) -> None:
    """Delete files; one that another process has deleted is no error."""
    for url in urls:
        with _remote_errors(url):
            system, path = _resolve(url)
            if system.exists(path):
                system.rm_file(path)


def read_json_file(url: str) -> dict[str, Any] | None:
    """The object in a JSON file, or None if there is no such file."""
    with _remote_errors(url):
        system, path = _resolve(url)
        system.invalidate_cache()
        if not system.exists(path):
            return None
        try:
            content = json.loads(system.cat_file(path))
        except ValueError as error:
            raise TreebankError(f"this file can't be read ({error}); delete it") from None
        if not isinstance(content, dict):
            raise TreebankError("this file can't be read (it is no object); delete it")
        return content


def write_json_file(url: str, content: Mapping[str, Any]) -> None:
    """Write an object as JSON, as a whole or not at all."""
    with atomic_remote_file(url) as path:
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def absolute_url(location: str) -> str:
    """A path from the root, or a URL as it is, without a slash at its end: workers have folders of their own."""
    with _remote_errors(location):
        system, path = _resolve(location)
        return _url(system, path, location).rstrip("/")


def is_inside(url: str, folder: str) -> bool:
    """Whether a file or folder is below a folder, or the folder itself; both are absolute."""
    return url == folder or url.startswith(f"{folder.rstrip('/')}/")


@contextmanager
def storage_errors(name: str) -> Iterator[None]:
    """One sentence with the name of the file for what a file system says; errors about other files stay as they are."""
    of_another: TreebankError | None = None
    with errors_named(name):
        try:
            yield
        except TreebankError as error:
            if not error.path:
                raise
            of_another = error
    if of_another is not None:
        raise of_another


@contextmanager
def _remote_errors(name: str) -> Iterator[None]:
    """The same around calls of fsspec alone: clients of object stores have errors of many kinds."""
    with storage_errors(name):
        try:
            yield
        except (DiscoseqError, OSError):
            raise
        except Exception as error:
            raise TreebankError(first_line(error)) from None


def _upload(system: FileSystem, local: Path, uploaded: str, path: str) -> None:
    """Nothing is left under the other name, whatever happens."""
    try:
        system.put_file(str(local), uploaded)
        system.mv(uploaded, path)
    finally:
        if system.exists(uploaded):
            system.rm_file(uploaded)


def _resolve(url: str) -> tuple[FileSystem, str]:
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:  # a protocol that needs another package, or none at all
        raise TreebankError(first_line(error)) from None
    return system, path


def _is_local(system: FileSystem) -> bool:
    return "file" in (system.protocol if isinstance(system.protocol, tuple) else (system.protocol,))


def _matches(system: FileSystem, path: str, pattern: str) -> list[str]:
    if system.isfile(path):  # even if its name looks like a pattern
        return [path]
    if any(character in path for character in _MAGIC):
        fixed = len(path[: min(path.index(x) for x in _MAGIC if x in path)].rpartition("/")[0])
        is_wanted = _is_hidden(path[fixed:])  # of hidden files those that are named as such
        found = [x for x in system.glob(path) if system.isfile(x) and (is_wanted or not _is_hidden(x[fixed:]))]
        reason = "no file matches this pattern"
    elif system.isdir(path):
        found = [name for name in system.find(path) if not _is_hidden(name[len(path) :])]
        reason = "there are no files to parse in this folder"
    else:
        raise TreebankError("no such file")
    if not found:
        raise TreebankError(reason)
    return sorted(found, key=lambda name: [natural_key(part) for part in name.split("/")])


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _url(system: FileSystem, path: str, given: str | None) -> str:
    if _is_local(system):
        return path
    return given if given is not None else str(system.unstrip_protocol(path))


def _name(system: FileSystem, path: str, url: str, pattern: str) -> str:
    """Relative where the user's path is relative."""
    is_relative = _is_local(system) and "://" not in pattern and not os.path.isabs(pattern)
    return os.path.relpath(path) if is_relative else url
