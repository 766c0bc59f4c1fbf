"""Finding models by name."""

import shutil
from pathlib import Path

import pytest

from discoseq.errors import ParserError
from discoseq.parser import model_registry
from discoseq.parser.model_registry import find_model
from discoseq.storage import CACHE_VARIABLE
from parser.trained import trained_directory


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty folders for models, and an empty working directory."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(model_registry, "BUNDLED", tmp_path / "bundled")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path


def put(folder: Path) -> Path:
    shutil.copytree(trained_directory(), folder)
    return folder


def test_a_directory_comes_before_a_bundled_model_and_that_before_the_cache(folders: Path) -> None:
    cached = put(folders / "cache" / "models" / "en")
    assert find_model("en") == cached
    bundled = put(folders / "bundled" / "en")
    assert find_model("en") == bundled
    (folders / "here" / "en").mkdir()  # no model
    assert find_model("en") == bundled
    put(folders / "here" / "xx")
    assert find_model("xx") == Path("xx")
    assert find_model(folders / "cache" / "models" / "en") == cached


def test_a_wrong_name_lists_the_right_ones(folders: Path) -> None:
    with pytest.raises(ParserError, match="no model 'en'; name a directory, or one of: none"):
        find_model("en")
    put(folders / "bundled" / "nl")
    put(folders / "cache" / "models" / "mine")
    with pytest.raises(ParserError, match=r"no model 'en'; name a directory, or one of: nl, mine$"):
        find_model("en")
    with pytest.raises(ParserError, match="no model 'some/where/else'"):
        find_model("some/where/else")
    with pytest.raises(ParserError, match=r"bundled: this directory is no model: it has no config\.json"):
        find_model(folders / "bundled")
