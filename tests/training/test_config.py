from pathlib import Path

import pytest

from discoseq.errors import ConfigError, DiscoseqError
from discoseq.linearization.registry import LINEARIZATIONS
from discoseq.training.config import config_as_dict, config_from_dict, read_config
from discoseq.training.settings import Config

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
PAPER = sorted((CONFIGS / "paper").glob("*.toml"))


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


def test_a_config_survives_json() -> None:
    config = Config(linearization="top-down")
    assert config_from_dict(config_as_dict(config)) == config


def test_what_the_file_leaves_out_is_as_in_the_paper(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, "")) == Config()


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, '[data]\ntrain = ["a.export", "/b.export"]\n'))
    assert config.data.train == [str(tmp_path / "a.export"), "/b.export"]
    config = read_config(written(tmp_path, '[training]\nstart = "old/model"\nteachers = ["wise/model"]\n'))
    assert config.training.start == str(tmp_path / "old/model")
    assert config.training.teachers == [str(tmp_path / "wise/model")]


def test_assignments_win_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[training]\nepochs = 3\n")
    config = read_config(path, ["training.epochs=5", "model.pointed=true", "linearization=top-down", 'data.dev=["x"]'])
    assert config.training.epochs == 5
    assert config.model.pointed
    assert config.linearization == "top-down"
    assert config.data.dev == ["x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[training]\nepoch = 3\n", r"there is no setting training\.epoch; did you mean training\.epochs\?"),
        ("[nothing]\n", "there is no setting nothing; there are linearization, language, data, model, training"),
        ("training = 3\n", "training is 3 where a table was expected"),
        ("[training]\nepochs = '3'\n", r"training\.epochs is '3' where a whole number was expected"),
        ("[training]\nepochs = true\n", r"training\.epochs is True where a whole number was expected"),
        ("[model]\npointed = 1\n", r"model\.pointed is 1 where true or false was expected"),
        ("[data]\ntrain = 'x'\n", r"data\.train is 'x' where a list of strings was expected"),
        ("linearization = 'sideways'\n", "there is no linearization 'sideways'; there are top-down"),
        ("[training]\nschedule = 'cosine'\n", "there is no schedule 'cosine'; there are inverse-sqrt, linear"),
        ("[training]\nprecision = 'fp8'\n", "there is no precision 'fp8'; there are no, bf16, fp16"),
        ("[data]\nvaried = -1\n", r"data\.varied can't be negative"),
        ("[data]\nvaried_rate = 2\n", r"data\.varied_rate is 2\.0, and it must be in \[0, 1\]"),
        ("[data]\nvaried = 1\ntrain_vectors = ['x.npy']\n", r"data\.varied makes new sentences, for which"),
        ("[training]\nteacher_weight = 2\n", r"training\.teacher_weight is 2\.0, and it must be in \[0, 1\]"),
        ("[training]\nepochs = 0\n", r"training\.epochs is 0; the least is 1"),
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


@pytest.mark.parametrize("path", sorted(CONFIGS.rglob("*.toml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_configs_that_come_along_can_be_read(path: Path) -> None:
    assert read_config(path).linearization in LINEARIZATIONS


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.stem)
def test_the_papers_configs_have_the_papers_values(path: Path) -> None:
    config = read_config(path)
    model, training = config.model, config.training
    assert (model.encoder_layers, model.decoder_layers, model.width, model.heads, model.hidden) == (6, 6, 256, 4, 512)
    assert (model.dropout, model.pre_norm, model.stack_heads, model.buffer_heads) == (0.3, False, 1, 1)
    assert not any([model.pointed, model.tagger, model.word_width, model.character_filters, model.positions])
    encoder = ("roberta-large", "mean 1-24") if "ptb" in path.stem else ("gottbert-base", "last")
    assert (model.encoder, model.encoder_output, training.encoder_training) == (*encoder, "frozen")
    assert (training.beta1, training.beta2, training.learning_rate, training.warmup_steps) == (0.9, 0.98, 5e-4, 4000)
    assert (training.schedule, training.first_learning_rate, training.last_learning_rate) == (
        "inverse-sqrt",
        1e-7,
        1e-9,
    )
    assert (training.label_smoothing, training.batch_tokens, training.epochs) == (0.01, 3584, 80)
    assert (training.averaged, training.beam) == (3, 10)


def test_there_is_a_config_for_each_row_of_the_papers_tables() -> None:
    rows: dict[str, set[str]] = {}
    for path in PAPER:
        rows.setdefault(path.stem.partition("-")[0], set()).add(read_config(path).linearization)
    gapped = {"top-down+swap", "in-order+swap", "bottom-up+swap", "in-order+swap#k", "in-order+shift#k"}
    continuous = {"top-down", "enriched-top-down", "in-order", "enriched-in-order", "bottom-up"}
    assert rows == {"ptb": continuous, "dptb": gapped, "negra": gapped, "tiger": gapped}
