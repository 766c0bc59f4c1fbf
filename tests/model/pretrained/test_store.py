"""Vectors on disk: what was put comes back, and what is not complete or not the right thing is not there."""

import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from discoseq.errors import ModelError
from discoseq.model.pretrained.store import PRECISIONS, VectorFile

VECTORS = np.random.default_rng(1).standard_normal((7, 3)).astype(np.float32)


def file_in(folder: Path, precision: str = "float32", text: str = "abc") -> VectorFile:
    return VectorFile(folder / "vectors", (("encoder", "a"), ("text", text)), 7, 3, precision)


def written(folder: Path, precision: str = "float32") -> VectorFile:
    file = file_in(folder, precision)
    with file.writing() as writer:
        writer.put(4, VECTORS[4:])
        writer.put(0, VECTORS[:4])
    return file


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_was_put_comes_back(precision: str, tmp_path: Path) -> None:
    file = written(tmp_path, precision)
    array = file.open()
    assert array is not None
    assert np.array_equal(array, VECTORS.astype(precision))
    assert not array.flags.writeable
    assert file.path.stat().st_size == file.size
    assert np.array_equal(load_file(file.path)["vectors"], array)  # a file that others can read


def test_it_is_mapped_and_not_read(tmp_path: Path) -> None:
    array = written(tmp_path).open()
    assert array is not None
    assert isinstance(array.base, np.memmap)


def test_what_half_precision_can_not_hold_stays_finite(tmp_path: Path) -> None:
    file = file_in(tmp_path, "float16")
    with file.writing() as writer:
        writer.put(0, np.full((7, 3), -1e9, np.float32))
    array = file.open()
    assert array is not None
    assert np.isfinite(array).all()


@pytest.mark.parametrize("size", [0, 5, 100, -1])
def test_a_file_that_is_cut_short_is_not_there(size: int, tmp_path: Path) -> None:
    file = written(tmp_path)
    file.path.write_bytes(file.path.read_bytes()[:size])
    assert file.open() is None


def test_a_file_of_another_text_is_not_taken_even_under_the_same_name(tmp_path: Path) -> None:
    file, other = written(tmp_path), file_in(tmp_path, text="abd")
    assert other.path != file.path
    assert other.open() is None
    file.path.rename(other.path)
    assert other.open() is None


def test_a_crash_half_way_leaves_nothing(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    with pytest.raises(ValueError), file.writing() as writer:
        writer.put(0, np.array(["no number"]))
    assert list(file.folder.iterdir()) == []


def test_the_rest_of_a_killed_process_is_cleared_up_but_not_the_work_of_a_living_one(tmp_path: Path) -> None:
    folder = file_in(tmp_path).folder
    folder.mkdir()
    for name, age in ((".old.1.partial", 10_000), (".new.2.partial", 10)):
        (folder / name).touch()
        times = (folder / name).stat().st_mtime - age
        os.utime(folder / name, (times, times))
    written(tmp_path)
    assert {path.name for path in folder.glob(".*")} == {".new.2.partial"}


def test_two_at_once_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_in(tmp_path)
    with file.writing() as one:
        one.put(0, VECTORS[:3])
        monkeypatch.setattr(os, "getpid", lambda: -1)  # another process does the same, and is done sooner
        written(tmp_path)
        monkeypatch.undo()
        one.put(3, VECTORS[3:])
    array = file.open()
    assert array is not None
    assert np.array_equal(array, VECTORS)
    assert list(file.folder.iterdir()) == [file.path]


def test_too_little_room_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: Room())
    with pytest.raises(ModelError, match=r"the vectors take .* MiB, and 0 are free; set DISCOSEQ_CACHE"):
        written(tmp_path)


class Room:
    free = 0


def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "vectors").touch()
    with pytest.raises(ModelError, match="vectors: can't write the vectors"):
        written(tmp_path)
