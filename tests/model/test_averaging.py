"""The average of the weights of several models."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from discoseq.errors import ModelError
from discoseq.model.averaging import average_models
from discoseq.model.directory import load_model, save_model
from discoseq.model.network import NO_HEADS, Model
from model.small import EVERYTHING, PLAIN, small_model


def saved(folder: Path, *models: Model) -> list[Path]:
    directories = [folder / str(number) for number in range(len(models))]
    for model, directory in zip(models, directories, strict=True):
        save_model(model, directory)
    return directories


def test_every_weight_is_the_mean_and_a_model_named_twice_counts_twice(tmp_path: Path) -> None:
    directories = saved(tmp_path, small_model(seed=1), small_model(seed=2))
    one, two = (load_model(directory).network.state_dict() for directory in directories)
    average = average_models([directories[0], directories[1], directories[0]]).network.state_dict()
    assert average.keys() == one.keys()
    for name, weight in average.items():
        torch.testing.assert_close(weight, (2 * one[name] + two[name]) / 3)
    assert any(not torch.equal(one[name], two[name]) for name in one)


def test_the_average_of_a_model_with_itself_is_that_model_to_the_bit(tmp_path: Path) -> None:
    [directory] = saved(tmp_path, small_model())
    expected = load_model(directory).network.state_dict()
    average = average_models([directory] * 3).network.state_dict()
    assert all(torch.equal(average[name], weight) for name, weight in expected.items())


def test_settings_of_training_may_differ(tmp_path: Path) -> None:
    other = small_model(replace(EVERYTHING, dropout=0.1, word_dropout=0.4))
    directories = saved(tmp_path, small_model(), other)
    assert average_models(directories).settings == EVERYTHING


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (small_model(PLAIN), "model.state_features is 'none' here and 'words' there"),
        (small_model(name="in-order+swap#k"), "the linearization is in-order+swap#k here and in-order+swap there"),
        (small_model(replace(EVERYTHING, heads=2)), "model.heads is 2 here and 4 there"),
    ],
)
def test_models_that_differ_are_refused_with_the_difference(tmp_path: Path, other: Model, difference: str) -> None:
    directories = saved(tmp_path, small_model(), other)
    with pytest.raises(ModelError) as caught:
        average_models(directories)
    assert str(caught.value) == (
        f"{directories[1]}: the weights can't be averaged with those of {directories[0]}: {difference}"
    )


def test_models_over_other_words_are_refused(tmp_path: Path) -> None:
    rare = small_model(replace(EVERYTHING, min_word_count=2))
    with pytest.raises(ModelError, match="their vocabularies differ"):
        average_models(saved(tmp_path, small_model(), rare))


def test_models_with_other_heads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="their networks differ"):
        average_models(saved(tmp_path, small_model(), small_model(heads=NO_HEADS)))
