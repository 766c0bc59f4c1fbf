"""Runs with a pre-trained encoder: frozen, tuned or adapted; interrupted or not; and the models that come of them."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from discoseq.decoding.parse import parse_sentences
from discoseq.errors import ConfigError, ModelError
from discoseq.evaluation import evaluate
from discoseq.model.directory import load_model, save_model
from discoseq.model.network import ParserNetwork
from discoseq.model.pretrained.lora import has_adapters
from discoseq.model.pretrained.presets import PRESETS
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import UNIVERSAL
from discoseq.training.config import read_config
from discoseq.training.data import TrainingData, load_data
from discoseq.training.encoder import plain
from discoseq.training.events import Embedding, Event, Finished, Started, StepDone
from discoseq.training.loop import train
from discoseq.training.settings import Config
from discoseq.training.setup import set_up
from discoseq.training.thawing import Thawing
from model.pretrained.tiny import KINDS

torch.set_num_threads(1)
TINY = Path(__file__).resolve().parents[2] / "configs" / "tiny.toml"
TRAININGS = ["frozen", "tuned", "lora"]


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS["bert"](tmp_path_factory.mktemp("encoder") / "bert")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def settings_for(encoder: Path, training: str, *more: str) -> tuple[Config, TrainingData]:
    assignments = [f"model.encoder={encoder}", "model.encoder_output=mix 1-2", f"training.encoder_training={training}"]
    assignments += ["model.word_width=0", "model.character_filters=0", "training.encoder_learning_rate=1e-3"]
    assignments += ["training.epochs=4", "training.first_scored_epoch=3", "training.batch_tokens=200"]
    assignments += ["training.averaged=2", "training.beam=1", "training.lora_rank=2"]
    config = read_config(TINY, [*assignments, *more])
    return config, load_data(config.data)


def run(config: Config, data: TrainingData, folder: Path, is_resumed: bool = False) -> tuple[list[Event], Finished]:
    events = list(train(config, data, folder, is_resumed))
    assert isinstance(events[-1], Finished)
    return events, events[-1]


@pytest.mark.parametrize("path", sorted(TINY.parent.glob("encoders/*.toml")), ids=lambda path: path.stem)
def test_the_configs_that_come_along_can_be_read(path: Path) -> None:
    assert read_config(path).model.encoder in {*PRESETS, UNIVERSAL}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("training.encoder_training=melted", "there is no encoder_training 'melted'; there are frozen, tuned, lora"),
        ("training.vector_precision=int8", "there is no vector_precision 'int8'; there are float32, float16"),
        ("training.lora_rank=0", r"training\.lora_rank is 0; the least is 1"),
        ("training.encoder_unfreeze_epochs=-1", r"training\.encoder_unfreeze_epochs can't be negative"),
    ],
)
def test_settings_that_can_not_be_are_named(assignment: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_config(TINY, [assignment])


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_saved_model_parses_as_the_trained_one_did(training: str, kind: str, tmp_path: Path) -> None:
    config, data = settings_for(KINDS[kind](tmp_path / "encoder"), training)
    _, finished = run(config, data, tmp_path / "run")
    save_model(finished.model, tmp_path / "model")
    if training != "frozen":
        (tmp_path / "encoder").rename(tmp_path / "elsewhere")  # such a model holds its own
    loaded = load_model(tmp_path / "model")
    assert not has_adapters(loaded.network)
    trees = parse_sentences(loaded, [tree.tokens for tree in data.dev])
    vectors = vectors_of(config, data) if training == "frozen" else None
    assert trees == parse_sentences(finished.model, [tree.tokens for tree in data.dev], vectors=vectors)


def vectors_of(config: Config, data: TrainingData) -> list[np.ndarray]:
    """From the cache, so that nothing has to be reported."""
    with pytest.raises(StopIteration) as end:
        next(set_up(config, data))
    return list(end.value.value.dev_vectors)


def test_vectors_are_made_once(encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    events, _ = run(config, data, tmp_path / "first")
    made = [event for event in events if isinstance(event, Embedding)]
    assert (made[0].done, made[0].words) == (0, made[-1].done)
    assert made[0].path.parent == cache
    assert made[0].size == made[0].path.stat().st_size
    again, _ = run(config, data, tmp_path / "second")
    assert isinstance(again[0], Started)
    assert losses(again) == losses(events)
    half, _ = run(replace_precision(config), data, tmp_path / "third")
    assert isinstance(half[0], Embedding)
    assert half[0].size < made[0].size
    assert losses(half) == pytest.approx(losses(events), rel=1e-3)


def losses(events: list[Event]) -> list[float]:
    return [event.loss for event in events if isinstance(event, StepDone)]


def replace_precision(config: Config) -> Config:
    return replace(config, training=replace(config.training, vector_precision="float16"))


@pytest.mark.parametrize("what", ["text", "layers", "encoder"])
def test_vectors_of_something_else_are_not_taken(what: str, encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    run(config, data, tmp_path / "first")
    if what == "text":
        data = replace(data, train=data.train[1:], repeats=data.repeats[1:])
    elif what == "layers":
        config = replace(config, model=replace(config.model, encoder_output="mean 1-2"))
    else:
        other = KINDS["relu-bert"](tmp_path / "other")
        config = replace(config, model=replace(config.model, encoder=str(other)))
        assert len(list(cache.iterdir())) == 1  # train and dev have the same text here
    events, _ = run(config, data, tmp_path / "second")
    assert isinstance(events[0], Embedding)


def test_vectors_that_are_cut_short_are_made_again(encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    first, _ = run(config, data, tmp_path / "first")
    (path,) = cache.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    second, _ = run(config, data, tmp_path / "second")
    assert isinstance(second[0], Embedding)
    assert path.read_bytes() == content
    assert losses(first) == losses(second)


@pytest.mark.parametrize("training", TRAININGS)
def test_an_interrupted_run_ends_with_the_same_weights(training: str, encoder: Path, tmp_path: Path) -> None:
    options = ["training.encoder_unfreeze_epochs=1", "training.checkpoint_minutes=0", "model.dropout=0.1"]
    config, data = settings_for(encoder, training, *options)
    _, whole = run(config, data, tmp_path / "whole")
    for number, event in enumerate(train(config, data, tmp_path / "broken", False)):
        if isinstance(event, StepDone) and number > 12:
            break
    else:
        pytest.fail("the run was to be interrupted before its end")
    _, resumed = run(config, data, tmp_path / "broken", is_resumed=True)
    expected, found = whole.model.network.state_dict(), resumed.model.network.state_dict()
    assert expected.keys() == found.keys()
    assert all(torch.equal(tensor, found[name]) for name, tensor in expected.items())


def network_for(encoder: Path, training: str, *more: str) -> tuple[Config, ParserNetwork]:
    config, data = settings_for(encoder, training, *more)
    steps = set_up(config, data)
    with pytest.raises(StopIteration) as end:
        next(steps)
    network = end.value.value.model.network
    assert isinstance(network, ParserNetwork)
    return config, network


def learning(network: ParserNetwork) -> set[str]:
    assert network.features.language_model is not None
    parameters = network.features.language_model.body.named_parameters()
    return {".".join(name.split(".")[:2]) for name, parameter in parameters if parameter.requires_grad}


def test_layers_thaw_from_the_top(encoder: Path) -> None:
    _, network = network_for(encoder, "tuned", "training.encoder_frozen_embeddings=false")
    assert network.features.language_model is not None
    everything = learning(network)
    thawing = Thawing.of(network.features.language_model, every=2)
    seen = []
    for epoch in range(7):
        thawing.at(epoch)
        seen.append(learning(network))
    assert seen[:5] == [set(), set(), {"layers.1"}, {"layers.1"}, {"layers.0", "layers.1"}]
    assert seen[6] == everything > {"words.weight", "positions.weight"}
    Thawing.of(network.features.language_model, every=0).at(0)
    assert learning(network) == everything


def test_embeddings_of_pieces_stay_as_they_are_unless_asked_for(encoder: Path) -> None:
    _, network = network_for(encoder, "tuned")
    assert "words.weight" not in learning(network)
    assert "layers.0" in learning(network)


def test_of_an_adapted_encoder_only_the_adapters_learn(encoder: Path) -> None:
    _, network = network_for(encoder, "lora")
    assert network.features.language_model is not None
    names = [name for name, x in network.features.language_model.named_parameters() if x.requires_grad]
    assert names
    assert all("lora_" in name for name in names)


def test_merging_adapters_changes_no_score(encoder: Path) -> None:
    _, network = network_for(encoder, "lora")
    body = network.features.language_model.body.eval()  # type: ignore[union-attr]
    with torch.no_grad():
        for name, parameter in body.named_parameters():
            if "lora_" in name:
                parameter.normal_()
    merged = plain(network)
    assert has_adapters(network)
    assert not has_adapters(merged)
    ids = torch.tensor([[2, 7, 8, 3]])
    expected = body(ids, ids > 0)[-1]
    found = merged.features.language_model.body(ids, ids > 0)[-1]  # type: ignore[union-attr]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert plain(merged) is merged


def test_another_encoder_of_the_same_name_is_noticed(tmp_path: Path) -> None:
    config, data = settings_for(KINDS["bert"](tmp_path / "encoder"), "frozen", "training.epochs=1")
    _, finished = run(config, data, tmp_path / "run")
    save_model(finished.model, tmp_path / "model")
    (tmp_path / "encoder").rename(tmp_path / "old")
    with pytest.raises(ModelError, match=r"the encoder .* is not on this machine"):
        load_model(tmp_path / "model")
    KINDS["relu-bert"](tmp_path / "encoder")
    with pytest.raises(ModelError, match=r"trained with another .*encoder than the one here"):
        load_model(tmp_path / "model")


@pytest.mark.slow
@pytest.mark.parametrize("training", [["tuned"], ["frozen", "training.encoder_stored=true"]], ids=" ".join)
def test_a_bert_that_is_part_of_a_model_is_used_without_transformers(training: list[str], tmp_path: Path) -> None:
    encoder = KINDS["bert"](tmp_path / "bert")
    config, data = settings_for(encoder, *training, "training.epochs=1")
    _, finished = run(config, data, tmp_path / "run")
    shutil.rmtree(encoder)
    # with the encoder gone, it is the model's own one that earns the score
    predicted = parse_sentences(finished.model, [tree.tokens for tree in data.dev], finished.beam)
    assert evaluate(data.dev, predicted).all.f1 == finished.scores.f1
    save_model(finished.model, tmp_path / "model")
    code = f"""
import sys
sys.modules["transformers"] = sys.modules["peft"] = None  # to import them is now an error
import socket
socket.socket.connect = None
from discoseq.decoding.parse import parse_sentences
from discoseq.model.directory import load_model
from discoseq.trees.tree import Token
print(parse_sentences(load_model({str(tmp_path / "model")!r}), [[Token("Ruhe"), Token("!")]])[0].words)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "('Ruhe', '!')\n"), done.stderr
