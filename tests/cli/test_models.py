"""`discoseq models`: what there is, and what is known of one."""

import json
from pathlib import Path

import pytest
import torch

from cli.command import Command
from discoseq.model.directory import load_model, save_model
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


def test_average_writes_a_model_that_can_be_loaded(discoseq: Command, cache: Path, tmp_path: Path) -> None:
    save_model(small_model(seed=2), cache / "third")
    outcome = discoseq("models", "average", "mine", cache / "third", "-o", tmp_path / "both")
    assert (outcome.code, outcome.out) == (0, "")
    found = load_model(tmp_path / "both").network.state_dict()
    members = [load_model(cache / name).network.state_dict() for name in ("mine", "third")]
    for name, weight in found.items():
        torch.testing.assert_close(weight, (members[0][name] + members[1][name]) / 2)
    extra = json.loads(discoseq("models", "info", tmp_path / "both", "--json").out)["extra"]
    assert extra == {"language": "de"}  # but not the scores of one of them
    assert "- mine\n" in discoseq("models", "info", tmp_path / "both").out


def test_average_can_round_its_weights(discoseq: Command, cache: Path, tmp_path: Path) -> None:
    for name, options in (("full", []), ("compact", ["--compact"])):
        assert discoseq("models", "average", "mine", "mine", "-o", tmp_path / name, *options).code == 0
    full, compact = ((tmp_path / name / "model.safetensors").stat().st_size for name in ("full", "compact"))
    assert compact < 0.6 * full


def test_average_of_unlike_models_is_one_sentence_and_writes_nothing(
    discoseq: Command, cache: Path, tmp_path: Path
) -> None:
    save_model(small_model(name="in-order+swap#k"), cache / "unlike")
    outcome = discoseq("models", "average", "mine", "unlike", "-o", tmp_path / "both")
    assert outcome.code == 1
    assert "the linearization is in-order+swap#k here and in-order+swap there" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "both").exists()


def test_average_does_not_replace_other_files(discoseq: Command, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear Ann", encoding="utf-8")
    outcome = discoseq("models", "average", "mine", "mine", "-o", tmp_path / "letters")
    assert outcome.code == 1
    assert "dear.txt" in outcome.err
