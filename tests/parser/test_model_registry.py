"""Finding models by name."""

import os
import shutil
import subprocess
import sys
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


def test_a_wrong_name_lists_the_right_ones(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_registry, "ENTRY_POINTS", "none")
    with pytest.raises(ParserError, match="no model 'en'; name a directory, or one of: none"):
        find_model("en")
    put(folders / "bundled" / "xx")
    put(folders / "cache" / "models" / "mine")
    with pytest.raises(ParserError, match=r"no model 'en'; name a directory, or one of: xx, mine$"):
        find_model("en")
    with pytest.raises(ParserError, match="no model 'some/where/else'"):
        find_model("some/where/else")
    with pytest.raises(ParserError, match=r"bundled: this directory is no model: it has no config\.json"):
        find_model(folders / "bundled")


def test_a_model_whose_package_is_missing_says_what_to_install(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_registry, "ENTRY_POINTS", "none")
    with pytest.raises(ParserError, match=r"package discoseq-nl, which is not installed; .*`pip install \./models/nl`"):
        find_model("nl")


def test_an_installed_package_brings_its_model(tmp_path: Path) -> None:
    put(tmp_path / "discoseq_xx")
    (tmp_path / "discoseq_xx" / "__init__.py").write_text("raise SystemExit('the package was imported')\n")
    facts = tmp_path / "discoseq_xx-3.1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.4\nName: discoseq-xx\nVersion: 3.1\nLicense-Expression: MIT\n")
    (facts / "entry_points.txt").write_text("[discoseq.models]\nxx = discoseq_xx\ngone = not_there\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "discoseq", "models"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert "gone" not in rows, done.stderr
    assert rows["xx"][2:4] == ["3.1", "MIT"]
    assert rows["xx"][-1] == "discoseq-xx"


def test_the_folder_of_a_run_stands_for_its_model_if_it_has_one(folders: Path) -> None:
    run = folders / "run"
    (run / "checkpoints").mkdir(parents=True)
    with pytest.raises(
        ParserError, match="this training run is not finished, so it has no model yet; go on with it by"
    ):
        find_model(run)
    model = put(run / "model")
    assert find_model(run) == model
    assert find_model(str(run)) == model
