"""Silver trees join the gold trees with their share and their weights, and interruptions change nothing."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from discoseq.batching.examples import Example, make_batch, make_examples
from discoseq.errors import ConfigError, TreeError
from discoseq.model.network import Model
from discoseq.training import loop
from discoseq.training.config import Config, TrainingSettings, read_config
from discoseq.training.events import EpochDone, Event, Finished, Noted, Started, StepDone
from discoseq.training.run import start_run
from discoseq.training.silver import draw_silver, tree_weight, weight_comment
from discoseq.training.update import total_loss
from discoseq.trees.tree import Tree
from model.small import TREES, small_model
from training.results import data_of

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parents[2]
TWENTY = ROOT / "examples" / "twenty.discbracket"
SETTINGS = TrainingSettings(tag_weight=0.5, ancestor_weight=0.3, label_smoothing=0.1)


@pytest.fixture
def silver(tmp_path: Path) -> Path:
    """Some of the twenty trees with weights; one has none, and one a label that gold does not have."""
    lines = TWENTY.read_text(encoding="utf-8").splitlines()[:9]
    weighted = [f"{line.partition(chr(9))[0]}\tweight=0.{i}5 certainty=0.9" for i, line in enumerate(lines)]
    path = tmp_path / "silver.discbracket"
    path.write_text("\n".join([*weighted, lines[0].partition("\t")[0], "(ROOT (NEW (A 0=a) (B 1=b)))"]) + "\n")
    return path


def config_with(silver: Path, *more: str) -> Config:
    short = ("training.epochs=3", "training.first_scored_epoch=3", "training.batch_tokens=150")
    files = f'data.silver=["{silver}"]'
    return read_config(ROOT / "examples" / "tiny.toml", [*short, files, "training.tag_weight=0.5", *more])


def test_a_weight_is_read_as_it_was_written() -> None:
    tree = replace(TREES[0], comment=weight_comment(0.87349, {"certainty": 0.9, "agreement": 0.97}))
    assert tree.comment == "weight=0.873 certainty=0.900 agreement=0.970"
    assert tree_weight(tree) == 0.873
    assert [tree_weight(replace(TREES[0], comment=x)) for x in (None, "a note", "overweight=3", "x weight=2")] == [
        *(1.0, 1.0, 1.0),
        2.0,
    ]


@pytest.mark.parametrize("weight", ["-1", "nan", "inf", "much", ""])
def test_what_is_no_weight_is_refused(weight: str, tmp_path: Path) -> None:
    with pytest.raises(TreeError, match="no number from 0 on"):
        tree_weight(replace(TREES[0], comment=f"weight={weight}"))
    path = tmp_path / "bad.discbracket"
    path.write_text(f"(ROOT (NP (A 0=a) (B 1=b)))\tweight={weight}\n")
    with pytest.raises(ConfigError, match=rf"bad\.discbracket: the weight of the tree 1 is '{weight}'"):
        data_of(config_with(path))


def examples_of(model: Model, trees: list[Tree]) -> list[Example]:
    return make_examples(model.machine, trees)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_all_silver_examples_are_used_before_one_is_used_again(share: float) -> None:
    model = small_model()
    gold = examples_of(model, TREES)
    silver = [replace(gold[i % 5], weight=float(i)) for i in range(50)]
    times: Counter[float] = Counter()
    cost, wanted = 0, 0.0
    for epoch in range(30):
        drawn = draw_silver(silver, gold, share, 1, epoch)
        assert drawn == draw_silver(silver, gold, share, 1, epoch)
        assert drawn != draw_silver(silver, gold, share, 2, epoch)
        for example in drawn:
            times[example.weight] += 1
            assert times[example.weight] <= 1 + min(times[x.weight] for x in silver)
        cost += sum(example.cost for example in drawn)
        wanted += sum(example.cost for example in gold) * share / (1 - share)
        assert abs(cost - wanted) <= max(example.cost for example in gold)
    assert min(times.values()) > 0


def gradients(model: Model, examples: list[Example]) -> list[torch.Tensor]:
    """Of the summed losses, those of tags and ancestors included."""
    model.network.zero_grad()
    batch = make_batch(model.vocabularies, model.machine, examples)
    torch.autograd.backward(total_loss(model.network(batch), batch, SETTINGS)[0])
    return [torch.zeros_like(x) if x.grad is None else x.grad.clone() for x in model.network.parameters()]


def assert_close(one: list[torch.Tensor], two: list[torch.Tensor]) -> None:
    for x, y in zip(one, two, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-5)


def test_a_tree_of_weight_nothing_teaches_nothing_and_one_of_weight_two_counts_twice() -> None:
    model = small_model()
    first, second, *_ = examples_of(model, TREES)
    both, alone, other = (gradients(model, x) for x in ([first, second], [first], [second]))
    assert_close(both, [x + y for x, y in zip(alone, other, strict=True)])
    assert_close(gradients(model, [first, replace(second, weight=0.0)]), alone)
    doubled = gradients(model, [replace(first, weight=2.0), second])
    assert_close(doubled, [2 * x + y for x, y in zip(alone, other, strict=True)])
    assert any(float(x.abs().max()) > 0.1 for x in other)


def test_weights_that_are_all_one_are_no_weights() -> None:
    model = small_model()
    examples = examples_of(model, TREES)
    batch = make_batch(model.vocabularies, model.machine, examples)
    assert batch.weights is None
    with torch.no_grad():
        scores = model.network(batch)
        weighted = total_loss(scores, replace(batch, weights=torch.ones(len(examples))), SETTINGS)
        for one, two in zip(total_loss(scores, batch, SETTINGS), weighted, strict=True):
            assert float(one) == pytest.approx(float(two), rel=1e-6)


def events_of(config: Config, folder: Path) -> list[Event]:
    return list(start_run(config, folder))


def test_a_run_with_silver_trees_tells_what_it_left_out_and_records_the_files(silver: Path, tmp_path: Path) -> None:
    events = events_of(config_with(silver, "data.silver_share=0.25"), tmp_path / "run")
    notes = [event.text for event in events if isinstance(event, Noted)]
    left_out = "left out 1 of 11 silver trees: the gold trees do not have their actions, or they are too long"
    assert left_out in notes
    started = next(event for event in events if isinstance(event, Started))
    assert (started.train_sentences, started.silver_sentences) == (20, 10)
    targets = sum(event.targets for event in events if isinstance(event, StepDone) and event.epoch == 1)
    without = events_of(config_with(silver, "data.silver=[]"), tmp_path / "without")
    of_gold = sum(event.targets for event in without if isinstance(event, StepDone) and event.epoch == 1)
    assert of_gold / targets == pytest.approx(0.75, abs=0.05)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["inputs"]["data.silver"][0][0] == str(silver)
    card = (tmp_path / "run" / "model" / "README.md").read_text()
    assert record["inputs"]["data.silver"][0][1] in card
    assert str(tmp_path) not in (tmp_path / "run" / "model" / "config.json").read_text()


def test_equal_seeds_give_equal_losses_and_weights_matter(silver: Path, tmp_path: Path) -> None:
    config = config_with(silver, "training.epochs=1")
    losses = [
        [event.loss for event in events_of(config, tmp_path / name) if isinstance(event, EpochDone)]
        for name in ("one", "two")
    ]
    assert losses[0] == losses[1]
    silver.write_text(silver.read_text().replace("weight=0.", "weight=1."))
    heavier = [event.loss for event in events_of(config, tmp_path / "three") if isinstance(event, EpochDone)]
    assert heavier != losses[0]


def test_an_interrupted_run_ends_with_the_same_weights(
    silver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_CHECKPOINT_SECONDS", 0.0)
    config = config_with(silver, "model.dropout=0.2")
    *_, whole = events_of(config, tmp_path / "whole")
    steps = 0
    for event in start_run(config, tmp_path / "broken"):
        steps += isinstance(event, StepDone)
        if steps == 9:
            break
    else:
        pytest.fail("the run was to be interrupted before its end")
    *events, resumed = start_run(config, tmp_path / "broken", is_resumed=True)
    assert sum(isinstance(event, StepDone) for event in events) > 0
    assert isinstance(whole, Finished)
    assert isinstance(resumed, Finished)
    expected, found = whole.model.network.state_dict(), resumed.model.network.state_dict()
    assert all(torch.equal(tensor, found[name]) for name, tensor in expected.items())


def test_other_silver_trees_are_refused_when_a_run_is_resumed(silver: Path, tmp_path: Path) -> None:
    config = config_with(silver)
    events_of(config, tmp_path / "run")
    silver.write_text(silver.read_text() + "(ROOT (NEW (A 0=a) (B 1=b)))\n")
    with pytest.raises(ConfigError, match=r"silver\.discbracket in data\.silver has other contents"):
        list(start_run(config, tmp_path / "run", is_resumed=True))
    with pytest.raises(ConfigError, match=r"data\.silver is .* in this run and \[\] in the configuration"):
        list(start_run(config_with(silver, "data.silver=[]"), tmp_path / "run", is_resumed=True))


def test_silver_trees_with_other_labels_alone_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.discbracket"
    path.write_text("(ROOT (NEW (A 0=a) (B 1=b)))\n")
    with pytest.raises(ConfigError, match="the gold trees have the actions of none of the silver trees"):
        events_of(config_with(path), tmp_path / "run")


def test_a_silver_file_that_is_not_there_is_named_first(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.discbracket: no such file"):
        events_of(config_with(tmp_path / "no.discbracket"), tmp_path / "run")
