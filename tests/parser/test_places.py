"""Finding models by name."""

import shutil
from pathlib import Path

import pytest

from discoseq.parser import ParserError, places
from discoseq.parser.places import find_model
from parser.trained import trained_directory


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty places for models, and an empty working directory."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(places, "BUNDLED", tmp_path / "bundled")
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "cache"))
    return tmp_path


def put(folder: Path) -> Path:
    shutil.copytree(trained_directory(), folder)
    return folder


def test_a_directory_comes_before_a_bundled_model_and_that_before_the_cache(folders: Path) -> None:
    cached = put(folders / "cache" / "en")
    assert find_model("en") == cached
    bundled = put(folders / "bundled" / "en")
    assert find_model("en") == bundled
    (folders / "here" / "en").mkdir()  # no model
    assert find_model("en") == bundled
    put(folders / "here" / "xx")
    assert find_model("xx") == Path("xx")
    assert find_model(folders / "cache" / "en") == cached


def test_a_wrong_name_lists_the_right_ones(folders: Path) -> None:
    with pytest.raises(ParserError, match=r"no model 'en': .* no model came with discoseq or is in .*cache; name a"):
        find_model("en")
    put(folders / "bundled" / "nl")
    put(folders / "cache" / "mine")
    with pytest.raises(ParserError, match=r"no model 'en': .* are nl, mine \(in .*cache\)$"):
        find_model("en")
    with pytest.raises(ParserError, match="no model 'some/where/else'"):
        find_model("some/where/else")
    with pytest.raises(ParserError, match=r"bundled: there is no config\.json"):
        find_model(folders / "bundled")


def test_without_the_variable_the_cache_is_in_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(places.VARIABLE, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert places.cache_folder() == tmp_path / ".cache" / "discoseq"
