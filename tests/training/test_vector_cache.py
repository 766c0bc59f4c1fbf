"""Vectors on disk: they are read as they were written, and incomplete or foreign files are ignored."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from discoseq.errors import ModelError
from discoseq.model.settings import ModelSettings
from discoseq.training.vector_cache import VectorFile, is_loaded, load_frozen_encoder
from model.pretrained.tiny import write_bert

VECTORS = np.random.default_rng(1).standard_normal((7, 3)).astype(np.float32)


def file_in(folder: Path, text: str = "abc") -> VectorFile:
    return VectorFile(folder / "vectors", (("encoder", "a"), ("text", text)), 7, 3)


def written(folder: Path) -> VectorFile:
    file = file_in(folder)
    with file.writing() as writer:
        writer.put(4, VECTORS[4:])
        writer.put(0, VECTORS[:4])
    return file


def test_vectors_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = written(tmp_path)
    array = file.open()
    assert array is not None
    assert np.array_equal(array, VECTORS.astype(np.float16))
    assert not array.flags.writeable
    assert file.path.stat().st_size == file.size
    assert np.array_equal(load_file(file.path)["vectors"], array)  # any reader of safetensors can open it


def test_the_file_is_memory_mapped(tmp_path: Path) -> None:
    array = written(tmp_path).open()
    assert array is not None
    assert isinstance(array.base, np.memmap)


def test_values_out_of_the_range_of_half_precision_stay_finite(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    with file.writing() as writer:
        writer.put(0, np.full((7, 3), -1e9, np.float32))
    array = file.open()
    assert array is not None
    assert np.isfinite(array).all()


@pytest.mark.parametrize("size", [0, 5, 100, -1])
def test_a_truncated_file_is_ignored(size: int, tmp_path: Path) -> None:
    file = written(tmp_path)
    file.path.write_bytes(file.path.read_bytes()[:size])
    assert file.open() is None


def test_a_file_of_another_text_is_ignored_even_under_the_same_name(tmp_path: Path) -> None:
    file, other = written(tmp_path), file_in(tmp_path, text="abd")
    assert other.path != file.path
    assert other.open() is None
    file.path.rename(other.path)
    assert other.open() is None


def test_a_crash_leaves_no_files(tmp_path: Path) -> None:
    file = file_in(tmp_path)
    with pytest.raises(TypeError), file.writing() as writer:
        writer.put(0, np.array(["no number"]))
    assert list(file.folder.iterdir()) == []


def test_only_old_temporary_files_are_removed(tmp_path: Path) -> None:
    folder = file_in(tmp_path).folder
    folder.mkdir()
    for name, age in ((".old.1.partial", 10_000), (".new.2.partial", 10)):
        (folder / name).touch()
        times = (folder / name).stat().st_mtime - age
        os.utime(folder / name, (times, times))
    written(tmp_path)
    assert {path.name for path in folder.glob(".*")} == {".new.2.partial"}


def test_two_processes_can_write_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_in(tmp_path)
    with file.writing() as one:
        one.put(0, VECTORS[:3])
        monkeypatch.setattr(os, "getpid", lambda: -1)  # another process writes the same file and finishes first
        written(tmp_path)
        monkeypatch.undo()
        one.put(3, VECTORS[3:])
    array = file.open()
    assert array is not None
    assert np.array_equal(array, VECTORS.astype(np.float16))
    assert list(file.folder.iterdir()) == [file.path]


def test_a_full_disk_is_reported_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: FullDisk())
    with pytest.raises(ModelError, match=r"the vectors need .* MiB, but only 0 MiB are free; set DISCOSEQ_CACHE"):
        written(tmp_path)


class FullDisk:
    free = 0


def test_the_error_names_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "vectors").touch()
    with pytest.raises(ModelError, match="vectors: can't write the vectors"):
        written(tmp_path)


def test_a_frozen_language_model_is_loaded_once_as_long_as_it_is_held(tmp_path: Path) -> None:
    settings = ModelSettings(pretrained=str(write_bert(tmp_path / "bert")), pretrained_layers="last")
    assert not is_loaded(settings)
    held = load_frozen_encoder(settings)
    assert load_frozen_encoder(settings) is held
    del held
    gc.collect()
    assert not is_loaded(settings)  # its memory is free again
