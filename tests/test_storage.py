"""What is written is there as a whole or not at all."""

from pathlib import Path

import pytest

from discoseq.storage import atomic_file, atomic_files, atomic_folder, cache_folder


def break_off(path: Path) -> None:
    path.write_text("half")
    raise KeyError


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with atomic_file(target) as partial:
        partial.write_text("new")
        assert not target.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_text() == "new"


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(KeyError), atomic_file(target) as partial:
        break_off(partial)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_a_folder_replaces_the_one_before_it(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    for name in ("one", "two"):
        with atomic_folder(target) as partial:
            (partial / name).write_text(name)
    assert [path.name for path in target.iterdir()] == ["two"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_error_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    with atomic_folder(target) as partial:
        (partial / "one").write_text("one")
    with pytest.raises(KeyError), atomic_folder(target) as partial:
        break_off(partial / "two")
    assert [path.name for path in target.iterdir()] == ["one"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_one_variable_moves_the_whole_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path))
    assert cache_folder("models") == tmp_path / "models"
    monkeypatch.delenv("DISCOSEQ_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("vectors") == tmp_path / ".cache" / "discoseq" / "vectors"


def test_files_join_those_of_a_folder_when_all_are_complete(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("other")
    for text in ("first", "second"):
        with atomic_files(tmp_path, last="z") as partial:
            for name in ("z", "a"):
                (partial / name).write_text(text)
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == {"other": "other", "a": "second", "z": "second"}


def test_an_error_leaves_the_old_files_and_no_new_folder(tmp_path: Path) -> None:
    (tmp_path / "z").write_text("old")
    with pytest.raises(KeyError), atomic_files(tmp_path, last="z") as partial:
        break_off(partial / "z")
    with pytest.raises(KeyError), atomic_files(tmp_path / "new", last="z") as partial:
        break_off(partial / "z")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("z", "old")]
