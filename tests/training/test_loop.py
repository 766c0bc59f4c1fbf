"""Whole runs on twenty trees: every linearization is learnt, and interruptions and further processes change nothing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from discoseq.batching.batches import batches_by_words, training_batches
from discoseq.decoding.decode import decode
from discoseq.errors import ConfigError
from discoseq.linearizations import machine as linearization_machine
from discoseq.linearizations.linearization import LINEARIZATIONS, linearization
from discoseq.model.directory import load_model, save_model
from discoseq.parser.parser import Parser
from discoseq.search.beam import SearchOptions
from discoseq.training import setup as training_setup
from discoseq.training.config import Config, read_config
from discoseq.training.data import TrainingData
from discoseq.training.events import EpochDone, Event, Finished, Noted, Started, StepDone
from discoseq.training.loop import train
from discoseq.training.run import summarize_scores
from discoseq.treebanks.files import read_trees
from training.results import data_of

torch.set_num_threads(1)  # small matrices are slower with more, and other tests run beside this one
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "examples" / "tiny.toml"
COMMAND = Path(__file__).with_name("command_with_checkpoints.py")


def tiny(*assignments: str) -> tuple[Config, TrainingData]:
    config = read_config(TINY, assignments)
    return config, data_of(config)


def trained(folder: Path, *assignments: str) -> Path:
    *_, last = train(*tiny(*assignments), folder, is_resumed=False)
    assert isinstance(last, Finished)
    save_model(last.model, folder / "model", {})
    return folder / "model"


def started(events: Iterable[Event]) -> Started:
    return next(event for event in events if isinstance(event, Started))


# all of them with DISCOSEQ_ALL_LINEARIZATIONS set; else one of each traversal and of each reordering
CHOSEN = ["top-down", "enriched-in-order+swap", "in-order+swap#k", "bottom-up+shift#k"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEARIZATIONS if "DISCOSEQ_ALL_LINEARIZATIONS" in os.environ else CHOSEN)
def test_twenty_trees_are_learnt_by_heart(tmp_path: Path, name: str) -> None:
    config, data = tiny(f"linearization={name}")
    if "+" not in name:  # a linearization without reordering learns the continuous ones
        continuous = [tree for tree in data.train if not tree.is_discontinuous]
        data = replace(data, train=continuous, dev=continuous, repeats=[1] * len(continuous))
    *_, last = train(config, data, tmp_path, is_resumed=False)
    assert isinstance(last, Finished)
    assert last.scores.f1 == 100.0


def test_an_epoch_has_the_updates_of_the_chosen_order_of_batches(tmp_path: Path) -> None:
    counts = []
    for order in ("length", "words"):
        config, data = tiny("training.epochs=1", "training.batch_tokens=400", f"training.batch_order={order}")
        events = list(train(config, data, tmp_path / order, is_resumed=False))
        counts.append(sum(isinstance(event, StepDone) for event in events))
    system = linearization("in-order+swap")
    words, costs = [len(tree.tokens) for tree in data.train], [len(system.linearize(tree)) for tree in data.train]
    assert counts[1] == len(batches_by_words(words, costs, 400, 1, 0))
    assert counts[0] == len(training_batches(costs, 400, 1, 0))
    assert counts[0] != counts[1]


def test_dev_is_scored_by_the_rules_of_the_treebank(tmp_path: Path) -> None:
    config, data = tiny("linearization=in-order", "training.epochs=2", "training.first_scored_epoch=2")
    continuous = [tree for tree in data.train if not tree.is_discontinuous]
    found = {}
    for rules in ("disco", "evalb"):
        chosen = replace(data, train=continuous, dev=continuous, repeats=[1] * len(continuous), rules=rules)
        *_, last = train(config, chosen, tmp_path / rules, is_resumed=False)
        assert isinstance(last, Finished)
        parser = Parser(last.model)
        assert last.scores.f1 == parser.evaluate(continuous, rules=rules).all.f1
        assert last.scores.is_evalb == (rules == "evalb")
        found[rules] = last.scores
    assert found["disco"].f1 != found["evalb"].f1  # the root is counted by EVALB's rules, for example
    assert summarize_scores(found["evalb"]) == f"F1 {found['evalb'].f1:.2f} by EVALB's rules"


def test_every_epoch_is_scored_with_its_own_weights(tmp_path: Path) -> None:
    config, data = tiny("training.epochs=4", "training.first_scored_epoch=1", "training.batch_tokens=100")
    whole = [event.f1 for event in train(config, data, tmp_path / "whole", False) if isinstance(event, EpochDone)]
    # interrupted after each epoch: no network is parsed with twice
    scores = []
    for epoch in range(1, 5):
        for event in train(config, data, tmp_path / "parts", is_resumed=epoch > 1):
            if isinstance(event, EpochDone):
                scores.append(event.f1)
            elif isinstance(event, StepDone) and event.epoch > epoch:
                break
    assert scores == whole
    assert len(set(whole)) > 1


def test_weak_constraints_hold_in_training_and_search_and_repairs_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linearization_machine, "_WEAK_STEPS", 2)  # so that there is something to repair
    config, data = tiny("linearization=in-order+eager-swap", "search.constraints=weak", "training.epochs=1")
    *events, last = train(config, data, tmp_path, is_resumed=False)
    assert isinstance(last, Finished)
    notes = [event.text for event in events if isinstance(event, Noted)]
    save_model(last.model, tmp_path / "model", {})
    loaded = load_model(tmp_path / "model")
    assert (loaded.machine.constraints, loaded.machine.linearization.name) == ("weak", "in-order+eager-swap")
    found = decode([loaded], [tree.tokens for tree in data.dev], SearchOptions(10))
    repaired = sum(candidates[0].is_repaired for candidates in found)
    assert repaired > 0
    assert notes == [f"parsing dev with beam 10: {repaired} of 20 sequences were no trees, and were repaired"]


def test_the_events_tell_the_story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_setup, "MAX_ACTIONS", 24)
    config, data = tiny("training.epochs=3", "training.first_scored_epoch=2")
    *steps, last = train(config, data, tmp_path, is_resumed=False)
    first = started(steps)
    assert (first.train_sentences + first.too_long, first.dev_sentences) == (20, 20)
    assert first.too_long > 0
    epochs = [event for event in steps if isinstance(event, EpochDone)]
    assert [event.epoch for event in epochs] == [1, 2, 3]
    assert [event.f1 is not None for event in epochs] == [False, True, True]
    assert sum(isinstance(event, StepDone) for event in steps) == epochs[-1].step
    assert isinstance(last, Finished)
    assert set(last.averaged_epochs) <= {2, 3}


def test_augmented_trees_join_the_trees_but_not_the_word_list(tmp_path: Path) -> None:
    settings = ("training.epochs=1", "linearization=in-order+shift#k", "model.min_word_count=2")
    plain, data = tiny(*settings)
    augmented, _ = tiny(*settings, "data.augmented=3")
    *steps, without = train(plain, data, tmp_path / "plain", is_resumed=False)
    assert started(steps).train_sentences == 20
    *steps, last = train(augmented, data, tmp_path / "augmented", is_resumed=False)
    assert started(steps).train_sentences == 80
    assert isinstance(without, Finished)
    assert isinstance(last, Finished)
    assert last.model.vocabularies.words.names == without.model.vocabularies.words.names
    assert set(last.model.vocabularies.actions.tokens) >= set(without.model.vocabularies.actions.tokens)


def test_a_run_is_initialised_from_a_finished_model(tmp_path: Path) -> None:
    settings = ("training.epochs=2", "training.first_scored_epoch=9")
    start = trained(tmp_path / "start", *settings, "training.epochs=30")
    losses = {}
    for directory in ("", str(start)):
        events = list(
            train(
                *tiny(*settings, f"training.initialise_from={directory}"),
                tmp_path / f"on{len(directory)}",
                is_resumed=False,
            )
        )
        losses[directory] = next(event.loss for event in events if isinstance(event, EpochDone))
    assert losses[str(start)] < losses[""] / 2
    assert isinstance(events[-1], Finished)
    assert events[-1].model.vocabularies.as_dict() == load_model(start).vocabularies.as_dict()


def test_trees_that_the_start_has_no_actions_for_are_left_out(tmp_path: Path) -> None:
    settings = ("training.epochs=1", "training.first_scored_epoch=9")
    config, data = tiny(*settings)
    *_, last = train(config, replace(data, train=data.train[:1], repeats=[1]), tmp_path / "a", is_resumed=False)
    assert isinstance(last, Finished)
    save_model(last.model, tmp_path / "few", {})
    config, data = tiny(*settings, f"training.initialise_from={tmp_path / 'few'}")
    first = started(train(config, data, tmp_path / "b", is_resumed=False))
    assert first.unknown > 0
    assert 1 <= first.train_sentences == 20 - first.unknown


def test_a_model_with_the_vocabularies_of_another_forms_an_ensemble_with_it(tmp_path: Path) -> None:
    settings = ("training.epochs=1", "training.first_scored_epoch=9")
    first = trained(tmp_path / "first", *settings)
    config, data = tiny(*settings, "model.width=32", f"training.vocabularies_from={first}")
    few = replace(data, train=data.train[:5], repeats=[1] * 5)  # which have fewer words and actions
    *_, last = train(config, few, tmp_path / "second", is_resumed=False)
    assert isinstance(last, Finished)
    assert last.model.vocabularies.as_dict() == load_model(first).vocabularies.as_dict()
    assert len(Parser(load_model(first), last.model).models) == 2
    config, data = tiny(f"training.vocabularies_from={first}", "linearization=top-down+swap")
    with pytest.raises(ConfigError, match="this model's linearization is in-order"):
        list(train(config, data, tmp_path / "third", is_resumed=False))


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("model.width=32", "this model has model.width = "),
        ("linearization=top-down+swap", "this model's linearization is in-order"),
    ],
)
def test_a_start_of_another_kind_is_refused(tmp_path: Path, setting: str, complaint: str) -> None:
    start = trained(tmp_path / "start", "training.epochs=1")
    config, data = tiny(f"training.initialise_from={start}", setting)
    with pytest.raises(ConfigError, match=f"^{re.escape(f'{start}: {complaint}')}"):
        list(train(config, data, tmp_path / "on", is_resumed=False))


def test_equal_seeds_give_equal_losses(tmp_path: Path) -> None:
    def losses(folder: str, *assignments: str) -> list[float]:
        config, data = tiny("training.epochs=2", "model.dropout=0.2", "training.first_scored_epoch=9", *assignments)
        events = train(config, data, tmp_path / folder, is_resumed=False)
        return [event.loss for event in events if isinstance(event, StepDone)]

    assert losses("a") == losses("b")
    assert losses("a2") != losses("c", "training.seed=2")


def command(out: Path, *options: str) -> list[str]:
    settings = ["training.first_scored_epoch=38", "training.batch_tokens=120"]
    settings += ["training.epochs=40", "model.dropout=0.1", *options]
    flags = [part for setting in settings for part in ("--set", setting)]
    return [str(COMMAND), "train", str(TINY), "--out", str(out), *flags]


LAUNCHER = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "--num_machines", "1"]
LAUNCHER += ["--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0"]


@pytest.mark.slow
@pytest.mark.parametrize("launcher", [[sys.executable], LAUNCHER], ids=["one process", "two processes"])
def test_a_killed_run_ends_with_the_same_weights(launcher: list[str], tmp_path: Path) -> None:
    subprocess.run([*launcher, *command(tmp_path / "whole")], check=True, capture_output=True, cwd=ROOT)
    for _ in range(2):
        resume = ["--resume"] if (tmp_path / "killed").exists() else []
        run = subprocess.Popen(
            [*launcher, *command(tmp_path / "killed"), *resume],
            cwd=ROOT,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = newest_step(tmp_path / "killed")
        while newest_step(tmp_path / "killed") < before + 30:
            assert run.poll() is None, "the run was to be killed before its end"
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    again = [*launcher, *command(tmp_path / "killed"), "--resume"]
    last = subprocess.run(again, capture_output=True, text=True, cwd=ROOT)
    assert last.returncode == 0, last.stderr
    assert "resuming in epoch" in last.stderr
    for name in ("model.safetensors", "vocabularies.json"):
        assert (tmp_path / "whole/model" / name).read_bytes() == (tmp_path / "killed/model" / name).read_bytes()
    assert record(tmp_path / "whole") == record(tmp_path / "killed")


def newest_step(folder: Path) -> int:
    return max((int(path.name[5:]) for path in (folder / "checkpoints").glob("step-*")), default=0)


def record(folder: Path) -> list[tuple[int, float, float | None]]:
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [(row["epoch"], row["loss"], row["f1"]) for row in rows]


@pytest.mark.slow
def test_two_processes_learn_as_one_does(tmp_path: Path) -> None:
    options = ["model.dropout=0.0", "training.epochs=4", "training.first_scored_epoch=4"]
    subprocess.run([sys.executable, *command(tmp_path / "one", *options)], check=True, capture_output=True)
    done = subprocess.run([*LAUNCHER, *command(tmp_path / "two", *options)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for one, two in zip(record(tmp_path / "one"), record(tmp_path / "two"), strict=True):
        assert two[0] == one[0]
        assert two[1] == pytest.approx(one[1], rel=1e-3)
        assert two[2] == pytest.approx(one[2], abs=5.0)  # which trees are found may hang on the last digit


def test_half_the_digits_learn_nearly_the_same(tmp_path: Path) -> None:
    options = ["model.dropout=0.0", "training.epochs=4", "training.first_scored_epoch=4"]
    # a virtual machine may announce matrix instructions of its processor that it can't carry out
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"}
    for precision in ("no", "bf16"):
        call = [sys.executable, *command(tmp_path / precision, *options, f"training.precision={precision}")]
        done = subprocess.run(call, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
    whole, half = ([loss for _, loss, _ in record(tmp_path / precision)] for precision in ("no", "bf16"))
    assert whole != half
    assert half == pytest.approx(whole, rel=0.05)
    assert all(x.dtype == torch.float32 for x in load_model(tmp_path / "bf16" / "model").network.parameters())


def test_a_trained_model_can_be_loaded_and_a_run_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "run"
    call = [sys.executable, *command(out, "training.epochs=2", "training.first_scored_epoch=1")]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(f"{out / 'model'}: F1 ")
    assert "epoch   2  loss" in done.stderr
    model = load_model(out / "model")
    assert len(model.vocabularies.words) > 10
    assert {path.name for path in out.iterdir()} >= {"checkpoints", "best", "model", "metrics.jsonl", "curves.png"}
    again = subprocess.run(call, capture_output=True, text=True)
    assert again.returncode == 1
    assert again.stderr.strip() == f"{out} holds a run: resume it by discoseq train --resume, or choose another folder"


def test_training_files_are_named_when_they_are_not_there(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "discoseq", "train", str(TINY), "--out", str(tmp_path / "x"), "--set"]
    done = subprocess.run([*call, 'data.train=["nothing.export"]'], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "nothing.export: no such file\n")
    assert not (tmp_path / "x").exists()


def test_the_twenty_trees_are_twenty() -> None:
    trees = list(read_trees(ROOT / "examples" / "twenty.discbracket"))
    assert len(trees) == 20
    assert sum(tree.is_discontinuous for tree in trees) == 12
