import json
import shutil
from pathlib import Path

import pytest
import torch
from torch import nn

from discoseq.errors import CheckpointError
from discoseq.training.checkpoints import (
    Position,
    average_weights,
    best_epochs,
    keep_if_best,
    load_checkpoint,
    save_checkpoint,
)


def pair(seed: int = 0) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
    return network, torch.optim.AdamW(network.parameters(), lr=0.1)


def learn(network: nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
    for step in range(steps):
        torch.manual_seed(step)
        network(torch.randn(3, 4)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_training_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    network, optimizer = pair()
    learn(network, optimizer, 5)
    save_checkpoint(tmp_path, network, optimizer, Position(epoch=1, step=5, scores=[[1, 50.0]]))
    other, other_optimizer = pair(seed=1)
    position, errors = load_checkpoint(tmp_path, other, other_optimizer)
    assert (position, errors) == (Position(epoch=1, step=5, scores=[[1, 50.0]]), [])
    learn(network, optimizer, 5)
    learn(other, other_optimizer, 5)
    for one, two in zip(network.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two)


def test_the_last_two_are_kept(tmp_path: Path) -> None:
    network, optimizer = pair()
    learn(network, optimizer, 1)
    for step in (1, 2, 3):
        save_checkpoint(tmp_path, network, optimizer, Position(step=step))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["step-00000002", "step-00000003"]


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "position.json"])
def test_a_broken_checkpoint_is_named_and_the_one_before_it_taken(tmp_path: Path, name: str) -> None:
    network, optimizer = pair()
    learn(network, optimizer, 1)
    for step in (1, 2):
        save_checkpoint(tmp_path, network, optimizer, Position(step=step))
    broken = tmp_path / "step-00000002" / name
    broken.write_bytes(broken.read_bytes()[:20])
    position, errors = load_checkpoint(tmp_path, network, optimizer)
    assert position.step == 1
    assert "step-00000002: the checkpoint can't be read" in str(errors[0])
    shutil.rmtree(tmp_path / "step-00000001")
    with pytest.raises(CheckpointError, match="step-00000002: the checkpoint can't be read"):
        load_checkpoint(tmp_path, network, optimizer)


def test_a_run_of_another_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    network, optimizer = pair()
    learn(network, optimizer, 1)
    save_checkpoint(tmp_path, network, optimizer, Position(step=1))
    position = tmp_path / "step-00000001" / "position.json"
    position.write_text(json.dumps({x: y for x, y in json.loads(position.read_text()).items() if x != "version"}))
    with pytest.raises(CheckpointError, match="another version of discoseq wrote this run; start it again"):
        load_checkpoint(tmp_path, network, optimizer)


def test_no_checkpoint_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no checkpoint to resume from"):
        load_checkpoint(tmp_path, *pair())


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, optimizer = pair()
    learn(network, optimizer, 1)
    save_checkpoint(tmp_path, network, optimizer, Position(step=1))

    def full(tensors: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discoseq.training.checkpoints.save_file", full)
    with pytest.raises(CheckpointError, match=r"can't write the checkpoint \(.*No space left"):
        save_checkpoint(tmp_path, network, optimizer, Position(step=2))
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]
    assert load_checkpoint(tmp_path, network, optimizer)[0].step == 1


def test_the_best_epochs_are_kept_and_averaged(tmp_path: Path) -> None:
    network = nn.Linear(1, 1, bias=False)
    scores: list[list[float]] = []
    for epoch, score in enumerate([10.0, 30.0, 20.0, 30.0], 1):
        nn.init.constant_(network.weight, float(epoch))
        scores.append([epoch, score])
        keep_if_best(tmp_path, network, scores, 2)
    assert best_epochs(scores, 2) == [4, 2]
    # the third is one of the best again if the run is killed now, and the fourth epoch does worse the next time
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["epoch-0002", "epoch-0003", "epoch-0004"]
    assert average_weights(tmp_path, [2, 4])["weight"].item() == 3.0
