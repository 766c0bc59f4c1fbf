"""Files are found and written on disk and at URLs alike; what is written is there as a whole or not at all."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from discoseq.corpus.remote_files import (
    absolute_url,
    atomic_remote_file,
    delete,
    find_files,
    make_folder,
    open_content,
    read_json_file,
    size_of,
    sizes_in,
    write_json_file,
)
from discoseq.errors import TreebankError

fsspec = pytest.importorskip("fsspec", reason="the extra ray is not installed")


def break_off(path: Path) -> None:
    path.write_text("half")
    raise KeyError


@pytest.fixture(params=["disk", "file://", "memory://"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "memory://":
        yield "memory://corpus"
        fsspec.filesystem("memory").store.clear()
    else:
        yield f"{request.param.replace('disk', '')}{tmp_path}"


def test_a_file_appears_when_it_is_complete(folder: str) -> None:
    make_folder(folder)
    with atomic_remote_file(f"{folder}/x") as path:
        path.write_text("new")
        assert size_of(f"{folder}/x") is None
    assert sizes_in(folder) == {"x": 3}
    with open_content(f"{folder}/x") as stream:
        assert stream.read() == b"new"


def test_an_error_leaves_the_old_file_and_nothing_else(folder: str) -> None:
    make_folder(folder)
    write_json_file(f"{folder}/x", {"old": 1})
    before = sizes_in(folder)
    with pytest.raises(KeyError), atomic_remote_file(f"{folder}/x") as path:
        break_off(path)
    assert sizes_in(folder) == before
    assert read_json_file(f"{folder}/x") == {"old": 1}
    delete([f"{folder}/x", f"{folder}/y"])
    assert sizes_in(folder) == {}
    assert read_json_file(f"{folder}/x") is None


def test_an_error_about_the_input_keeps_its_name_while_the_output_is_written(folder: str) -> None:
    make_folder(folder)
    with (
        pytest.raises(TreebankError, match=r"missing\.txt: no such file"),
        atomic_remote_file(f"{folder}/x"),
        open_content(f"{folder}/missing.txt"),
    ):
        pass


def test_folders_and_globs_are_their_files_with_numbers_as_numbers(folder: str) -> None:
    make_folder(f"{folder}/b")
    for name in ("p10.txt", "p9.txt", "q.json", "b/c.txt", ".hidden.txt"):
        write_json_file(f"{folder}/{name}", {})

    def names(*patterns: str) -> list[str]:
        found = find_files([f"{folder}/{pattern}".rstrip("/") for pattern in patterns])
        return [file.name.rpartition("/")[2] for file in found]

    assert names("") == ["c.txt", "p9.txt", "p10.txt", "q.json"]
    assert names("p*.txt") == ["p9.txt", "p10.txt"]
    assert names("**/*.txt") == ["c.txt", "p9.txt", "p10.txt"]
    assert names(".*.txt") == [".hidden.txt"]
    assert names("q.json", "b", "*.json") == ["q.json", "c.txt"]


def test_names_are_as_the_user_gave_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for name in ("a[1].txt", "b.txt"):
        Path("in", name).write_text("x")
    assert [file.name for file in find_files(["in/a[1].txt", "in/*"])] == ["in/a[1].txt", "in/b.txt"]
    assert [file.name for file in find_files([f"{tmp_path}/in"])] == [f"{tmp_path}/in/a[1].txt", f"{tmp_path}/in/b.txt"]
    assert all(os.path.isabs(file.url) for file in find_files(["in"]))
    assert absolute_url("out/") == f"{tmp_path}/out"
    assert absolute_url("memory://a/b/") == "memory://a/b"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("none.txt", "no such file"),
        ("*.none", "no file matches this pattern"),
        ("empty", "there are no files to parse in this folder"),
    ],
)
def test_what_is_not_there_is_one_sentence(tmp_path: Path, pattern: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TreebankError) as caught:
        find_files([str(tmp_path / pattern)])
    assert str(caught.value) == f"{tmp_path / pattern}: {reason}"


def test_an_unknown_protocol_is_one_sentence() -> None:
    with pytest.raises(TreebankError, match=r"^nowhere://x: Protocol not known: nowhere"):
        find_files(["nowhere://x"])
