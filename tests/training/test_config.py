import json
import re
import tomllib
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from discoseq.errors import ConfigError, DiscoseqError
from discoseq.linearizations.linearization import LINEARIZATIONS
from discoseq.model.settings import ModelSettings, settings_from_table
from discoseq.training.config import (
    CONFIGS,
    Config,
    DataSettings,
    SearchSettings,
    TrainingSettings,
    named_configs,
    read_config,
)
from discoseq.training.loop import FINAL_BEAM

PAPER = sorted((CONFIGS / "paper").glob("*.toml"))


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


def test_a_config_survives_json() -> None:
    config = Config(linearization="top-down")
    assert settings_from_table(Config, json.loads(json.dumps(asdict(config))), "json") == config


def test_what_the_file_leaves_out_is_as_in_the_paper(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, "")) == Config()


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, '[data]\ntrain = ["a.export", "/b.export"]\n'))
    assert config.data.train == [str(tmp_path / "a.export"), "/b.export"]
    config = read_config(written(tmp_path, '[training]\ninitialise_from = "old/model"\n'))
    assert config.training.initialise_from == str(tmp_path / "old/model")
    config = read_config(written(tmp_path, '[training]\nvocabularies_from = "old/model"\n'))
    assert config.training.vocabularies_from == str(tmp_path / "old/model")


