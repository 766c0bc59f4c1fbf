"""`discoseq models`: what there is, and what is known of one."""

import json
from pathlib import Path

import pytest

from cli.command import Command
from discoseq.model.directory import save_model
from model.small import small_model


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with one model that has a card and one that has not."""
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path))
    scores = {"f1": 81.25, "discontinuous_f1": 40.5}
    save_model(
        small_model(),
        tmp_path / "models" / "mine",
        {"card": "# Mine\n\nAll rights.", "language": "de", "scores": scores},
    )
    save_model(small_model(), tmp_path / "models" / "other")
    return tmp_path / "models"


def test_the_models_of_the_cache_are_listed_with_their_scores(discoseq: Command, cache: Path) -> None:
    outcome = discoseq("models")
    assert outcome.code == 0
    row = next(line for line in outcome.out.splitlines() if line.startswith("mine "))
    size = sum(file.stat().st_size for file in (cache / "mine").iterdir())
    assert row.split()[:7] == ["mine", "de", "-", "-", f"{size / 1e6:.1f}", "81.2", "40.5"]
    assert row.endswith(str(cache / "mine"))
    assert any(line.startswith("other ") for line in outcome.out.splitlines())


def test_the_list_can_be_read_by_a_program(discoseq: Command, cache: Path) -> None:
    rows = {row["name"]: row for row in json.loads(discoseq("models", "--json").out)}
    assert rows["mine"]["f1"] == 81.25
    assert rows["other"]["f1"] is None
    size = sum(file.stat().st_size for file in (cache / "mine").iterdir())
    assert rows["mine"]["megabytes"] == round(size / 1e6, 1)


def test_info_prints_the_card(discoseq: Command, cache: Path) -> None:
    assert discoseq("models", "info", "mine").out == "# Mine\n\nAll rights.\n"


def test_info_takes_a_directory_and_gives_json(discoseq: Command, cache: Path) -> None:
    config = json.loads(discoseq("models", "info", cache / "mine", "--json").out)
    assert config["linearization"] == "in-order+swap"


def test_a_model_that_is_not_there_is_one_sentence(discoseq: Command, cache: Path) -> None:
    outcome = discoseq("models", "info", "nobody")
    assert outcome.code == 1
    assert "'nobody'" in outcome.err
    assert "mine" in outcome.err
    assert outcome.err.count("\n") == 1
