"""Runs with a language model that is frozen, fine-tuned or has adapters, interrupted or not, and their models."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from discoseq.decoding.decode import decode
from discoseq.errors import ConfigError, ModelError
from discoseq.evaluation import evaluate
from discoseq.model.directory import load_model, save_model
from discoseq.model.network import ParserNetwork
from discoseq.model.pretrained.lora import without_adapters
from discoseq.model.pretrained.presets import PRESETS
from discoseq.model.pretrained.universal_sentence_encoder.convolutional_network import UNIVERSAL
from discoseq.model.settings import ModelSettings
from discoseq.search.beam import SearchOptions
from discoseq.training import loop
from discoseq.training.config import CONFIGS, Config, read_config
from discoseq.training.data import TrainingData
from discoseq.training.events import Embedding, Event, Finished, StepDone
from discoseq.training.loop import train
from discoseq.training.setup import check_config, complete_settings, set_up
from model.pretrained.tiny import KINDS
from training.results import data_of, result_of

torch.set_num_threads(1)
TINY = Path(__file__).resolve().parents[2] / "examples" / "tiny.toml"
MISSING = object()
TRAININGS = ["frozen", "fine-tuned", "lora"]
CONTAINED = [["fine-tuned"], ["frozen", "training.pretrained_stored=true"]]  # the language model is part of the model


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return KINDS["bert"](tmp_path_factory.mktemp("encoder") / "bert")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCOSEQ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def settings_for(encoder: Path, training: str, *more: str) -> tuple[Config, TrainingData]:
    assignments = [f"model.pretrained={encoder}", "model.pretrained_layers=mix 1-2"]
    assignments += [f"training.pretrained_training={training}"]
    assignments += ["model.word_width=0", "model.character_filters=0", "training.pretrained_learning_rate=1e-3"]
    assignments += ["training.epochs=4", "training.first_scored_epoch=3", "training.batch_tokens=200"]
    assignments += ["training.averaged=2"]
    config = read_config(TINY, [*assignments, *more])
    return config, data_of(config)


def run(config: Config, data: TrainingData, folder: Path, is_resumed: bool = False) -> tuple[list[Event], Finished]:
    events = list(train(config, data, folder, is_resumed))
    assert isinstance(events[-1], Finished)
    return events, events[-1]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("encoders/*.toml")), ids=lambda path: path.stem)
def test_the_configs_that_come_along_can_be_read(path: Path) -> None:
    assert read_config(path).model.pretrained in {*PRESETS, UNIVERSAL}


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize("kind", ["bert", "roberta", "gemma"])
def test_the_saved_model_parses_as_the_trained_one_did(training: str, kind: str, tmp_path: Path) -> None:
    has_first_space = f"model.pretrained_first_space={'false' if kind == 'roberta' else 'true'}"
    config, data = settings_for(KINDS[kind](tmp_path / "encoder"), training, has_first_space)
    _, finished = run(config, data, tmp_path / "run")
    save_model(finished.model, tmp_path / "model")
    if training != "frozen":
        (tmp_path / "encoder").rename(tmp_path / "elsewhere")  # such a model holds its own
    loaded = load_model(tmp_path / "model")
    assert not has_adapters(loaded.network)
    assert loaded.pretrained is not None
    assert loaded.pretrained.tokenizer.has_first_space == (kind != "roberta")
    dev = [tree.tokens for tree in data.dev]
    vectors = vectors_of(config, data) if training == "frozen" else None
    found, expected = decode([loaded], dev), decode([finished.model], dev, vectors=vectors)
    assert [x[0].tree for x in found] == [x[0].tree for x in expected]


def test_a_frozen_language_model_runs_in_bfloat16_in_training_and_in_parsing(tmp_path: Path) -> None:
    encoder = KINDS["gemma"](tmp_path / "encoder")
    exact, data = settings_for(encoder, "frozen")
    rounded, _ = settings_for(encoder, "frozen", "model.pretrained_bfloat16=true")
    run(exact, data, tmp_path / "exact")  # which fills the cache
    _, finished = run(rounded, data, tmp_path / "rounded")
    one, two = vectors_of(exact, data), vectors_of(rounded, data)
    assert not np.array_equal(one[0], two[0])
    np.testing.assert_allclose(two[0], one[0], atol=0.1)
    save_model(finished.model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.network.features.language_model is not None
    assert {x.dtype for x in loaded.network.features.language_model.parameters()} == {torch.bfloat16}
    dev = [tree.tokens for tree in data.dev]
    found, expected = decode([loaded], dev), decode([finished.model], dev, vectors=two)
    assert [x[0].tree for x in found] == [x[0].tree for x in expected]


@pytest.mark.parametrize("training", CONTAINED, ids=" ".join)
def test_a_language_model_that_is_part_of_the_model_does_not_run_in_bfloat16(
    training: list[str], encoder: Path
) -> None:
    config, _ = settings_for(encoder, *training, "model.pretrained_bfloat16=true")
    with pytest.raises(ConfigError, match="for a frozen language model that is not stored"):
        check_config(config)


@pytest.mark.parametrize("training", CONTAINED, ids=" ".join)
def test_a_causal_model_is_stored_with_the_layers_and_the_subwords_that_are_used(
    training: list[str], tmp_path: Path
) -> None:
    encoder = KINDS["gemma"](tmp_path / "encoder")
    config, data = settings_for(encoder, *training)
    _, finished = run(config, data, tmp_path / "run")
    shutil.rmtree(encoder)
    save_model(finished.model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.pretrained is not None
    tables = {name: x for name, x in loaded.network.state_dict().items() if "language_model" in name}
    assert not [name for name in tables if "layers.2." in name]
    assert (
        len(tables["features.language_model.body.model.embed_tokens.weight"]) == loaded.pretrained.config["vocab_size"]
    )
    assert "к" not in loaded.pretrained.tokenizer.as_json()
    found = decode([loaded], [tree.tokens for tree in data.dev], SearchOptions(finished.beam))
    assert evaluate(data.dev, [x[0].tree for x in found]).all.f1 == finished.scores.f1


def test_vectors_of_a_causal_model_are_standardized(tmp_path: Path) -> None:
    config, data = settings_for(KINDS["gemma"](tmp_path / "encoder"), "frozen", "training.epochs=1")
    run(config, data, tmp_path / "run")  # which fills the cache
    standardize = result_of(set_up(config, data)).model.network.features.standardize
    assert standardize is not None
    vectors = torch.from_numpy(np.concatenate(vectors_of(config, data)).astype(np.float32))  # dev is train here
    found = standardize(vectors)
    torch.testing.assert_close(found.mean(dim=0), torch.zeros(found.shape[1]), atol=1e-3, rtol=0)
    torch.testing.assert_close(found.std(dim=0, correction=0), torch.ones(found.shape[1]), atol=1e-3, rtol=0)


@pytest.mark.parametrize("kind", ["bert", "gemma"])
def test_a_fine_tuned_model_is_trained_further_with_its_own_language_model(kind: str, tmp_path: Path) -> None:
    encoder = KINDS[kind](tmp_path / "encoder")
    config, data = settings_for(encoder, "fine-tuned")
    _, first = run(config, data, tmp_path / "first")
    save_model(first.model, tmp_path / "model")
    shutil.rmtree(encoder)  # those who train further need not have it
    again = replace(config, training=replace(config.training, initialise_from=str(tmp_path / "model")))
    check_config(again)
    network = result_of(set_up(again, data)).model.network
    expected = first.model.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in network.state_dict().items())


def vectors_of(config: Config, data: TrainingData) -> list[np.ndarray]:
    """From the cache, so that nothing has to be reported."""
    vectors = result_of(set_up(config, data)).dev_vectors
    assert vectors is not None
    return list(vectors)


def test_vectors_are_made_once(encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    events, _ = run(config, data, tmp_path / "first")
    made = [event for event in events if isinstance(event, Embedding)]
    assert (made[0].done, made[0].words) == (0, made[-1].done)
    assert made[0].path.parent == cache
    assert made[0].size == made[0].path.stat().st_size
    again, _ = run(config, data, tmp_path / "second")
    assert not any(isinstance(event, Embedding) for event in again)
    assert losses(again) == losses(events)


@pytest.mark.parametrize("training", TRAININGS)
def test_silver_trees_have_vectors_or_subwords_of_their_own(training: str, encoder: Path, tmp_path: Path) -> None:
    config, data = settings_for(encoder, training, "training.epochs=1")
    silver = [replace(tree, tokens=tuple(replace(x, word=x.word.upper()) for x in tree.tokens)) for tree in data.train]
    data = replace(data, silver=silver, weights=[0.5] * len(silver))
    events, _ = run(config, data, tmp_path / "first")
    made = {event.path: event.words for event in events if isinstance(event, Embedding)}
    words = sum(len(sentence) for sentence in {tree.words for tree in silver})
    assert list(made.values()) == ([words, words] if training == "frozen" else [])
    again, _ = run(config, data, tmp_path / "second")
    assert not any(isinstance(event, Embedding) for event in again)
    assert losses(again) == losses(events)


@pytest.mark.parametrize("training", TRAININGS)
def test_trees_in_capitals_are_learnt_in_lower_case(training: str, tmp_path: Path) -> None:
    config, data = settings_for(KINDS["roberta"](tmp_path / "cased"), training)

    def inputs(case: Callable[[str], str]) -> list[object]:
        trees = [tree for tree in data.train if sum(len(word) > 1 for word in tree.words) > 2]
        recased = [replace(tree, tokens=tuple(replace(x, word=case(x.word)) for x in tree.tokens)) for tree in trees]
        setup = result_of(set_up(config, replace(data, train=recased, repeats=[1] * len(recased))))
        return [x.subwords if x.vectors is None else x.vectors.tolist() for x in setup.examples]

    assert inputs(str.upper) == inputs(str.lower) != inputs(str.title)


def losses(events: list[Event]) -> list[float]:
    return [event.loss for event in events if isinstance(event, StepDone)]


@pytest.mark.parametrize("what", ["text", "layers", "first space", "encoder"])
def test_vectors_of_something_else_are_not_taken(what: str, encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    run(config, data, tmp_path / "first")
    if what == "text":
        data = replace(data, train=data.train[1:], repeats=data.repeats[1:])
    elif what == "layers":
        config = replace(config, model=replace(config.model, pretrained_layers="mean 1-2"))
    elif what == "first space":
        config = replace(config, model=replace(config.model, pretrained_first_space=False))
    else:
        other = KINDS["relu-bert"](tmp_path / "other")
        config = replace(config, model=replace(config.model, pretrained=str(other)))
        assert len(list(cache.iterdir())) == 1  # train and dev have the same text here
    events, _ = run(config, data, tmp_path / "second")
    assert any(isinstance(event, Embedding) for event in events)


def test_vectors_that_are_cut_short_are_made_again(encoder: Path, tmp_path: Path, cache: Path) -> None:
    config, data = settings_for(encoder, "frozen", "training.epochs=1")
    first, _ = run(config, data, tmp_path / "first")
    (path,) = cache.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    second, _ = run(config, data, tmp_path / "second")
    assert any(isinstance(event, Embedding) for event in second)
    assert path.read_bytes() == content
    assert losses(first) == losses(second)


@pytest.mark.parametrize("training", TRAININGS)
def test_an_interrupted_run_ends_with_the_same_weights(
    training: str, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_CHECKPOINT_SECONDS", 0.0)
    config, data = settings_for(encoder, training, "model.dropout=0.1")
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
    return config, result_of(set_up(config, data)).model.network


def has_adapters(network: nn.Module) -> bool:
    return any(hasattr(module, "lora_A") for module in network.modules())


def learning(network: ParserNetwork) -> set[str]:
    assert network.features.language_model is not None
    parameters = network.features.language_model.body.named_parameters()
    return {".".join(name.split(".")[:2]) for name, parameter in parameters if parameter.requires_grad}


def test_embeddings_of_subwords_are_not_trained(encoder: Path) -> None:
    _, network = network_for(encoder, "fine-tuned")
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
    merged = without_adapters(network)
    assert has_adapters(network)
    assert not has_adapters(merged)
    ids = torch.tensor([[2, 7, 8, 3]])
    expected = body(ids, ids > 0)[-1]
    assert isinstance(merged, ParserNetwork)
    found = merged.features.language_model.body(ids, ids > 0)[-1]  # type: ignore[union-attr]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["directory", "file"])
def test_the_model_knows_where_its_language_model_is_from_any_folder(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    create = Path.touch if kind == "file" else Path.mkdir
    create(Path("some.gguf"))
    assert complete_settings(ModelSettings(pretrained="some.gguf")).pretrained == str(tmp_path.resolve() / "some.gguf")
    assert complete_settings(ModelSettings(pretrained="minilm")).pretrained == "minilm"


def test_another_encoder_of_the_same_name_is_noticed(tmp_path: Path) -> None:
    config, data = settings_for(KINDS["bert"](tmp_path / "encoder"), "frozen", "training.epochs=1")
    _, finished = run(config, data, tmp_path / "run")
    save_model(finished.model, tmp_path / "model")
    (tmp_path / "encoder").rename(tmp_path / "old")
    with pytest.raises(ModelError, match=r"the language model .* is not on this machine"):
        load_model(tmp_path / "model")
    KINDS["relu-bert"](tmp_path / "encoder")
    with pytest.raises(ModelError, match=r"encoder on this machine is not the one that the model was trained with"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("table", "key", "value", "message"),
    [
        ("pretrained", "layers", 10**6, "layers is 1000000; it must be at most 200"),
        ("pretrained", "width", -1, "width is -1; it must be at least 1"),
        ("config", "hidden_size", 10**9, "hidden_size is 1000000000; it must be at most 16,384"),
        ("config", "vocab_size", "many", "vocab_size must be a whole number, not 'many'"),
        ("config", "hidden_size", None, "hidden_size must be a whole number, not None"),
        ("config", "num_attention_heads", 0, "num_attention_heads is 0; it must be at least 1"),
        ("config", "layer_norm_eps", MISSING, "the description of the language model makes no network"),
    ],
)
def test_wrong_sizes_of_a_language_model_are_refused_before_it_is_built(
    table: str, key: str, value: object, message: str, stored_model: Path
) -> None:
    path = stored_model / "config.json"
    text = path.read_text()
    config = json.loads(text)
    changed = config["pretrained"] if table == "pretrained" else config["pretrained"]["config"]
    changed.pop(key) if value is MISSING else changed.update({key: value})
    path.write_text(json.dumps(config))
    with pytest.raises(ModelError) as caught:
        load_model(stored_model)
    path.write_text(text)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="session")
def stored_model(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that contains its language model."""
    folder = tmp_path_factory.mktemp("stored")
    _, finished = run(*settings_for(encoder, "fine-tuned", "training.epochs=1"), folder / "run")
    save_model(finished.model, folder / "model")
    return folder / "model"


@pytest.mark.slow
@pytest.mark.parametrize("training", CONTAINED, ids=" ".join)
def test_a_bert_that_is_part_of_a_model_is_used_without_transformers(training: list[str], tmp_path: Path) -> None:
    encoder = KINDS["bert"](tmp_path / "bert")
    config, data = settings_for(encoder, *training, "training.epochs=1")
    _, finished = run(config, data, tmp_path / "run")
    shutil.rmtree(encoder)
    # with the encoder gone, it is the model's own one that earns the score
    found = decode([finished.model], [tree.tokens for tree in data.dev], SearchOptions(finished.beam))
    assert evaluate(data.dev, [x[0].tree for x in found]).all.f1 == finished.scores.f1
    save_model(finished.model, tmp_path / "model")
    code = f"""
import sys
sys.modules["transformers"] = sys.modules["peft"] = None  # to import them is now an error
import socket
socket.socket.connect = None
from discoseq.decoding.decode import decode
from discoseq.model.directory import load_model
from discoseq.trees.tree import Token
print(decode([load_model({str(tmp_path / "model")!r})], [[Token("Ruhe"), Token("!")]])[0][0].tree.words)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "('Ruhe', '!')\n"), done.stderr