def test_assignments_win_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[training]\nepochs = 3\n")
    config = read_config(path, ["training.epochs=5", "model.pointer=true", "linearization=top-down", 'data.dev=["x"]'])
    assert config.training.epochs == 5
    assert config.model.pointer
    assert config.linearization == "top-down"
    assert config.data.dev == ["x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[training]\nepoch = 3\n", r"there is no setting training\.epoch; did you mean training\.epochs\?"),
        (
            "[nothing]\n",
            "there is no setting nothing; the settings are linearization, language, data, model, training, search",
        ),
        ("training = 3\n", "training must be a table, not 3"),
        ("[training]\nepochs = '3'\n", r"training\.epochs must be a whole number, not '3'"),
        ("[training]\nepochs = true\n", r"training\.epochs must be a whole number, not True"),
        ("[model]\npointer = 1\n", r"model\.pointer must be true or false, not 1"),
        ("[data]\ntrain = 'x'\n", r"data\.train must be a list of strings, not 'x'"),
        ("linearization = 'sideways'\n", "there is no linearization 'sideways'; there are top-down"),
        ("[training]\nschedule = 'cosine'\n", "schedule must be one of inverse-sqrt, linear, not 'cosine'"),
        ("[training]\nprecision = 'fp8'\n", "precision must be one of no, bf16, fp16, not 'fp8'"),
        ("[data]\naugmented = -1\n", r"data\.augmented must be at least 0, not -1"),
        ("[training]\ntag_weight = -1\n", r"training\.tag_weight must be at least 0, not -1"),
        ("[training]\npretrained_training = 'melted'\n", "one of frozen, fine-tuned, lora, not 'melted'"),
        ("[training]\nepochs = 0\n", r"training\.epochs must be at least 1, not 0"),
        ("[training]\nbatch_tokens = 1000000000000\n", r"training\.batch_tokens must be at most 10000000, not 1"),
        ("[training]\nlearning_rate = nan\n", r"training\.learning_rate must be at most 100, not nan"),
        ("[training]\nlearning_rate = -1.0\n", r"training\.learning_rate must be at least 1e-09, not -1"),
        ("[training]\nseed = -1\n", r"training\.seed must be at least 0, not -1"),
        ("[data]\ntraces = 'keep'\n", r"data\.traces must be one of refuse, drop, not 'keep'"),
        ("[search]\nscore = 'median'\n", r"search\.score must be one of sum, mean, joint, not 'median'"),
        ("[search]\nscore = 'joint'\n", r'search\.score = "joint" needs a training\.ancestor_weight above 0'),
        ("[training]\ndev_rules = 'bleu'\n", r"training\.dev_rules must be one of empty, disco, evalb, not 'bleu'"),
        ("linearization = 'in-order+eager-swap'\n", r'in-order\+eager-swap needs search\.constraints = "weak"'),
        ("[search]\nconstraints = 'none'\n", r"search\.constraints must be one of exact, weak, not 'none'"),
        ("= 3\n", "Invalid statement"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DiscoseqError, match=message) as caught:
        read_config(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_and_an_assignment_without_a_value(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_config(tmp_path / "nothing.toml")
    with pytest.raises(ConfigError, match="expected KEY=VALUE"):
        read_config(written(tmp_path, ""), ["epochs"])


@pytest.mark.parametrize("name", named_configs())
def test_the_configs_that_come_along_can_be_read(name: str) -> None:
    assert read_config(name).linearization in LINEARIZATIONS


def test_paths_of_configurations_that_come_along_are_relative_to_the_current_folder() -> None:
    config = read_config("models/nl-second")
    assert config.data.train == ["prepared/alpino/train.discbracket"]
    assert config.training.initialise_from == "runs/nl-first/model"
    assert read_config(CONFIGS / "models" / "nl-second.toml") == config


def test_a_file_comes_before_a_configuration_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_config("small").linearization == "in-order+shift#k"
    Path("small").write_text('linearization = "top-down"\n')
    assert read_config("small").linearization == "top-down"


def test_a_wheel_contains_the_configurations() -> None:
    root = Path(__file__).resolve().parents[2]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["discoseq"]
    packed = {path for pattern in patterns for path in CONFIGS.parent.glob(pattern)}
    assert packed >= set(CONFIGS.rglob("*.toml"))


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.stem)
def test_the_papers_configs_have_the_papers_values(path: Path) -> None:
    config = read_config(path)
    model, training = config.model, config.training
    assert (model.encoder_layers, model.decoder_layers, model.width, model.heads, model.hidden) == (6, 6, 256, 4, 512)
    assert (model.dropout, model.pre_norm, model.stack_heads, model.buffer_heads) == (0.3, False, 1, 1)
    assert not any([model.pointer, model.word_width, model.character_filters, model.positions])
    assert (model.state_features, training.tag_weight, training.ancestor_weight) == ("none", 0.0, 0.0)
    pretrained = ("roberta-large", "mean 1-24") if "ptb" in path.stem else ("gottbert-base", "last")
    assert (model.pretrained, model.pretrained_layers, training.pretrained_training) == (*pretrained, "frozen")
    assert (training.learning_rate, training.warmup_steps, training.schedule) == (5e-4, 4000, "inverse-sqrt")
    assert (training.label_smoothing, training.batch_tokens, training.epochs) == (0.01, 3584, 80)
    assert (training.averaged, FINAL_BEAM) == (3, 10)
    assert training.masked_loss
    assert config.search.constraints == "weak"
    assert (model.pretrained_first_space, model.dedicated_layers) == (False, 0)
    assert (config.search.score, training.dev_rules) == ("mean", "evalb" if path.stem == "ptb" else "disco")
    assert (training.batch_order, training.smoothed_over) == ("words", "vocabulary")
    assert config.language == ("en" if "ptb" in path.stem else "de")


def test_every_german_configuration_says_so() -> None:
    german = ("negra", "tiger", "pcc", "de-silver")
    for path in named_configs().values():
        config = read_config(path)
        is_german = any(Path(file).parent.name in german for file in config.data.train)
        assert is_german == (config.language == "de"), path


def test_there_is_a_config_for_each_treebank_of_the_paper_and_its_linearizations_can_be_set() -> None:
    assert [path.stem for path in PAPER] == ["dptb", "negra", "ptb", "tiger"]
    for path in PAPER:
        rows = re.findall(r"(?:enriched-)?(?:top-down|in-order|bottom-up)[+\w#]*", path.read_text().partition("\n")[0])
        assert len(rows) == 5
        for name in rows:
            assert read_config(path, [f"linearization={name}"]).linearization == name


def test_there_are_few_settings_and_each_is_set_by_a_config() -> None:
    tables = {"data": DataSettings, "model": ModelSettings, "training": TrainingSettings, "search": SearchSettings}
    names = {"linearization", "language"} | {field.name for kind in tables.values() for field in fields(kind)}
    assert 2 + sum(len(fields(kind)) for kind in tables.values()) <= 58
    text = "\n".join(path.read_text() for path in named_configs().values())
    unset = {name for name in names if not re.search(rf"^{name} = ", text, re.MULTILINE)}
    assert unset == set()
